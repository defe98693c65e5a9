import type { Page } from 'playwright-core';
import { expectWithin } from './expect-within.ts';
import { hostileStrings } from './hostile-strings.ts';
import type { Visitor } from './visitor.ts';
import { weekly } from './sites.ts';
import { showHostileTexts, textScreens, walkTexts } from './texts-walk.ts';
import type { World } from './world.ts';

const shop = 'press.example';

/** Items, files and the check of an archive say what the API says. */
export async function walkData(
  visitor: Visitor,
  world: World,
): Promise<{ wrong: string[]; compareClicks: number }> {
  const { page } = visitor;
  const wrong = [...(await readItems(page, world)), ...(await checkArchive(page, world))];
  wrong.push(...(await walkTexts(visitor, world)));
  const compared = await compareWeeks(visitor, world);
  return { wrong: [...wrong, ...compared.wrong], compareClicks: compared.clicks };
}

/** From Home: what is new since last week. What the site changed is known from outside. */
async function compareWeeks(
  visitor: Visitor,
  { api, url, nextWeek }: World,
): Promise<{ wrong: string[]; clicks: number }> {
  const { page } = visitor;
  for (const name of ['weekly-1', 'weekly-2']) {
    const job = { name, seeds: ['http://weekly.example/'], contact: 'mailto:console@webfarer.test' };
    await api.createCrawl({ body: { job: { ...job, politeness: { gap: '20ms' } } } });
    await page.goto(`${url}/crawls/${name}`);
    await page.locator('.crawl-head .state', { hasText: 'finished' }).waitFor();
    nextWeek();
  }
  await page.goto(`${url}/`);
  const card = page.getByRole('link', { name: 'weekly-2', exact: true });
  await card.waitFor();
  const before = visitor.clicks();
  await visitor.click(card);
  await visitor.click(page.getByRole('link', { name: 'Data', exact: true }));
  await visitor.click(page.getByRole('link', { name: 'Compare', exact: true }));
  await page.locator('.compare-sums').waitFor();
  const clicks = visitor.clicks() - before;
  const wrong: string[] = [];
  const told = await page.locator('.compare-sums').innerText();
  if (!told.includes('weekly-1')) wrong.push('it is not compared with the crawl of last week');
  const lists = [
    ['New', weekly.added],
    ['Changed', weekly.changed],
    ['Gone', weekly.gone],
    ['Unchanged', weekly.unchanged],
  ] as const;
  for (const [word, paths] of lists) {
    const tab = page.locator('.tab', { hasText: new RegExp(`^${word}`) });
    await tab.click();
    await page.getByText(`That is all: ${paths.length} page`).waitFor();
    const shown = await page.locator('.data-room .cut').allTextContents();
    const right = paths.map((path) => `http://weekly.example${path}`);
    if (shown.toSorted().join() !== right.toSorted().join())
      wrong.push(`${word} pages are ${shown.join()}, not ${right.join()}`);
    if ((await tab.locator('b').innerText()) !== String(paths.length)) wrong.push(`${word} is counted wrong`);
  }
  wrong.push(...(await retryComparedList(page, url)));
  await page.getByRole('button', { name: 'Compare anew' }).click();
  await page.locator('.compare-sums').waitFor();
  await page.goto(`${url}/crawls/weekly-1/data?view=compare`);
  wrong.push(
    ...(await expectWithin(
      page.getByText('There is no earlier crawl').waitFor(),
      'it is not explained what there is to compare with',
    )),
  );
  return { wrong, clicks };
}

/** A list that fails says so and can be read again. */
async function retryComparedList(page: Page, url: string): Promise<string[]> {
  const failing = /\/compare\?.*limit=500/;
  const problem = { status: 503, code: 'unavailable', title: 'x', detail: 'the store is unreachable' };
  await page.route(failing, (route) =>
    route.fulfill({ status: 503, contentType: 'application/problem+json', json: problem }),
  );
  await page.goto(`${url}/crawls/weekly-2/data?view=compare&change=new`);
  const again = page.locator('.urls-end').getByRole('button', { name: 'Try again' });
  await again.waitFor();
  await page.unroute(failing);
  await again.click();
  return await expectWithin(
    page.getByText(`That is all: ${weekly.added.length} pages.`).waitFor(),
    'a list of compared pages that failed is not read again',
  );
}

