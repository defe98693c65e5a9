import type { Page } from 'playwright-core';
import { openBrowser } from '../outside/browser.ts';
import { naughtyStrings } from './naughty-strings.ts';
import { isTooWide, logIn, openVisitor, type Visitor } from './visitor.ts';
import { openWorld, type World } from './world.ts';

/** What this program is told, as JSON in its first argument. */
export interface StringsOptions {
  folder: string;
  consoleFolder: string;
  /** Of the strings each of which is opened on a page of its own, every so manieth is. */
  step: number;
}

export interface StringsShown {
  strings: number;
  /** Looks at a screen, by what was looked at. */
  looks: Record<string, number>;
  scriptsRun: string[];
  layoutsBroken: string[];
  foreignRequests: string[];
  violations: string[];
  errors: string[];
}

const site = 'naughty.example';
const screens = `/crawls/${site}`;
/** Of a list: more would be a list without an end. */
const mostTurns = 400;

/** Run in a network of its own: a crawl of a site that fills every field with naughty strings, looked at on every screen. */
async function walk({ folder, consoleFolder, step }: StringsOptions): Promise<StringsShown> {
  const world = await openWorld(folder, consoleFolder);
  const browser = await openBrowser();
  try {
    await crawlAll(world, step);
    const visitor = await openVisitor(browser, { url: world.url, expected: isProvoked });
    const dialogs: string[] = [];
    visitor.page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    await logIn(visitor, world.url, world.token);
    const shown = await look(visitor, world, step);
    const { foreign, violations, errors } = visitor.noticed;
    return {
      ...shown,
      scriptsRun: [...shown.scriptsRun, ...dialogs],
      foreignRequests: foreign,
      violations,
      errors,
    };
  } finally {
    await browser.close();
    await world.stop();
  }
}

/** Addresses that no crawl has, and filters that no URL can have. */
const isProvoked = (text: string, about: string): boolean =>
  /4(00|04)/.test(text) && about.includes('/v1/crawls/');

async function crawlAll({ api }: World, step: number): Promise<void> {
  const fields = { title: { css: 'h1' }, key: { css: '.key' }, all: { css: 'p', list: true } };
  const limits = { pages: 5_000, perHost: { pages: 5_000 }, perSite: { pages: 5_000 } };
  const job = {
    seeds: [`http://${site}/`],
    contact: 'mailto:console@webfarer.test',
    politeness: { gap: '1ms' },
    limits,
    extract: [{ pages: '/page/*', fields }],
    // The strings are in the names of files.
    save: ['warc', { markdown: { name: '{host}/{query}' } }],
    // A browser takes a second for a page: every tenth string has a picture, in the quick form every hundredth.
    render: [{ match: { regex: picturedUrls(step).source }, do: 'always' }],
    screenshots: ['view'],
  };
  await api.createCrawl({ body: { job, tags: ['naughty'] } });
  const params = { crawl: site };
  for (let tries = 0; ; tries++) {
    const { state } = await api.getCrawl({ params });
    if (state === 'finished') return;
    if (tries > 1_800) throw new Error(`the crawl of ${site} is ${state} after 3 minutes`);
    await new Promise((done) => setTimeout(done, 100));
  }
}

