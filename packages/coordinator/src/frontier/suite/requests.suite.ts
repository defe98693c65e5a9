import type { PageRequest } from '@webfarer/protocol';
import { requestUrl } from '@webfarer/protocol/url';
import { describe, expect, it } from 'vitest';
import { retryAll } from '../all-steps.ts';
import {
  answered,
  collect,
  createWorld,
  crawlA,
  failure,
  type FrontierUnderTest,
  offerOf,
  outcome,
  quiet,
  settings,
  url,
} from './world.fixture.ts';

const list = url('http://shop.test/list');
const digest = (n: number) => String(n).padStart(22, 'x');
const posts = [1, 2].map((n) => requestUrl(list, 'POST', digest(n)));
/** Everything that a store could mistake for a separator of its own. */
const data = {
  text: 'tab\t, line\n, comma,; = % "quoted" \u00e9\u20ac\ud83d\ude00',
  list: [null, true, 1.5, -1e21],
};
const request: PageRequest = {
  method: 'POST',
  type: 'application/json',
  body: '{"page":1,"q":"a,b;c=d\\n"}',
  headers: { 'X-Own': 'a, b; c' },
  data,
};

/** Requests that are more than a GET of their URL. */
export function requestRules(under: FrontierUnderTest): void {
  describe('requests', () => {
    it('keeps them apart from the page of their URL, and from each other', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      const [first = list, second = list] = posts;
      expect(await w.offer([list])).toEqual(['accepted']);
      expect(await w.offer([first, second], { request })).toEqual(['accepted', 'accepted']);
      expect(await w.offer([second, list, first], { request })).toEqual(['known', 'known', 'known']);
      const lease = await w.leaseOne();
      expect(lease.entries.map((entry) => entry.url)).toEqual([list, first, second]);
      expect(lease.entries.map((entry) => entry.request)).toEqual([undefined, request, request]);
      await w.finishLease(lease);
      const records = await collect(w.frontier.results.records(crawlA));
      expect(records.map((record) => record.request)).toEqual([undefined, request, request]);
      await w.frontier.close();
    });

    it('hands out all of it again after a retry, an expiry, a release and a retry of outcomes', async () => {
      const w = await createWorld(under);
      await w.openCrawl({ upgrades: true });
      const [post = list] = posts;
      await w.offer([post], { request, label: 'a,=;b', band: 3, cost: 2 });
      const asked = { url: post, request, label: 'a,=;b', band: 3, cost: 2 };
      const first = await w.leaseOne();
      expect(first.entries).toMatchObject([asked]);
      await w.report(first, {
        settled: [{ kind: 'retry', url: post, reason: 'timeout' }],
        news: answered,
        close: true,
      });
      w.clock.advance(5_000);
      expect((await w.leaseOne()).entries).toMatchObject([{ ...asked, attempt: 1 }]);
      w.clock.advance(settings.leaseTtlMs + settings.maxFetchMs + settings.gapMs + 1);
      const third = await w.leaseOne();
      expect(third.entries).toMatchObject([asked]);
      await w.report(third, { news: quiet, close: true });
      w.clock.advance(5_000);
      const fourth = await w.leaseOne();
      await w.report(fourth, { settled: [failure(fourth.entries[0]!)], news: answered, close: true });
      const [record] = await collect(w.frontier.results.records(crawlA));
      expect(record).toMatchObject({ url: post, request, label: 'a,=;b' });
      expect(await retryAll(w.frontier, crawlA, { verdict: 'failed' })).toBe(1);
      w.clock.advance(5_000);
      expect((await w.leaseOne()).entries).toMatchObject([{ ...asked, attempt: 0 }]);
      await w.frontier.close();
    });

    it('brings data to other hosts, from seeds and from pages', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      await w.offer(['http://a.test/'], { request: { data: 'seed' } });
      const lease = await w.leaseOne();
      const names = ['b', 'c', 'd', 'e', 'f', 'g', 'h'];
      const offers = names.map((name) => offerOf(`http://${name}.test/`, { request: { data: name } }));
      await w.report(lease, {
        settled: [outcome(lease.entries[0]!, { offers })],
        news: answered,
        close: true,
      });
      const leases = await w.lease();
      const found = new Map(leases.map(({ host, entries }) => [String(host), entries[0]?.request?.data]));
      expect(found).toEqual(new Map(names.map((name) => [`${name}.test`, name])));
      await w.frontier.close();
    });

    it('upgrades a URL that was known without data, once', async () => {
      const w = await createWorld(under);
      await w.openCrawl({ upgrades: true });
      await w.offer([list]);
      await w.finishLease(await w.leaseOne());
      await w.offer([list], { request: { data: 1 } });
      await w.offer([list], { request: { data: 2 } });
      w.clock.advance(5_000);
      const lease = await w.leaseOne();
      expect(lease.entries).toMatchObject([{ url: list, request: { data: 1 } }]);
      await w.finishLease(lease);
      await w.offer([list], { label: 'late', request: { data: 3 } });
      expect(await w.balance()).toMatchObject({ known: 1, queued: 0, done: 1 });
      expect(await w.frontier.look(crawlA, list)).toMatchObject({ record: { request: { data: 1 } } });
      await w.frontier.close();
    });
  });
}
