import type { UrlDocument } from '@webfarer/protocol/api';
import type { Page } from 'playwright-core';
import { expectWithin } from './expect-within.ts';
import { hostileStrings } from './hostile-strings.ts';
import type { Visitor } from './visitor.ts';
import type { World } from './world.ts';

/** What came of the two tasks, in clicks from Home. */
export interface UrlTasks {
  whySkippedClicks: number;
  retryClicks: number;
}

/** Rows that may exist in the page at once, however long the list is. */
const mostRows = 80;
/** Of hostile pages that are opened one by one: each takes a second. */
const mostOpened = 14;

/** Tabs, reasons and rows of a crawl that is over say what the API says, and add up. */
export async function compareUrls({ page }: Visitor, { api, url }: World): Promise<string[]> {
  const crawl = 'ill.example';
  const params = { crawl };
  const wrong: string[] = [];
  await page.goto(`${url}/crawls/${crawl}/urls`);
  await page.getByText('That is all').waitFor();
  const { progress } = await api.getCrawl({ params });
  const { known, queued, leased, done, failed, refused } = progress?.balance ?? none;
  const tabs = await page.locator('.tab b').allTextContents();
  const right = [known, queued, leased, done, failed, refused].join();
  if (tabs.join() !== right) wrong.push(`the tabs show ${tabs.join()}, not ${right}`);
  for (const state of ['failed', 'refused'] as const) {
    await page
      .locator('.tab')
      .nth(state === 'failed' ? 4 : 5)
      .click();
    await page.getByText(`That is all: ${state === 'failed' ? failed : refused} URLs.`).waitFor();
    const chips = await page.locator('.chip b').allTextContents();
    const sum = chips.reduce((all, n) => all + Number(n), 0);
    const { items } = await api.listUrls({ params, query: { state, limit: 1_000 } });
    const rows = await page.locator('.urls-room .urls-row').count();
    if (sum !== items.length || rows !== items.length)
      wrong.push(`${state}: reasons of ${sum} and ${rows} rows, not ${items.length}`);
  }
  return wrong;
}

const none = { known: -1, queued: -1, leased: -1, done: -1, failed: -1, refused: -1 };

/** Rows have numbers from 0 and are drawn some at a time: one of those in sight ends in 0. */
const rowsFrom1200 = Array.from({ length: 380 }, (_, n) => `[data-row="${1_200 + 10 * n}"]`).join();

/** A list that is longer than what is kept of it, with the keyboard, filters in the address, and a saved one. */
export async function useUrlTable({ page }: Visitor, { url }: World): Promise<string[]> {
  const wrong: string[] = [];
  await page.goto(`${url}/crawls/museum.example/urls`);
  await page.locator('[data-row="5"] a').waitFor();
  for (let at = 0; at < 12; at++) {
    await page.mouse.wheel(0, 20_000);
    await page.waitForFunction('!document.querySelector(".urls-room")?.textContent.includes("Loading")');
  }
  wrong.push(
    ...(await expectWithin(
      // However long it has become meanwhile.
      page.locator(rowsFrom1200).or(page.getByText('That is all')).first().waitFor(),
      'the list does not go on',
    )),
  );
  const rows = await page.locator('.urls-room .urls-row').count();
  if (rows > mostRows) wrong.push(`${rows} rows exist at once`);
  await page.keyboard.press('/');
  await page.keyboard.type('http://museum.example/page/1');
  await page.waitForURL(/prefix=/);
  // The rows of the list before are there until those that were asked for have come.
  await page.locator('[data-row="0"] a', { hasText: 'museum.example/page/1' }).waitFor();
  await page.locator('[data-row="1"] a', { hasText: 'museum.example/page/1' }).waitFor();
  await page.keyboard.press('Escape');
  for (const row of [0, 1]) {
    await page.keyboard.press('j');
    const stands = page.locator(`[data-row="${row}"]:focus-within`).waitFor();
    wrong.push(...(await expectWithin(stands, `j does not stand at row ${row}`)));
  }
  await page.getByRole('button', { name: 'Saved filters' }).click();
  await page.getByRole('textbox', { name: 'Name of this filter' }).fill('first <b>ones');
  await page.getByRole('button', { name: 'Save this filter' }).click();
  await page.keyboard.press('Escape');
  await page.goto(`${url}/crawls/ill.example/urls`);
  await page.getByRole('button', { name: 'Saved filters' }).click();
  await page.getByRole('button', { name: 'first <b>ones', exact: true }).click();
  wrong.push(
    ...(await expectWithin(page.getByText('No URL matches').waitFor(), 'a saved filter is not used')),
  );
  return [...wrong, ...(await exportList(page, url))];
}

