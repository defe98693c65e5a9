import { type CrawlId, systemClock } from '@webfarer/protocol';
import { afterEach, expect, it } from 'vitest';
import { redisForFile } from '../../../../../test/redis/for-file.ts';
import { settings } from '../suite/world.fixture.ts';
import { emptyStore } from './compared.fixture.ts';
import { openRedisFrontier } from './redis-frontier.ts';
import { type SeedHolds, seedHolds } from './seed-holds.ts';
import { openStore } from '../../redis/store.ts';

const servers = redisForFile({ settings: { appendonly: 'no' } });
const clock = systemClock();
const crawl = 'a' as CrawlId;
/** Long enough for a machine that is busy with other things in between. */
const times = { holdMs: 1_500, beatMs: 100 };
const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

/** A crawl of which nothing is left, and processes that offer seeds of it; its number is that of the only one. */
async function emptyCrawl() {
  const { url } = await servers();
  const store = await openStore({ url, replicas: 0, clock });
  await emptyStore(store);
  const frontier = await openRedisFrontier({ store, clock, groups: 4 });
  ends.push(() => frontier.close());
  await frontier.openCrawl({ ...settings, id: crawl });
  const seeder = (life: string): SeedHolds => {
    const holds = seedHolds(store, { clock, life, times });
    ends.push(() => holds.close());
    return holds;
  };
  return { frontier, seeder };
}

const pause = (ms: number) => clock.sleep(ms);

it('holds a crawl open for as long as somebody goes on with its seeds', async () => {
  const { frontier, seeder } = await emptyCrawl();
  const [one, other] = [seeder('one'), seeder('other')];
  await one.change('1', 1);
  await other.change('1', 1);
  await pause(1.5 * times.holdMs);
  expect(await frontier.finish(crawl)).toBe(false);
  await one.change('1', -1);
  expect(await frontier.finish(crawl)).toBe(false);
  await other.change('1', -1);
  expect(await frontier.finish(crawl)).toBe(true);
});

it('waits only for a moment for the seeds of a process that died', async () => {
  const { frontier, seeder } = await emptyCrawl();
  const dead = seeder('dead');
  await dead.change('1', 1);
  dead.close();
  expect(await frontier.finish(crawl)).toBe(false);
  await expect.poll(() => frontier.finish(crawl), { timeout: 10_000 }).toBe(true);
});
