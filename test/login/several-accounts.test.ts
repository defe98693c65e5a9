import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { accountOf, crawlMembers, type Crawled, logIn, pagesOf, store } from './members-crawl.ts';
import { type MembersSite, startMembersSite, visitorMark } from './members-site.ts';

const pages = 14;
let folder: string;
let site: MembersSite;
const people = ['alice', 'bob'];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-several-accounts-'));
  site = await startMembersSite({ pages, refusal: 'soft' });
  for (const as of people) await logIn(site, as);
});
afterEach(async () => {
  await site.close();
  for (const as of people) await store().remove(accountOf(as));
  rmSync(folder, { recursive: true, force: true });
});

async function run(gap: string, onPage: (n: number) => void = () => undefined): Promise<Crawled> {
  let pagesRead = 0;
  return await crawlMembers({
    site,
    folder,
    changes: {
      login: people.map((as) => ({ ...accountOf(as), check: { selector: 'a.me' }, gap })),
      onResponse: () => onPage((pagesRead += 1)),
    },
    async onWait(detail) {
      for (const as of people) if (detail.startsWith(as)) await logIn(site, as);
    },
  });
}

const readBy = (as: string) => site.log.filter(({ by, path }) => by === as && path !== '/robots.txt');

it('reads pages with several accounts of a site in turns, each at its own pace', async () => {
  const crawled = await run('300ms');
  expect(pagesOf(crawled)).toHaveLength(pages);
  expect(crawled.waits).toEqual([]);
  for (const as of people) {
    const times = readBy(as).map(({ atMs }) => atMs);
    expect(times.length).toBeGreaterThanOrEqual(4);
    const pauses = times.slice(1).map((ms, i) => ms - (times[i] ?? 0));
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(299);
  }
});

it('continues with the others while one is logged out, and with that one when it is back', async () => {
  const crawled = await run('400ms', (n) => {
    if (n === 3) site.lose('bob');
  });
  expect(pagesOf(crawled)).toHaveLength(pages);
  const { sources, waits } = crawled;
  expect(sources.some((source) => source.includes(visitorMark))).toBe(false);
  expect(waits).toHaveLength(1);
  expect(waits[0]).toMatch(/^bob is logged out of 127\.0\.0\.1/);
  const lost = site.log.findIndex(({ isIn, path }) => !isIn && path !== '/robots.txt');
  const after = site.log.slice(lost).map(({ by }) => by);
  expect(after).toContain('alice');
  expect(after.lastIndexOf('bob')).toBeGreaterThan(0);
});
