import { type CrawlId, systemClock } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import { redisForFile } from '../../../../../../test/redis/for-file.ts';
import { openStore } from '../../../redis/store.ts';
import { testClock } from '../../suite/clock.fixture.ts';
import { openSeeded, settings } from '../../suite/world.fixture.ts';
import { openRedisFrontier } from '../redis-frontier.ts';

const servers = redisForFile({ settings: { appendonly: 'no' } });
const crawl = settings.id as CrawlId;

it('knows whose folders may still have a forgotten host, until each has erased it, and nothing once the crawl is deleted', async () => {
  const { url } = await servers();
  const store = await openStore({ url, replicas: 0, clock: systemClock() });
  const frontier = await openRedisFrontier({ store, clock: testClock(), time: 'given', groups: 4 });
  const { folders } = frontier;
  const [a, b] = ['a', 'b'].map((member) => ({ member, folder: `/data/${member}`, machine: 'm' }));
  if (!a || !b) throw new Error('two folders');
  const all = async () => (await folders.holding(crawl, 'gone.test')).map(({ member }) => member).toSorted();
  try {
    await openSeeded(frontier, settings);
    for (const place of [a, b, a]) await folders.note(crawl, place);
    expect(await folders.holding(crawl, 'gone.test')).toEqual(expect.arrayContaining([a, b]));
    await folders.erased(crawl, 'a', 'gone.test');
    expect(await all()).toEqual(['b']);
    // A process that takes the crawl up again finds its folder as it left it.
    await folders.note(crawl, a);
    expect(await all()).toEqual(['b']);
    expect(await folders.holding(crawl, 'other.test')).toHaveLength(2);
    await folders.erased(crawl, 'b', 'gone.test');
    expect(await all()).toEqual([]);
    const keys = async () => {
      const found: string[] = [];
      for await (const some of store.scan('{wf}1w*')) found.push(...some);
      return found;
    };
    expect(await keys()).toEqual(['{wf}1w']);
    await frontier.erase([{ id: crawl, nonce: '' }]);
    await expect(folders.note(crawl, a)).rejects.toThrow(/no crawl|deleted/);
    expect(await keys()).toEqual([]);
  } finally {
    await frontier.close();
  }
});
