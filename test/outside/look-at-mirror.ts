import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';

/** What Chromium found on the pages of a folder, without a network. */
export interface MirrorLook {
  pages: number;
  /** Requests for files that could not be read, and requests to the network. */
  failed: string[];
  network: string[];
  /** Files that were loaded for each page. */
  loaded: Map<string, Set<string>>;
  /** Links to the web, as the browser understands them. */
  leaving: string[];
  /** Links to files that are not there. */
  dangling: string[];
  /** Links whose text names another page than the one they lead to. */
  misled: string[];
  links: number;
}

interface FoundLink {
  href: string;
  text: string;
}

const atOnce = 4;

/** Opens pages of a mirror one after the other. `titled`: the text of each link is the title of its target. */
export async function lookAtMirror(
  browser: Browser,
  files: readonly string[],
  { titled }: { titled: boolean },
): Promise<MirrorLook> {
  const look: MirrorLook = {
    pages: 0,
    failed: [],
    network: [],
    loaded: new Map(),
    leaving: [],
    dangling: [],
    misled: [],
    links: 0,
  };
  const context = await browser.newContext({ offline: true });
  const queue = [...files];
  try {
    await Promise.all(
      Array.from({ length: atOnce }, async () => {
        const page = await context.newPage();
        for (let file = queue.pop(); file !== undefined; file = queue.pop()) await lookAt(page, file);
      }),
    );
  } finally {
    await context.close();
  }
  return look;

  async function lookAt(page: Page, file: string): Promise<void> {
    const loaded = new Set<string>();
    look.loaded.set(file, loaded);
    look.pages++;
    page.removeAllListeners();
    page.on('request', (request) => {
      if (/^https?:|^wss?:/.test(request.url())) look.network.push(request.url());
    });
    page.on('requestfailed', (request) => {
      // An icon that is still on its way when the next page is opened is not missing.
      if (request.failure()?.errorText === 'net::ERR_ABORTED') return;
      if (request.url().startsWith('file:')) look.failed.push(`${request.url()} on ${file}`);
    });
    page.on('requestfinished', (request) => loaded.add(request.url()));
    await page.goto(pathToFileURL(file).href, { waitUntil: 'load' });
    const found = (await page.evaluate(readLinks)) as FoundLink[];
    for (const link of found) judge(link, file);
  }

  function judge({ href, text }: FoundLink, file: string): void {
    look.links++;
    if (/^https?:/.test(href)) return void look.leaving.push(href);
    if (!href.startsWith('file:')) return;
    const target = fileURLToPath(href.replace(/[#?].*$/, ''));
    if (!existsSync(target)) return void look.dangling.push(`${href} on ${file}`);
    if (!titled || text === '' || target === file) return;
    const title = /<title>(.*?)<\/title>/.exec(readFileSync(target, 'utf8'))?.[1];
    if (title !== text) look.misled.push(`${text} led to ${title}`);
  }
}

/** Runs in the page: every address of every element, as the browser resolves it. */
const readLinks = `(() => {
  const found = [];
  const add = (value, text) => {
    if (value) try { found.push({ href: new URL(value, document.baseURI).href, text }); } catch {}
  };
  for (const element of document.querySelectorAll('*')) {
    const isCanonical = element.tagName === 'LINK' && /canonical/i.test(element.rel);
    for (const name of ['href', 'xlink:href', 'src', 'poster', 'data', 'background'])
      if (!isCanonical && element.hasAttribute(name))
        add(element.getAttribute(name), element.tagName === 'A' ? element.textContent.trim() : '');
    const set = element.getAttribute('srcset');
    if (set) for (const part of set.split(/,\\s+/)) add(part.trim().split(/\\s+/)[0], '');
  }
  return found;
})()`;
