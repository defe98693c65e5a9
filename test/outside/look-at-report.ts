import { statSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';

/** What must not be. */
export interface Troubles {
  /** Of axe, in light and in dark. */
  serious: string[];
  /** Anything that was asked for but the file itself. */
  requests: string[];
  /** Errors of its script, and what its content policy had to stop. */
  errors: string[];
}

/** What a report is like in a browser that has no network. */
export interface ReportLook extends Troubles {
  bytes: number;
  figures: number;
  /** Pictures and lists whose data arrived in the clipboard, whole. */
  copied: number;
  /** Pictures and lists there are. */
  copyable: number;
  /** Rows that can be read without script. */
  rowsWithoutScript: number;
  /** The switch changes the colours, and the choice outlives a reload. */
  themes: boolean;
  /** Pictures that stick out of their card on a phone. */
  cut: string[];
}

export const bothSchemes: readonly ('light' | 'dark')[] = ['light', 'dark'];

/** Opens a report from disk, light, dark and without script. */
export async function lookAtReport(
  browser: Browser,
  file: string,
  schemes = bothSchemes,
): Promise<ReportLook> {
  const look: ReportLook = {
    bytes: statSync(file).size,
    figures: 0,
    copied: 0,
    copyable: 0,
    serious: [],
    requests: [],
    errors: [],
    rowsWithoutScript: 0,
    themes: false,
    cut: [],
  };
  for (const colorScheme of schemes) {
    await inContext(browser, { colorScheme }, async (context) => {
      const page = await openOffline(context, pathToFileURL(file).href, look);
      look.serious.push(...(await seriousFindings(page, colorScheme)));
      if (colorScheme === 'dark') return;
      Object.assign(look, await copyEverything(context, page));
      look.themes = await switchesTheme(page);
      await page.setViewportSize({ width: 390, height: 844 });
      look.cut = await page.evaluate<string[]>(cutPlots);
    });
  }
  await inContext(browser, { javaScriptEnabled: false }, async (context) => {
    const page = await openOffline(context, pathToFileURL(file).href, look);
    look.rowsWithoutScript = await page.locator('section tbody tr:visible').count();
  });
  return look;
}

export async function inContext(
  browser: Browser,
  options: Parameters<Browser['newContext']>[0],
  use: (context: BrowserContext) => Promise<void>,
): Promise<void> {
  const context = await browser.newContext({ ...options, offline: true });
  try {
    await use(context);
  } finally {
    await context.close();
  }
}

export async function openOffline(context: BrowserContext, own: string, look: Troubles): Promise<Page> {
  const page = await context.newPage();
  page.on('request', (request) => {
    if (request.url() !== own) look.requests.push(request.url());
  });
  page.on('pageerror', (error) => look.errors.push(error.message));
  page.on('dialog', (dialog) => {
    look.errors.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('console', (message) => {
    if (message.type() === 'error') look.errors.push(message.text());
  });
  await page.goto(own);
  return page;
}

export async function seriousFindings(page: Page, scheme: string): Promise<string[]> {
  await page.evaluate(axe.source);
  const found = await page.evaluate<{
    violations: { id: string; impact: string; nodes: { html: string }[] }[];
  }>('axe.run(document, { resultTypes: ["violations"] })');
  return found.violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${scheme}: ${id} (${nodes.length}): ${nodes[0]?.html.slice(0, 200)}`);
}

/** Those that one would have to scroll sideways, and the page itself. */
const cutPlots = `[...document.querySelectorAll('.plot'), document.documentElement]
  .filter((at) => at.scrollWidth > at.clientWidth + 1)
  .map((at) => at.closest('figure')?.id ?? 'the page')`;

interface Copied {
  isFigure: boolean;
  rows: number;
  columns: number;
  text: string;
}

/** Presses every button that copies, and reads the clipboard; all in the page, because there are many. */
const pressAll = `(async () => {
  const found = [];
  for (const holder of document.querySelectorAll('figure[data-figure], section[data-table]')) {
    await navigator.clipboard.writeText('');
    holder.querySelector('button.csv').click();
    let text = '';
    for (let n = 0; text === '' && n < 100; n++) {
      await new Promise((done) => setTimeout(done, 2));
      text = await navigator.clipboard.readText();
    }
    const { length: rows } = holder.querySelectorAll('tbody tr');
    const { length: columns } = holder.querySelectorAll('thead th');
    found.push({ isFigure: holder.nodeName === 'FIGURE', rows, columns, text });
  }
  return found;
})()`;

async function copyEverything(context: BrowserContext, page: Page) {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const found = await page.evaluate<Copied[]>(pressAll);
  return {
    figures: found.filter(({ isFigure }) => isFigure).length,
    copied: found.filter(({ text, rows, columns }) => isWhole(text, rows, columns)).length,
    copyable: found.length,
  };
}

/** As many lines and cells as the table has; quoted cells may hold what would end them. */
function isWhole(csv: string, rows: number, columns: number): boolean {
  const plain = csv.replace(/"(?:[^"]|"")*"/g, 'q');
  const lines = plain.split('\r\n');
  return (
    lines.pop() === '' &&
    lines.length === rows + 1 &&
    lines.every((line) => line.split(',').length === columns)
  );
}

async function switchesTheme(page: Page): Promise<boolean> {
  const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
  const before = await background();
  await page.locator('button.theme').click();
  const changed = await becomes(background, (color) => color !== before);
  if (changed === undefined) return false;
  // What a page stores reaches the next process of a busy browser a moment later: a reload may come before it.
  const reloaded = async () => {
    await page.reload();
    return await background();
  };
  return (await becomes(reloaded, (color) => color === changed)) !== undefined;
}

/** The first value that will do; a browser on a busy machine takes a moment. Undefined: none came. */
async function becomes<T>(look: () => Promise<T>, will: (value: T) => boolean): Promise<T | undefined> {
  for (let n = 0; n < 50; n++) {
    const value = await look();
    if (will(value)) return value;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return undefined;
}
