import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CrawlId, systemClock } from '@webfarer/protocol';
import { afterAll, expect, it } from 'vitest';
import { redisForFile, storesForFile } from '../../../../test/redis/for-file.ts';
import { openRedisFrontier } from '../frontier/redis/redis-frontier.ts';
import { openSqliteFrontier } from '../frontier/sqlite/sqlite-frontier.ts';
import { testClock } from '../frontier/suite/clock.fixture.ts';
import { settings } from '../frontier/suite/world.fixture.ts';
import { storeTag } from '../redis/keys.ts';
import { countHistorySuite } from './count-history.suite.ts';
import { sampleLength, slotMs } from './samples.ts';

const single = redisForFile({ settings: { appendonly: 'no' } });
const { connect, connectEmpty } = storesForFile();
const folder = mkdtempSync(join(tmpdir(), 'webfarer-history-'));
const crawls = ['a', 'b'] as CrawlId[];
const counts = { queued: 1, leased: 2, done: 3, failed: 4, refused: 5, bytes: 6, items: 7 };
let files = 0;

afterAll(() => rmSync(folder, { recursive: true }));

countHistorySuite({
  name: 'SQLite, and another process that reads the file',
  async open(processes, clock) {
    // Thousands of samples, each on disk before the next, would be a test of the disk.
    const path = processes === 1 ? ':memory:' : join(folder, `${files++}.db`);
    const writing = openSqliteFrontier({ path, clock });
    for (const id of crawls) await writing.openCrawl({ ...settings, id });
    const others = Array.from({ length: processes - 1 }, () => {
      const reading = openSqliteFrontier({ path, clock, readOnly: true });
      return { ...reading.history, note: writing.history.note };
    });
    return [writing.history, ...others];
  },
});

countHistorySuite({
  name: 'Redis',
  async open(processes, clock) {
    const stores = await connectEmpty(await single(), processes);
    const frontiers = await Promise.all(
      stores.map((store) => openRedisFrontier({ store, clock, time: 'given', groups: 4 })),
    );
    for (const id of crawls) await frontiers[0]?.openCrawl({ ...settings, id });
    return frontiers.map(({ history }) => history);
  },
});

it('survives that the folder is closed and opened', async () => {
  const clock = testClock(1_800_000_000_000);
  const path = join(folder, 'again.db');
  const first = openSqliteFrontier({ path, clock });
  await first.openCrawl({ ...settings, id: crawls[0]! });
  await first.history.note(crawls[0]!, counts);
  await first.close();
  clock.advance(slotMs);
  const second = openSqliteFrontier({ path, clock });
  await second.history.note(crawls[0]!, counts);
  expect(await second.history.samples(crawls[0]!)).toMatchObject([counts, counts]);
  await second.close();
});

it('takes the time of the store, so that a coordinator with a wrong clock harms nobody', async () => {
  const [store] = await connectEmpty(await single(), 1);
  const clock = { ...systemClock(), now: () => 1_000_000 };
  const { history, openCrawl } = await openRedisFrontier({ store: store!, clock, groups: 4 });
  await openCrawl({ ...settings, id: crawls[0]! });
  await history.note(crawls[0]!, counts);
  const [sample] = await history.samples(crawls[0]!);
  expect(Math.abs((sample?.atMs ?? 0) - Date.now())).toBeLessThan(60_000);
});

it('goes with a crawl that is deleted, and does not come back by a late sample or under its name', async () => {
  const servers = await single();
  const [store] = await connectEmpty(servers, 1);
  const clock = testClock(1_800_000_000_000);
  const late = await connect(servers);
  const frontiers = await Promise.all(
    [store!, late].map((each) => openRedisFrontier({ store: each, clock, time: 'given', groups: 4 })),
  );
  const [here, there] = frontiers as [(typeof frontiers)[0], (typeof frontiers)[0]];
  const [id] = crawls as [CrawlId];
  await here.openCrawl({ ...settings, id });
  await there.history.note(id, counts);
  const nonce = await here.openCrawl({ ...settings, id });
  await here.erase([{ id, nonce }]);
  await there.history.note(id, counts);
  const [keys] = await store!.run([{ key: storeTag, args: ['EXISTS', `${storeTag}1h`] }]);
  expect(keys).toBe(0);
  await here.openCrawl({ ...settings, id });
  await there.history.note(id, counts);
  expect(await here.history.samples(id)).toEqual([]);
});

it('keeps no more than 24 samples of a level in the store', async () => {
  const [store] = await connectEmpty(await single(), 1);
  const clock = testClock(1_800_000_000_000);
  const frontier = await openRedisFrontier({ store: store!, clock, time: 'given', groups: 4 });
  const [id] = crawls as [CrawlId];
  await frontier.openCrawl({ ...settings, id });
  for (let slot = 0; slot < 200; slot++) {
    await frontier.history.note(id, counts);
    clock.advance(slotMs);
  }
  const [kept] = await store!.run([{ key: storeTag, args: ['HVALS', `${storeTag}1h`] }]);
  const samples = (kept as string[]).map((text) => text.length / sampleLength);
  // Of the 199 slots after the first, 100 are odd, 50 can be halved once and 25 twice: three levels are full.
  expect(samples.toSorted((a, b) => b - a)).toEqual([24, 24, 24, 12, 6, 3, 2, 1, 1]);
});