async function readItems(page: Page, { api, url }: World): Promise<string[]> {
  const wrong: string[] = [];
  const items: { url: string; item: unknown }[] = [];
  for await (const line of await api.readItems({ params: { crawl: shop } }))
    if (line['kind'] === 'item') items.push(line as (typeof items)[number]);
  await page.goto(`${url}/crawls/${shop}`);
  await page.getByRole('link', { name: 'Data', exact: true }).click();
  await page.getByText(`That is all: ${items.length} items.`).waitFor();
  const heads = await page.locator('.data-columns [role=columnheader]').allTextContents();
  if (heads.join() !== 'heading,links,title,Page') wrong.push(`the columns are ${heads.join()}`);
  const rows = await page.locator('.data-room .data-row').count();
  if (rows < 10 || rows > items.length) wrong.push(`${rows} rows are in sight of ${items.length} items`);
  await page.keyboard.press('/');
  await page.keyboard.type('press, PAGE 12');
  wrong.push(
    ...(await expectWithin(page.getByText('That is all: 1 item.').waitFor(), 'a text is not found in items')),
  );
  if (!page.url().includes('q=press')) wrong.push(`the search is not in the address: ${page.url()}`);
  await page.locator('.row-button').first().click();
  wrong.push(
    ...(await expectWithin(
      page.locator('.item-whole').getByText('"heading": "Press, page 12"').waitFor(),
      'the whole item is not shown',
    )),
  );
  await page.getByRole('button', { name: 'Close' }).last().click();
  wrong.push(...(await exportItems(page, url, items.length)));
  await page.goto(`${url}/crawls/ill.example/data`);
  wrong.push(
    ...(await expectWithin(
      page.getByText('This crawl has no items').waitFor(),
      'no items are not explained',
    )),
  );
  return wrong;
}

async function exportItems(page: Page, url: string, many: number): Promise<string[]> {
  await page.goto(`${url}/crawls/${shop}/data`);
  await page.getByText('That is all').waitFor();
  const coming = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('menuitem', { name: 'As CSV' }).click();
  const file = await coming;
  let text = '';
  for await (const piece of await file.createReadStream()) text += String(piece);
  const lines = text.trimEnd().split('\r\n');
  const isRight = lines.length === many + 1 && lines[0] === 'page,url,heading,links,title,other fields';
  return isRight && file.suggestedFilename() === `${shop}-items.csv`
    ? []
    : [`the export ${file.suggestedFilename()} has ${lines.length} lines, not ${many + 1}: ${lines[0]}`];
}

async function checkArchive(page: Page, { api, url }: World): Promise<string[]> {
  const { items } = await api.listFiles({ params: { crawl: shop } });
  await page.goto(`${url}/crawls/${shop}/data?view=files`);
  await page.locator('table.files tbody tr').first().waitFor();
  const rows = await page.locator('table.files tbody tr').count();
  const wrong = rows === items.length ? [] : [`${rows} files are listed, not ${items.length}`];
  await page.getByRole('button', { name: 'Check', exact: true }).first().click();
  wrong.push(
    ...(await expectWithin(
      page
        .locator('.verdict.good')
        .getByText(/^Intact: \d+ records, \d+ digests/)
        .waitFor(),
      'the archive is not found to be intact',
    )),
  );
  await page.getByRole('link', { name: 'Compare', exact: true }).click();
  await page.getByText('There is no earlier crawl').waitFor();
  await page.getByRole('link', { name: 'Files and archive', exact: true }).click();
  await page.locator('table.files tbody tr').first().waitFor();
  if ((await page.locator('.verdict.good').count()) !== 1)
    wrong.push('the outcome of a check is forgotten when one leaves the tab');
  const coming = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download' }).first().click();
  const file = await coming;
  let bytes = 0;
  for await (const piece of await file.createReadStream()) bytes += (piece as Buffer).length;
  const right = items.find(({ path }) => !path.includes('/'))?.bytes;
  if (bytes !== right) wrong.push(`the download has ${bytes} bytes, not ${right}`);
  return wrong;
}

