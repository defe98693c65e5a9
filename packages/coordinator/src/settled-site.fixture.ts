import { type CrawlId, type Edge, type PageRecord, systemClock, type Url } from '@webfarer/protocol';
import { expect } from 'vitest';
import { redisForFile } from '../../../test/redis/for-file.ts';
import { newEntry } from './catalog/catalog.suite.ts';
import type { CatalogEntry } from './catalog/catalog.ts';
import { noEdits } from './catalog/entry-edits.ts';
import { emptyStore } from './frontier/redis/compared.fixture.ts';
import { openRedisFrontier } from './frontier/redis/redis-frontier.ts';
import { openSqliteFrontier } from './frontier/sqlite/sqlite-frontier.ts';
import type { testClock } from './frontier/suite/clock.fixture.ts';
import { answered, offerOf, outcome, type World } from './frontier/suite/world.fixture.ts';
import { openStore } from './redis/store.ts';

/** What a page of a made-up site is recorded as, and where it links. */
export interface SettledPage {
  record: Partial<PageRecord>;
  edges?: Edge[];
}

interface SettledSite {
  urls: readonly string[];
  settle: (url: Url) => SettledPage;
  /** No more are settled. */
  most?: number;
}

/** Every URL is leased, and settled as the site answers. */
export async function crawlSite(
  { frontier, clock }: World,
  id: CrawlId,
  { urls, settle, most = Number.POSITIVE_INFINITY }: SettledSite,
): Promise<void> {
  await frontier.openCrawl({
    id,
    gapMs: 0,
    leaseTtlMs: 60_000,
    maxFetchMs: 1_000,
    backoffMs: 1_000,
    deadAfter: 5,
    limits: {},
  });
  const offers = urls.map((url) => offerOf(url));
  await frontier.seed(id, offers, { last: true });
  let settled = 0;
  for (let turn = 0; turn < 100 && settled < Math.min(most, offers.length); turn++) {
    clock.advance(10_000);
    const { leases } = await frontier.lease({
      worker: 'w' as never,
      hosts: 10,
      urlsPerHost: 4,
      crawls: [id],
    });
    for (const { entries, ...lease } of leases) {
      const outcomes = entries.slice(0, most - settled).map((entry) => outcome(entry, settle(entry.url)));
      settled += outcomes.length;
      const { id: lent, crawl: of, host, fence } = lease;
      await frontier.report([
        { id: lent, crawl: of, host, fence, settled: outcomes, news: answered, close: true },
      ]);
    }
  }
  if (most >= offers.length) expect(await frontier.finish(id)).toBe(true);
}

export const entryOf = (id: string, more: Partial<CatalogEntry> = {}): CatalogEntry => ({
  ...newEntry(id),
  version: 1,
  edits: noEdits,
  ...more,
});

/** Both stores, empty; the file that uses them has a Redis of its own. */
export function emptyStores() {
  const servers = redisForFile({ settings: { appendonly: 'no' } });
  return {
    SQLite: (clock: ReturnType<typeof testClock>) =>
      Promise.resolve(openSqliteFrontier({ path: ':memory:', clock })),
    async Redis(clock: ReturnType<typeof testClock>) {
      const store = await openStore({ url: (await servers()).url, replicas: 0, clock: systemClock() });
      await emptyStore(store);
      return await openRedisFrontier({ store, clock, time: 'given', groups: 4 });
    },
  };
}
