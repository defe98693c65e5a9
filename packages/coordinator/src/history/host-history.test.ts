import type { HostKey } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import type { RedisFrontier } from '../frontier/redis/redis-frontier.ts';
import { testClock } from '../frontier/suite/clock.fixture.ts';
import { settings } from '../frontier/suite/world.fixture.ts';
import { storeTag } from '../redis/keys.ts';
import { crawls, historiesForFile } from './histories.fixture.ts';
import { hostHistorySuite } from './host-history.suite.ts';
import { type FollowedHost, mostFollowed } from './host-samples.ts';
import { nextRoster } from './next-roster.ts';

const { onRedis, worlds } = historiesForFile();

for (const world of worlds(({ hostHistory }) => hostHistory)) hostHistorySuite(world);

it('goes with a crawl that is deleted, and does not come back by a late sample or under its name', async () => {
  const { store, frontiers } = await onRedis(2, testClock(1_800_000_000_000));
  const [here, there] = frontiers as [RedisFrontier, RedisFrontier];
  const [id] = crawls;
  const hosts: FollowedHost[] = [{ host: 'a.test' as HostKey, from: 0, whole: true, pages: 1, rate: 1 }];
  const nonce = await here.openCrawl({ ...settings, id });
  const seen = (await there.hostHistory.look(id))!;
  await there.hostHistory.note(id, { seen, hosts, places: '000010' });
  expect((await here.hostHistory.activity(id)).hosts).toHaveLength(1);
  await here.erase([{ id, nonce }]);
  await there.hostHistory.note(id, { seen, hosts, places: '000010' });
  const [keys] = await store.run([{ key: storeTag, args: ['EXISTS', `${storeTag}1b`] }]);
  expect(keys).toBe(0);
  await here.openCrawl({ ...settings, id });
  await there.hostHistory.note(id, { seen, hosts, places: '000010' });
  expect((await here.hostHistory.activity(id)).hosts).toEqual([]);
});

it('follows the busiest hosts: one must be twice as busy to take the place of another', () => {
  const host = (n: number) => `h${n}.test` as HostKey;
  const full = Array.from(
    { length: mostFollowed },
    (_, n): FollowedHost => ({ host: host(n), from: 1, whole: true, pages: 100, rate: 10 + n }),
  );
  const sums = new Map(full.map((each) => [each.host as HostKey, { pages: 100 + Math.round(each.rate) }]));
  const joining = ['busy.test', 'calm.test', 'gone.test'] as HostKey[];
  for (const each of joining.slice(0, 2)) sums.set(each, { pages: 500 });
  const candidates = joining.map((each, n) => ({ host: each, fresh: 500, rate: [25, 20, 99][n] ?? 0 }));
  const next = nextRoster(full, { slot: 9, candidates, sums });
  expect(next).toHaveLength(mostFollowed);
  expect(next[0]).toEqual({ host: 'busy.test', from: 9, whole: true, pages: 500, rate: 25 });
  expect(next.slice(1).map((each) => each.host)).toEqual(full.slice(1).map((each) => each.host));
});
