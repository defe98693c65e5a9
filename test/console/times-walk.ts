import type { PageRecord } from '@webfarer/protocol';
import type { ApiClient } from '@webfarer/protocol/api';
import type { Page } from 'playwright-core';
import { expectWithin } from './expect-within.ts';
import { failures } from './times-site.ts';
import type { Visitor } from './visitor.ts';
import type { World } from './world.ts';

const crawl = 'times-lab';
const params = { crawl };
const flaky = 'http://times.example/flaky';
const path = `/crawls/${crawl}/url?url=${encodeURIComponent(flaky)}`;

async function openLab(api: ApiClient): Promise<PageRecord> {
  const known = await api.getCrawl({ params }).catch(() => undefined);
  const job = {
    name: crawl,
    seeds: ['http://times.example/'],
    contact: 'mailto:console@webfarer.test',
    politeness: { gap: '50ms' },
    fetch: { retries: { count: 3, backoff: '100ms' } },
  };
  if (!known) await api.createCrawl({ body: { job } });
  for (let tries = 0; tries < 300; tries++) {
    const { record } = await api.getUrl({ params, query: { url: flaky } });
    if (record) return record as unknown as PageRecord;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('the page that fails at first was never fetched');
}

/** The phases on the screen are those of the record and add up; tries and the worker are named, and lead on. */
export async function walkTimes({ page, click }: Visitor, { api, url }: World): Promise<string[]> {
  const record = await openLab(api);
  const { fetched, tries = [], durationMs } = record;
  const wrong: string[] = [];
  if (fetched?.by === undefined || tries.length !== failures)
    return [`the record of a page with ${failures} failed tries has ${JSON.stringify({ fetched, tries })}`];
  await page.goto(url + path);
  const rows = page.locator('.waterfall tbody tr');
  wrong.push(...(await expectWithin(rows.first().waitFor(), 'no phases are shown')));
  const shown = await page.locator('.waterfall tbody .num').allTextContents();
  const sum = shown.reduce((all, text) => all + Number(text.replaceAll(/\D/g, '')), 0);
  if (sum !== durationMs) wrong.push(`the phases shown add up to ${sum} ms, the request took ${durationMs}`);
  const listed = await page.locator('.tries li').allTextContents();
  if (listed.length !== failures || !listed.every((text) => /http-5xx.*500/.test(text)))
    wrong.push(`the tries shown are ${JSON.stringify(listed)}`);
  if ((await page.getByText('not recorded').count()) > 0) wrong.push('something is told as not recorded');
  await click(page.locator('.timeline').getByRole('link', { name: fetched.by, exact: true }));
  const found = page.locator('.worker-row .name', { hasText: fetched.by }).waitFor();
  wrong.push(...(await expectWithin(found, 'the worker does not lead to the network')));
  return wrong;
}

export const timesScreens: { name: string; path: string; ready: (page: Page) => Promise<void> }[] = [
  { name: 'url-tries', path, ready: async (page) => await page.locator('.tries li').first().waitFor() },
];
