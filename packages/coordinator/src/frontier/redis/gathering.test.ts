import { type CrawlId, type Offer, systemClock, type Url } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import { redisForFile } from '../../../../../test/redis/for-file.ts';
import { openRedisFrontier } from './redis-frontier.ts';
import { openStore } from '../../redis/store.ts';

const servers = redisForFile({ settings: { appendonly: 'no' } });
const crawl = 'gathered' as CrawlId;
const pace = { gapMs: 0, leaseTtlMs: 60_000, maxFetchMs: 1000, backoffMs: 1000, deadAfter: 5 };

function offer(url: string): Offer {
  return { url: url as Url, kind: 'page', depth: 0, cost: 0, hops: 0 };
}

async function open() {
  const { url } = await servers();
  const sent: string[] = [];
  const store = await openStore({
    url,
    replicas: 0,
    clock: systemClock(),
    fault: (calls) => void sent.push(...calls.flatMap(({ script }) => (script ? [script.name] : []))),
  });
  await store.run([{ key: '{wf}', args: ['FLUSHALL'] }]);
  const frontier = await openRedisFrontier({ store, clock: systemClock(), groups: 16 });
  await frontier.openCrawl({ id: crawl, ...pace, limits: {} });
  return { frontier, offers: () => sent.filter((name) => name.startsWith('wf_offer_')).length };
}

it('sends what several callers offer to one group at once as one call, and each hears of its own', async () => {
  const { frontier, offers } = await open();
  const paths = ['/1', '/2', '/3', '/4'];
  const mine = paths.map((path) => `https://a.test${path}`);
  const before = offers();
  const verdicts = await Promise.all([
    frontier.offer(crawl, mine.slice(0, 2).map(offer)),
    frontier.offer(crawl, mine.slice(1, 4).map(offer)),
    frontier.offer(crawl, []),
    frontier.offer(crawl, [offer('https://a.test/0'), ...mine.map(offer)]),
  ]);
  expect(offers() - before).toBe(1);
  expect(verdicts).toEqual([
    ['accepted', 'accepted'],
    ['known', 'accepted', 'accepted'],
    [],
    ['accepted', 'known', 'known', 'known', 'known'],
  ]);
  await frontier.close();
});

it('keeps more offers than a call may carry in their order', async () => {
  const { frontier, offers } = await open();
  const many = Array.from({ length: 1200 }, (_, n) => offer(`https://a.test/${n}`));
  const before = offers();
  const [first, second] = await Promise.all([
    frontier.offer(crawl, many),
    frontier.offer(crawl, many.slice(0, 10)),
  ]);
  expect(offers() - before).toBe(3);
  expect(new Set(first)).toEqual(new Set(['accepted']));
  expect(new Set(second)).toEqual(new Set(['known']));
  const { leases } = await frontier.lease({ worker: 'w' as never, hosts: 1, urlsPerHost: 1200 });
  expect(leases[0]?.entries.map(({ url }) => url)).toEqual(many.map(({ url }) => url));
  await frontier.close();
});

it('tells every caller when its groups do not answer, and goes on afterwards', async () => {
  const { url } = await servers();
  let broken = false;
  const fault = () => {
    if (broken) throw new Error('cut off');
  };
  const store = await openStore({ url, replicas: 0, clock: systemClock(), fault });
  const frontier = await openRedisFrontier({ store, clock: systemClock(), groups: 16 });
  await frontier.openCrawl({ id: crawl, ...pace, limits: {} });
  broken = true;
  const both = await Promise.allSettled([
    frontier.offer(crawl, [offer('https://b.test/1')]),
    frontier.offer(crawl, [offer('https://c.test/1')]),
  ]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  broken = false;
  expect(await frontier.offer(crawl, [offer('https://b.test/1')])).toEqual(['accepted']);
  await frontier.close();
});