async function exportList(page: Page, url: string): Promise<string[]> {
  await page.goto(`${url}/crawls/ill.example/urls?state=failed`);
  await page.getByText('That is all').waitFor();
  const rows = await page.locator('.urls-room .urls-row').count();
  const coming = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  await page.getByRole('menuitem', { name: 'As JSON lines' }).click();
  const file = await coming;
  let text = '';
  for await (const piece of await file.createReadStream()) text += String(piece);
  const lines = text.trimEnd().split('\n');
  const isRight = lines.length === rows && lines.every((line) => line.includes('"state":"failed"'));
  return isRight && file.suggestedFilename() === 'ill.example-failed.jsonl'
    ? []
    : [`the export ${file.suggestedFilename()} has ${lines.length} lines, not ${rows}`];
}

/** From Home: why was a URL skipped, and retry everything that failed with 5xx. */
export async function doUrlTasks(
  visitor: Visitor,
  { api, url }: World,
): Promise<{ tasks: UrlTasks; wrong: string[] }> {
  const { page } = visitor;
  const params = { crawl: 'ill.example' };
  const open = async () => {
    await page.goto(`${url}/`);
    const card = page.getByRole('link', { name: 'ill.example', exact: true });
    await card.waitFor();
    const before = visitor.clicks();
    await visitor.click(card);
    return before;
  };
  let before = await open();
  await visitor.click(page.getByRole('link', { name: 'refused', exact: true }));
  await visitor.click(page.locator('[data-row="0"] a'));
  const wrong = await expectWithin(
    page.locator('.decided').getByText('robots.txt line 2 "Disallow: /private/"').waitFor(),
    'the line that decided is not shown',
  );
  const whySkippedClicks = visitor.clicks() - before;

  before = await open();
  const { failed } = (await api.getCrawl({ params })).progress?.balance ?? none;
  await visitor.click(page.getByRole('link', { name: 'answered 5xx until the last try' }));
  await visitor.click(page.getByRole('button', { name: `Retry ${failed} URLs` }));
  const dialog = page.getByRole('dialog');
  wrong.push(
    ...(await expectWithin(
      dialog.getByText(`${failed} URLs`, { exact: true }).waitFor(),
      'how many is not said',
    )),
  );
  await visitor.click(dialog.getByRole('button', { name: 'Retry', exact: true }));
  wrong.push(
    ...(await expectWithin(
      dialog.getByText(`${failed} URLs are queued again.`).waitFor(),
      'no result is told',
    )),
  );
  const retryClicks = visitor.clicks() - before;
  // It had ended by itself: what is retried is fetched without another click.
  wrong.push(
    ...(await expectWithin(dialog.getByText('running again').waitFor(), 'the crawl is not resumed')),
  );
  // When they are fetched is for the host to say, which has answered with errors: it waits longer after each.
  const { state, progress } = await api.getCrawl({ params });
  const { queued, leased, failed: again } = progress?.balance ?? none;
  if (queued + leased + again < failed) wrong.push(`of ${failed} URLs to retry ${queued} are queued`);
  if (queued + leased > 0 && state !== 'running') wrong.push(`the crawl is ${state} after a retry`);
  return { tasks: { whySkippedClicks, retryClicks }, wrong };
}