async function look({ page }: Visitor, { api, url }: World, step: number) {
  const strings = naughtyStrings();
  const looks: Record<string, number> = {};
  const scriptsRun: string[] = [];
  const layoutsBroken: string[] = [];

  async function judge(what: string, which: string): Promise<void> {
    looks[what] = (looks[what] ?? 0) + 1;
    const where = `${what}: ${which}`.slice(0, 120);
    if ((await page.evaluate('globalThis.__ran')) !== undefined) scriptsRun.push(where);
    if (await isTooWide(page)) layoutsBroken.push(where);
    const bar = await page.locator('header.bar').boundingBox();
    if (!bar || bar.height > 160 || bar.x !== 0) layoutsBroken.push(`${where}: the head of the page moved`);
  }

  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 844 });
    await page.goto(`${url}${screens}/urls`);
    await page.locator('[data-row="0"]').waitFor();
    await throughList(page, (turn) => judge(`URLs at ${width} px`, String(turn)));
  }
  await page.setViewportSize({ width: 1440, height: 900 });

  await page.goto(`${url}${screens}/data`);
  await page.locator('.data-row').nth(2).waitFor();
  await throughList(page, (turn) => judge('items', String(turn)));
  await lookAtSaved(page, { api, url }, judge);
  const chosen = strings.map((text, n) => ({ text, n })).filter(({ n }) => n % step === 0);
  // As the crawl knows them: rules for URLs may have changed what the site wrote.
  const { items } = await api.listUrls({ params: { crawl: site }, query: { state: 'done', limit: 1_000 } });
  const pictured = items.map((one) => one.url).filter((known) => picturedUrls(step).test(known));
  for (const { url: known } of items.filter((_, n) => n % step === 0)) {
    await showInApp(page, `${screens}/url?url=${encodeURIComponent(known)}`);
    await page.locator('.headers').filter({ hasText: 'content-type' }).waitFor();
    await judge('one URL', known);
  }
  for (const known of pictured) {
    await showInApp(page, `${screens}/url?url=${encodeURIComponent(known)}`);
    await page.locator('.preview-head').getByText('Screenshot').click();
    // The name of the one that is shown, not that of the one before.
    await page.locator('.picture-facts').getByText(`urn:view:${known}`, { exact: true }).waitFor();
    await page.locator('.picture-facts', { hasText: '1,280 × 720' }).waitFor();
    await judge('picture', known);
  }
  for (const { text } of chosen.filter((_, at) => at % 4 === 0)) {
    const typed = encodeURIComponent(text.toWellFormed());
    await page.goto(`${url}${screens}/urls?host=${typed}&reason=${typed}&prefix=${typed}`);
    await page.locator('.urls-end, .empty, [data-row="0"]').first().waitFor();
    await judge('filter', text);
  }
  await page.goto(`${url}/`);
  const search = page.getByRole('searchbox');
  for (const { text } of chosen) {
    await search.fill(text);
    await judge('search', text);
  }
  return { strings: strings.length, looks, scriptsRun, layoutsBroken };
}

/** Every tenth string; in the quick form every hundredth. */
const picturedUrls = (step: number): RegExp => (step > 1 ? /\/page\/(?:0|\d+00)\?/ : /\/page\/\d*0\?/);

/** Texts and files, whose names are made of the strings. Every file is shown. */
async function lookAtSaved(
  page: Page,
  { api, url }: Pick<World, 'api' | 'url'>,
  judge: (what: string, which: string) => Promise<void>,
): Promise<void> {
  const paths: string[] = [];
  for (let after: string | undefined = ''; after !== undefined; ) {
    const answer = await api.listFiles({ params: { crawl: site }, query: { after, limit: 1_000 } });
    paths.push(...answer.items.map(({ path }) => path));
    after = answer.next;
  }
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 844 });
    await page.goto(`${url}${screens}/data?view=texts`);
    await page.locator('.data-row').nth(2).waitFor();
    await throughList(page, (turn) => judge(`texts at ${width} px`, String(turn)));
    await page.goto(`${url}${screens}/data?view=files`);
    await page.locator('table.files tbody tr').first().waitFor();
    const more = page.getByRole('button', { name: 'Show more' });
    const rows = page.locator('table.files tbody tr');
    for (let part = 1; await more.isVisible(); part++) {
      const before = await rows.count();
      await more.click();
      await rows.nth(before).waitFor();
      await judge(`files at ${width} px`, String(part));
    }
    const shown = new Set(await page.locator('.file-name > bdi').allTextContents());
    const missing = paths.filter((path) => !shown.has(path));
    if (missing.length > 0) throw new Error(`${missing.length} files are not shown, such as ${missing[0]}`);
    await judge(`files at ${width} px`, `all ${paths.length}`);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
}

/** By the router of the console, as a click does it. */
async function showInApp(page: Page, path: string): Promise<void> {
  await page.evaluate(`history.pushState({}, '', ${JSON.stringify(path)})`);
  await page.locator('.one-url').waitFor();
}

/** From the top of a list to its end. */
async function throughList(page: Page, look: (turn: number) => Promise<void>): Promise<void> {
  const end = page.getByText('That is all');
  await page.mouse.move(200, 600);
  for (let turn = 0; turn < mostTurns; turn++) {
    await look(turn);
    if (await end.isVisible()) return;
    await page.mouse.wheel(0, 600);
  }
  throw new Error('the list has no end');
}

if (import.meta.main) {
  const shown = await walk(JSON.parse(process.argv[2] ?? '{}') as StringsOptions);
  process.stdout.write(JSON.stringify(shown), () => process.exit(0));
}
