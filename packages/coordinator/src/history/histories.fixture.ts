import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatedClock, CrawlId } from '@webfarer/protocol';
import { afterAll } from 'vitest';
import { redisForFile, storesForFile } from '../../../../test/redis/for-file.ts';
import type { ReadFrontier } from '../frontier-of.ts';
import { openRedisFrontier } from '../frontier/redis/redis-frontier.ts';
import { openSqliteFrontier } from '../frontier/sqlite/sqlite-frontier.ts';
import { settings } from '../frontier/suite/world.fixture.ts';

/** Both crawls that the suites of histories write about. */
export const crawls = ['a', 'b'] as [CrawlId, CrawlId];

/** Histories on both stores, as several processes open them. The file that uses them has a Redis of its own. */
export function historiesForFile() {
  const servers = redisForFile({ settings: { appendonly: 'no' } });
  const { connectEmpty } = storesForFile();
  const folder = mkdtempSync(join(tmpdir(), 'webfarer-history-'));
  let files = 0;
  afterAll(() => rmSync(folder, { recursive: true }));

  /** On an empty store; `given`: it takes the time of this clock for that of its servers. */
  async function onRedis(processes: number, clock: DatedClock, time: { time?: 'given' } = { time: 'given' }) {
    const stores = await connectEmpty(await servers(), processes);
    const frontiers = await Promise.all(
      stores.map((store) => openRedisFrontier({ store, clock, groups: 4, ...time })),
    );
    return { store: stores[0]!, frontiers };
  }

  return {
    folder,
    onRedis,
    /** What the suite of a history runs on. */
    worlds: <History extends { note: unknown }>(of: (frontier: ReadFrontier) => History) => [
      {
        name: 'SQLite, and another process that reads the file',
        async open(processes: number, clock: DatedClock): Promise<History[]> {
          // Thousands of samples, each on disk before the next, would be a test of the disk.
          const path = processes === 1 ? ':memory:' : join(folder, `${files++}.db`);
          const writing = openSqliteFrontier({ path, clock });
          for (const id of crawls) await writing.openCrawl({ ...settings, id });
          const others = Array.from({ length: processes - 1 }, () => {
            const reading = openSqliteFrontier({ path, clock, readOnly: true });
            return { ...of(reading), note: of(writing).note };
          });
          return [of(writing), ...others];
        },
      },
      {
        name: 'Redis',
        async open(processes: number, clock: DatedClock): Promise<History[]> {
          const { frontiers } = await onRedis(processes, clock);
          for (const id of crawls) await frontiers[0]?.openCrawl({ ...settings, id });
          return frontiers.map(of);
        },
      },
    ],
  };
}
