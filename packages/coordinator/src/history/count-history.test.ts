import { join } from 'node:path';
import { systemClock } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import type { RedisFrontier } from '../frontier/redis/redis-frontier.ts';
import { openSqliteFrontier } from '../frontier/sqlite/sqlite-frontier.ts';
import { testClock } from '../frontier/suite/clock.fixture.ts';
import { settings } from '../frontier/suite/world.fixture.ts';
import { storeTag } from '../redis/keys.ts';
import { restsLevel } from './count-history.ts';
import { countHistorySuite } from './count-history.suite.ts';
import { crawls, historiesForFile } from './histories.fixture.ts';
import { mostRests, restLength, restText, sampleLength, slotMs } from './samples.ts';

const { folder, onRedis, worlds } = historiesForFile();
const counts = { queued: 1, leased: 2, done: 3, failed: 4, refused: 5, bytes: 6, items: 7 };

for (const world of worlds(({ history }) => history)) countHistorySuite(world);

it('survives that the folder is closed and opened', async () => {
  const clock = testClock(1_800_000_000_000);
  const path = join(folder, 'again.db');
  const first = openSqliteFrontier({ path, clock });
  await first.openCrawl({ ...settings, id: crawls[0] });
  await first.history.note(crawls[0], counts);
  await first.close();
  clock.advance(slotMs);
  const second = openSqliteFrontier({ path, clock });
  await second.history.note(crawls[0], counts);
  expect(await second.history.samples(crawls[0])).toMatchObject([counts, counts]);
  await second.close();
});

it('takes the time of the store, so that a coordinator with a wrong clock harms nobody', async () => {
  const { frontiers } = await onRedis(1, { ...systemClock(), now: () => 1_000_000 }, {});
  const [{ history, openCrawl }] = frontiers as [RedisFrontier];
  await openCrawl({ ...settings, id: crawls[0] });
  await history.note(crawls[0], counts);
  const [sample] = await history.samples(crawls[0]);
  expect(Math.abs((sample?.atMs ?? 0) - Date.now())).toBeLessThan(60_000);
});

it('goes with a crawl that is deleted, and does not come back by a late sample or under its name', async () => {
  const { store, frontiers } = await onRedis(2, testClock(1_800_000_000_000));
  const [here, there] = frontiers as [RedisFrontier, RedisFrontier];
  const [id] = crawls;
  await here.openCrawl({ ...settings, id });
  await there.history.note(id, counts);
  const nonce = await here.openCrawl({ ...settings, id });
  await here.erase([{ id, nonce }]);
  await there.history.note(id, counts);
  const [keys] = await store.run([{ key: storeTag, args: ['EXISTS', `${storeTag}1h`] }]);
  expect(keys).toBe(0);
  await here.openCrawl({ ...settings, id });
  await there.history.note(id, counts);
  expect(await here.history.samples(id)).toEqual([]);
});

it('keeps no more than 24 samples of a level in the store', async () => {
  const clock = testClock(1_800_000_000_000);
  const { store, frontiers } = await onRedis(1, clock);
  const [frontier] = frontiers as [RedisFrontier];
  const [id] = crawls;
  await frontier.openCrawl({ ...settings, id });
  for (let slot = 0; slot < 200; slot++) {
    await frontier.history.note(id, counts);
    clock.advance(slotMs);
  }
  const [kept] = await store.run([{ key: storeTag, args: ['HVALS', `${storeTag}1h`] }]);
  const samples = (kept as string[]).map((text) => text.length / sampleLength);
  // Of the 199 slots after the first, 100 are odd, 50 can be halved once and 25 twice: three levels are full.
  expect(samples.toSorted((a, b) => b - a)).toEqual([24, 24, 24, 12, 6, 3, 2, 1, 1]);
});

it('keeps few rests in the store, and those that follow each other as one', async () => {
  const clock = testClock(1_800_000_000_000);
  const { store, frontiers } = await onRedis(1, clock);
  const [frontier] = frontiers as [RedisFrontier];
  const [id] = crawls;
  await frontier.openCrawl({ ...settings, id });
  const rest = async (slots: number) => {
    clock.advance(slots * slotMs);
    await frontier.history.note(id, counts, { restedMs: slots * slotMs });
  };
  const kept = async () => {
    const [text] = await store.run([{ key: storeTag, args: ['HGET', `${storeTag}1`, restsLevel] }]);
    return text as string;
  };
  for (let n = 0; n < 10; n++) await rest(45);
  expect(await kept()).toBe(restText(1_800_000_000_000, 1_800_000_000_000 + 450 * slotMs));
  for (let n = 0; n < 60; n++) {
    clock.advance(5 * slotMs);
    await rest(10);
  }
  expect(await kept()).toHaveLength(mostRests * restLength);
});
