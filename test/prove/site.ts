// watches: docs, site
// misses: dead links and broken pages of the documentation site
import { mkdirSync } from 'node:fs';
import { join, posix } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser } from 'playwright-core';
import { buildSite } from '../../site/build.ts';
import { openBrowser } from '../outside/browser.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { leftOut } from '../site/left-out.ts';
import { deadLinks, type ReadPage, readSite } from '../site/read-site.ts';
import { argument, workFolder } from './lab.ts';

/** Words that a reader may look for, and a page that must be among the first results. */
const searches: Record<string, string> = {
  'graceful stop': 'docs/signals.html',
  TimeoutStopSec: 'docs/deploying.html',
  'retry-after': 'docs/politeness.html',
  'job file': 'docs/job-file.html',
  scrapy: 'docs/from-scrapy.html',
  webhoo: 'docs/webhooks.html',
};
const nonsense = 'qwertzuiop';

/**
 * The documentation site, as files. It is built, read by another parser, and opened by Chromium without a server and without a
 * network. No link or anchor within it is dead, every page of docs/ is in the navigation of every page, the search finds
 * given words, and no page is wider than its window, light or dark, narrow or wide. `--pictures FOLDER` keeps the screenshots.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const work = workFolder('site');
  const pictures = argument(args, '--pictures') ?? join(work.path, 'pictures');
  mkdirSync(pictures, { recursive: true });
  const browser = await openBrowser();
  try {
    const { out, broken } = await buildSite(join(work.path, 'site'));
    const pages = readSite(out);
    const dead = [...new Set([...broken, ...deadLinks(out, pages)])];
    const missing = leftOut(pages);
    const { unfound, loose } = await search(browser, out);
    const { wide, failed, shots } = await look(browser, { out, pictures, pages, quick });
    const failures = [
      ...dead.map((link) => `dead link: ${link}`),
      ...missing.map((page) => `not in the navigation: ${page}`),
      ...unfound.map((query) => `not found: ${query}`),
      ...loose.map((query) => `found though it is nowhere: ${query}`),
      ...wide.map((page) => `wider than its window: ${page}`),
      ...failed.map((request) => `could not be loaded: ${request}`),
    ];
    for (const failure of failures.slice(0, 50)) console.error(`  ✗ ${failure}`);
    return {
      ok: failures.length === 0 && pages.length > 50,
      result: {
        pages: pages.length,
        links: pages.reduce((sum, { links }) => sum + links.length, 0),
        deadLinks: dead.length,
        leftOut: missing.length,
        searches: Object.keys(searches).length,
        unfound: unfound.length,
        screenshots: shots,
        wide: wide.length,
        failures: failures.slice(0, 20),
        sizes: { quick },
      },
    };
  } finally {
    await browser.close();
    work.remove();
  }
}

/** Run in the browser. */
const shownResults = `!document.querySelector('#found').hidden && document.querySelector('#found').textContent !== ''`;
const foundLinks = `[...document.querySelectorAll('#found a')].map((link) => link.href)`;
const hiddenResults = `document.querySelector('#found').hidden`;

async function search(browser: Browser, out: string): Promise<{ unfound: string[]; loose: string[] }> {
  const page = await browser.newPage();
  await page.goto(pathToFileURL(join(out, 'docs/api.html')).href);
  const find = async (query: string): Promise<string[]> => {
    await page.fill('#search', query);
    await page.waitForFunction(shownResults);
    const found = (await page.evaluate(foundLinks)) as string[];
    await page.fill('#search', '');
    await page.waitForFunction(hiddenResults);
    return found;
  };
  const unfound: string[] = [];
  for (const [query, file] of Object.entries(searches)) {
    const found = await find(query);
    if (!found.some((href) => href.split('#')[0] === pathToFileURL(join(out, file)).href))
      unfound.push(query);
  }
  const loose = (await find(nonsense)).length === 0 ? [] : [nonsense];
  await page.close();
  return { unfound, loose };
}

const windows = { narrow: { width: 390, height: 844 }, wide: { width: 1400, height: 900 } };
const lookedAt = ['index', 'docs/tutorial', 'docs/deploying', 'docs/commands', 'docs/expectations'];

/** Screenshots of some pages; in the full form every page is opened in every window. */
async function look(
  browser: Browser,
  options: { out: string; pictures: string; pages: readonly ReadPage[]; quick: boolean },
): Promise<{ wide: string[]; failed: string[]; shots: number }> {
  const { out, pictures, pages, quick } = options;
  const wide: string[] = [];
  const failed: string[] = [];
  let shots = 0;
  const files = quick ? lookedAt.map((name) => `${name}.html`) : pages.map(({ file }) => file);
  for (const colorScheme of ['light', 'dark'] as const)
    for (const [size, viewport] of Object.entries(windows)) {
      const page = await browser.newPage({ colorScheme, viewport });
      page.on('requestfailed', (request) => failed.push(request.url()));
      for (const file of files) {
        await page.goto(pathToFileURL(join(out, file)).href);
        const excess = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
        if (excess > 0) wide.push(`${file} ${size} by ${excess}`);
        const name = file.replace(/\.html$/, '');
        if (!lookedAt.includes(name)) continue;
        await page.screenshot({ path: join(pictures, `${posix.basename(name)}-${colorScheme}-${size}.png`) });
        shots++;
      }
      await page.close();
    }
  return { wide, failed, shots };
}