/** Hostile texts in names and values of items, names of files, what a check says, and the address. */
export async function showHostileData(
  visitor: Visitor,
  world: World,
  judge: (where: string) => Promise<void>,
): Promise<void> {
  const { page } = visitor;
  await showHostileTexts(visitor, world, judge);
  const at = `${world.url}/crawls/${shop}/data`;
  const lines = hostileStrings.map((text, n) => ({
    kind: 'item',
    url: `http://${shop}/${encodeURIComponent(text.toWellFormed())}`,
    item: n % 3 === 0 ? text : { [text]: text, title: text, nested: { [text]: [text] } },
  }));
  const bookmark = { kind: 'bookmark', token: 't', more: false, state: 'finished', over: true };
  await page.route('**/items?*', (route) =>
    route.fulfill({
      contentType: 'application/x-ndjson',
      body: [...lines, bookmark].map((line) => `${JSON.stringify(line)}\n`).join(''),
    }),
  );
  await page.goto(at);
  await page.locator('[data-row="3"]').waitFor();
  await judge('hostile items');
  for (const row of [1, 2, 4]) {
    await page.locator(`[data-row="${row}"] .row-button`).click();
    await page.locator('.item-whole').waitFor();
    await judge(`the hostile item ${row}`);
    await page.keyboard.press('Escape');
  }
  await page.unroute('**/items?*');
  const files = hostileStrings.map((text) => ({ path: `archive/${text}.warc.gz`, bytes: 1, changedAtMs: 1 }));
  await page.route('**/files?*', (route) => route.fulfill({ json: { items: files } }));
  const problems = [{ offset: 7, text: hostileStrings.join(' '), torn: false }];
  await page.route('**/check?*', (route) =>
    route.fulfill({ json: { bytes: 9, records: 1, digests: 1, soundUntil: 7, problems } }),
  );
  await page.goto(`${at}?view=files`);
  await page.locator('table.files tbody tr').nth(3).waitFor();
  await page.getByRole('button', { name: 'Check', exact: true }).first().click();
  await page.locator('.verdict.bad').waitFor();
  await judge('hostile names of files');
  await page.unroute('**/files?*');
  await page.unroute('**/check?*');
  await showHostileComparison(page, at, judge);
  for (const text of hostileStrings.slice(0, 4)) {
    await page.goto(`${at}?q=${encodeURIComponent(text)}&view=${encodeURIComponent(text)}`);
    await page.locator('.empty, [data-row="0"]').first().waitFor();
    await judge(`the search for items ${text}`);
  }
}

async function showHostileComparison(
  page: Page,
  at: string,
  judge: (where: string) => Promise<void>,
): Promise<void> {
  const earlier = hostileStrings.map((text, n) => ({
    id: `x${n}`,
    name: text,
    createdAtMs: 1,
    previous: false,
  }));
  await page.route('**/earlier', (route) => route.fulfill({ json: { items: earlier } }));
  const side = { read: 9, known: 9, absent: 0 };
  const n = hostileStrings.length;
  const comparison = {
    id: 'i',
    atMs: 1,
    ready: true,
    now: side,
    before: side,
    with: { id: 'x', name: hostileStrings.join(' ').slice(0, 300), createdAtMs: 1 },
    sums: {
      counts: { new: n, changed: n, gone: n, unclear: n, unchanged: n },
      pages: { now: 3 * n, before: 3 * n },
      unclear: { both: 0, now: 0, before: n },
    },
    items: hostileStrings.map((text) => ({
      url: `http://${shop}/${encodeURIComponent(text.toWellFormed())}`,
      title: text,
      why: text,
      status: 200,
      statusBefore: 404,
    })),
  };
  await page.route('**/compare?*', (route) => route.fulfill({ json: comparison }));
  for (const change of ['new', 'gone', 'unclear']) {
    await page.goto(`${at}?view=compare&change=${change}`);
    await page.locator('[data-row="3"]').waitFor();
    await judge(`hostile pages that are ${change}`);
  }
  await page.unroute('**/compare?*');
  await page.unroute('**/earlier');
  for (const text of hostileStrings.slice(0, 3)) {
    // With a name that no crawl has: those of the texts themselves are taken.
    await page.goto(`${at}?view=compare&with=${encodeURIComponent(`${text} no crawl`)}`);
    await page.locator('.problem').waitFor();
    await judge(`the comparison with ${text}`);
  }
}

type Screen = { name: string; path: string; ready: (page: Page) => Promise<void> };

export const dataScreens: Screen[] = [
  ...textScreens,
  {
    name: 'data-items',
    path: `/crawls/${shop}/data`,
    ready: async (page) => await page.getByText('That is all').waitFor(),
  },
  {
    name: 'data-files',
    path: `/crawls/${shop}/data?view=files`,
    async ready(page) {
      await page.getByRole('button', { name: 'Check', exact: true }).first().click();
      await page.locator('.verdict.good').waitFor();
    },
  },
  {
    name: 'data-compare',
    path: '/crawls/weekly-2/data?view=compare',
    ready: async (page) => await page.getByText('That is all').waitFor(),
  },
  {
    name: 'url-markdown',
    path: `/crawls/${shop}/url?url=${encodeURIComponent(`http://${shop}/page/1`)}`,
    async ready(page) {
      await page.getByText('Markdown', { exact: true }).click();
      await page.locator('.preview-part pre', { hasText: '# Press, page 1' }).waitFor();
    },
  },
  {
    name: 'data-no-items',
    path: '/crawls/ill.example/data',
    ready: async (page) => await page.getByText('This crawl has no items').waitFor(),
  },
];