/** One URL says what the API says: its headers, its text, its links. */
export async function compareOneUrl({ page }: Visitor, { api, url }: World): Promise<string[]> {
  const crawl = 'press.example';
  const one = 'http://press.example/page/1';
  const facts: UrlDocument = await api.getUrl({ params: { crawl }, query: { url: one } });
  await page.goto(`${url}/crawls/${crawl}/url?url=${encodeURIComponent(one)}`);
  const wrong = [
    ...(await expectWithin(
      page.locator('.headers').getByText('text/html').waitFor(),
      'no headers are shown',
    )),
    ...(await expectWithin(
      page.locator('pre').getByText('Press, page 1').first().waitFor(),
      'no text is shown',
    )),
    ...(await expectWithin(page.getByText(/\.warc\.gz, .* at byte/).waitFor(), 'not said where it is saved')),
  ];
  const rows = await page.locator('.link-rows li').count();
  if (rows !== facts.links.total) wrong.push(`${rows} links are shown, not ${facts.links.total}`);
  await page.getByRole('button', { name: 'Find pages that link to it' }).click();
  wrong.push(
    ...(await expectWithin(
      page
        .locator('[aria-labelledby="links-in"]')
        .getByRole('link', { name: 'http://press.example/' })
        .first()
        .waitFor(),
      'the page that links to it is not found',
    )),
  );
  return wrong;
}

/** Hostile texts in URLs, titles, headers, rules and addresses of these screens. */
export async function showHostileUrls(
  { page }: Visitor,
  { api, url }: World,
  judge: (where: string) => Promise<void>,
): Promise<void> {
  const at = `${url}/crawls/hostile.example`;
  // Every URL has its outcome then.
  await page.goto(at);
  await page.locator('.crawl-head .state', { hasText: /finished|stopped|limit/ }).waitFor();
  await page.goto(`${at}/urls`);
  await page.locator('[data-row="3"] a').waitFor();
  for (let turn = 0; turn < 3; turn++) {
    await judge(`the list of hostile URLs, ${turn}`);
    await page.mouse.wheel(0, 700);
  }
  const { items } = await api.listUrls({ params: { crawl: 'hostile.example' }, query: { limit: 100 } });
  const secret = items.filter(({ state }) => state === 'refused');
  for (const one of [...secret, ...items.filter(({ state }) => state === 'done').slice(0, mostOpened)]) {
    await page.goto(`${at}/url?url=${encodeURIComponent(one.url)}`);
    await page.locator(one.state === 'done' ? '.headers' : '.decided').waitFor();
    await judge(`the URL ${one.url}`);
  }
  for (const text of hostileStrings.slice(0, mostOpened)) {
    const typed = encodeURIComponent(text);
    await page.goto(`${at}/urls?host=${typed}&reason=${typed}&prefix=${typed}`);
    await page.locator('.urls-end, .empty, [data-row="0"]').first().waitFor();
    await judge(`the filter ${text}`);
    await page.goto(`${at}/url?url=${typed}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await judge(`the address ${text}`);
  }
}

type Screen = { name: string; path: string; ready: (page: Page) => Promise<void> };
const ofUrl = (url: string) => `url?url=${encodeURIComponent(url)}`;

export const urlScreens: Screen[] = [
  {
    name: 'urls',
    path: '/crawls/museum.example/urls',
    ready: async (page) => await page.locator('[data-row="5"] a').waitFor(),
  },
  {
    name: 'urls-failed',
    path: '/crawls/ill.example/urls?state=failed',
    ready: async (page) => await page.getByText('That is all').waitFor(),
  },
  {
    name: 'url',
    path: `/crawls/press.example/${ofUrl('http://press.example/page/1')}`,
    ready: async (page) => await page.locator('.headers').waitFor(),
  },
  {
    name: 'url-skipped',
    path: `/crawls/ill.example/${ofUrl('http://ill.example/private/a')}`,
    ready: async (page) => await page.locator('.decided').waitFor(),
  },
];
