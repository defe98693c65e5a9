import { type CrawlId, type CrawlState, type LeaseId, type LeaseRef } from '@webfarer/protocol';
import { frameBounds, type LinkCrawl, type Order } from '@webfarer/protocol/link';
import { expect, it } from 'vitest';
import { testClock } from '../../frontier/suite/clock.fixture.ts';
import { REST_MS, tellCrawls } from './told-crawls.ts';

const [a, b, c] = ['a', 'b', 'c'] as CrawlId[] as [CrawlId, CrawlId, CrawlId];

/** A coordinator with these crawls, and one worker of it; undefined: it is told of all. */
function worldOf(ids: readonly CrawlId[], asLeased: readonly CrawlId[] | undefined) {
  const clock = testClock(1_000_000);
  const crawls = new Map<CrawlId, LinkCrawl>();
  const held = new Map<LeaseId, { ref: LeaseRef | undefined }>();
  const set = (id: CrawlId, state: CrawlState = 'running', revision = 'r1') =>
    void crawls.set(id, { id, nonce: `n-${id}`, revision, state, urlsPerHost: 1 } as LinkCrawl);
  for (const id of ids) set(id);
  const source = {
    crawls: () => [...crawls.values()],
    crawl: (id: CrawlId) => crawls.get(id),
    isOver: () => crawls.size > 0 && [...crawls.values()].every(({ state }) => state === 'finished'),
  };
  const told = tellCrawls({ crawls: source, clock, asLeased, held });
  const lease = (...of: CrawlId[]) => shortly(told.beforeLeases(of.map((crawl) => ({ crawl }))));
  return {
    clock,
    told,
    set,
    end: (id: CrawlId) => void crawls.delete(id),
    lease,
    changed: (id: CrawlId) => shortly(told.changed(id)),
    hold: (id: CrawlId) => void held.set('l' as LeaseId, { ref: { crawl: id } as LeaseRef }),
  };
}

function shortly(order: Order | undefined) {
  if (order === undefined) return undefined;
  if (order.type === 'crawls') return { all: order.crawls.map(({ id }) => id) };
  if (order.type !== 'crawl-news') throw new Error(order.type);
  const { crawls, gone, resting, over } = order;
  return { crawls: crawls.map(({ id, state }) => `${id} ${state}`), gone, resting, over };
}

it('tells of a crawl before the first lease of it, once, and then of its changes', () => {
  const { told, lease, changed, set } = worldOf([a, b, c], []);
  expect(told.welcome()).toEqual({ crawls: [], over: false });
  expect(lease(a, a, b)).toEqual({ crawls: ['a running', 'b running'], gone: [], resting: [], over: false });
  expect(lease(a, b)).toBeUndefined();
  set(a, 'paused');
  set(c, 'paused');
  expect(changed(a)).toEqual({ crawls: ['a paused'], gone: [], resting: [], over: false });
  expect(changed(a)).toBeUndefined();
  // It has nothing to do with that one.
  expect(changed(c)).toBeUndefined();
  set(b, 'running', 'r2');
  expect(lease(b)).toEqual({ crawls: ['b running'], gone: [], resting: [], over: false });
});

it('tells a worker that comes back of the crawls that it knew, as they are now', () => {
  const { told, set, end, lease } = worldOf([a, b, c], [a, b]);
  set(a, 'paused');
  end(b);
  expect(told.welcome()).toMatchObject({ crawls: [{ id: a, state: 'paused' }], over: false });
  expect(lease(a)).toBeUndefined();
  expect(lease(c)).toMatchObject({ crawls: ['c running'] });
});

it('says when every crawl is over, also those that the worker does not know', () => {
  const { told, lease, changed, set, end } = worldOf([a, b], []);
  told.welcome();
  lease(a);
  set(a, 'finished');
  expect(changed(a)).toEqual({ crawls: ['a finished'], gone: [], resting: [], over: false });
  set(b, 'finished');
  expect(changed(b)).toEqual({ crawls: [], gone: [], resting: [], over: true });
  // The coordinator remembers the latest that ended only.
  end(a);
  expect(changed(b)).toEqual({ crawls: [], gone: [a], resting: [], over: true });
  set(c);
  expect(changed(c)).toEqual({ crawls: [], gone: [], resting: [], over: false });
});

it('has a crawl closed of which there were no leases for long, and tells of it again before the next', () => {
  const { told, lease, changed, set, end, hold, clock } = worldOf([a, b, c], []);
  told.welcome();
  lease(a, b, c);
  hold(b);
  clock.advance(REST_MS - 1);
  expect(lease(c)).toBeUndefined();
  clock.advance(REST_MS / 2);
  expect(lease()).toEqual({ crawls: [], gone: [], resting: [a], over: false });
  expect(lease()).toBeUndefined();
  // Nothing has to be done about its changes.
  set(a, 'paused');
  expect(changed(a)).toBeUndefined();
  set(a, 'running');
  expect(lease(a)).toMatchObject({ crawls: ['a running'] });
  clock.advance(2 * REST_MS);
  expect(lease()).toMatchObject({ resting: [a, c] });
  // What is kept of it can go.
  set(a, 'finished');
  expect(changed(a)).toMatchObject({ crawls: ['a finished'] });
  end(c);
  expect(changed(c)).toMatchObject({ gone: [c] });
});

it('tells a worker of an earlier version of all, as many as a frame takes, and leases it no others', () => {
  const many = Array.from({ length: frameBounds.crawls + 2 }, (_, n) => `c${n}` as CrawlId);
  const { told, lease, changed } = worldOf(many, undefined);
  const first = many.slice(0, frameBounds.crawls);
  expect(told.welcome().crawls.map(({ id }) => id)).toEqual(first);
  expect(told.welcome()).not.toHaveProperty('over');
  expect(lease(many[0] as CrawlId)).toBeUndefined();
  expect(changed(many[0] as CrawlId)).toEqual({ all: first });
  expect(told.untold()).toEqual(many.slice(-2));
});

it('has as many crawls closed at once as a frame takes, and the others later', () => {
  const many = Array.from({ length: frameBounds.crawls + 2 }, (_, n) => `c${n}` as CrawlId);
  const { told, lease, clock } = worldOf(many, []);
  told.welcome();
  lease(...many);
  clock.advance(REST_MS);
  const first = lease();
  clock.advance(60_000);
  const [now, later] = [first, lease()].map((news) => (news && 'resting' in news ? news.resting.length : 0));
  expect([now, later]).toEqual([frameBounds.crawls, 2]);
});
