import { openSqliteFrontier } from '@webfarer/coordinator';
import {
  type CrawlId,
  type Edge,
  type HostKey,
  type LeaseReport,
  type Offer,
  type PageRecord,
  type Settlement,
  type Url,
  type WorkerId,
  systemClock,
} from '@webfarer/protocol';
import { expect, test } from 'vitest';
import { packReports, unpackReports } from './report-pack.ts';

const crawl = 'c' as CrawlId;
const url = (text: string) => text as Url;

function offer(text: string, changes: Partial<Offer> = {}): Offer {
  return { url: url(text), kind: 'page', depth: 1, cost: 0, hops: 0, ...changes };
}

function outcome(text: string, changes: Partial<Extract<Settlement, { kind: 'outcome' }>> = {}): Settlement {
  const record: PageRecord = {
    url: url(text),
    verdict: 'done',
    reason: 'ok',
    kind: 'page',
    depth: 0,
    attempts: 1,
    status: 200,
    bytes: 10,
    startedAtMs: 5,
    durationMs: 7,
    title: 'Grüße "aus" \u2028 der Ferne',
    links: 0,
    items: 0,
  };
  return {
    kind: 'outcome',
    url: record.url,
    record,
    offers: [],
    edges: [],
    items: [],
    dropped: {},
    ...changes,
  };
}

function report(host: string, settled: Settlement[], changes: Partial<LeaseReport> = {}): LeaseReport {
  const ref = { id: 'l1', crawl, host: host as HostKey, fence: 1 } as LeaseReport;
  return {
    ...ref,
    settled,
    news: { endedAgoMs: 1, gapMs: 2, why: 'gap', health: 'ok' },
    close: true,
    ...changes,
  };
}

test('reports arrive as they were, links in the form the store keeps', () => {
  const edges: Edge[] = [{ to: url('http://a.test/x'), rel: 'a', text: 'é' }];
  const offers = [
    offer('http://a.test/1'),
    offer('http://a.test/2'),
    offer('http://b.test/3', { kind: 'requisite' }),
    offer('http://a.test/4', { label: 'shop' }),
    offer('http://a.test/5', { label: 'shop', depth: 2 }),
    offer('http://a.test/6'),
  ];
  const items = [{ name: 'x' }, undefined, [1, null]];
  const retry: Settlement = { kind: 'retry', url: url('http://a.test/r'), reason: 'timeout', detail: 'late' };
  const sent = [
    report('a.test', [outcome('http://a.test/', { offers, edges, items, dropped: { scope: 2 } }), retry], {
      robots: [{ origin: 'http://a.test', fetchedAtMs: 1, state: 'rules', body: 'Disallow: /\n' }],
      offers: [offer('http://a.test/sitemap.xml', { kind: 'sitemap' })],
    }),
    report('b.test', [outcome('http://b.test/')], { close: false }),
  ];
  const got = unpackReports(packReports(sent));
  const first = got[0]?.settled[0] as Extract<Settlement, { kind: 'outcome' }>;
  expect(first.edges).toMatchObject({ length: 1 });
  expect('packed' in first.edges).toBe(true);
  expect({ ...first, edges }).toEqual({
    ...(sent[0]?.settled[0] as object),
    items: [{ name: 'x' }, null, [1, null]],
  });
  expect(got[0]?.settled[1]).toEqual(retry);
  expect({ ...got[0], settled: [] }).toEqual({ ...sent[0], settled: [] });
  expect(got[1]).toEqual(sent[1]);
  expect(unpackReports(packReports([]))).toEqual([]);
});

test('what was packed in one process is what the store of another one gives back', async () => {
  const frontier = openSqliteFrontier({ path: ':memory:', clock: systemClock() });
  const settings = { gapMs: 0, leaseTtlMs: 60_000, maxFetchMs: 0, backoffMs: 1, deadAfter: 3, limits: {} };
  await frontier.openCrawl({ id: crawl, ...settings });
  await frontier.offer(crawl, [offer('http://a.test/1'), offer('http://a.test/2')]);
  const { leases } = await frontier.lease({ worker: 'w' as WorkerId, hosts: 1, urlsPerHost: 9 });
  const lease = leases[0];
  if (!lease) throw new Error('no lease');
  const many: Edge[] = Array.from({ length: 300 }, (_, n) => ({ to: url(`http://b.test/${n}`), rel: 'a' }));
  const few: Edge[] = [{ to: url('http://a.test/2'), rel: 'a', nofollow: true, text: 'next' }];
  const { id, host, fence } = lease;
  const settled = [outcome('http://a.test/1', { edges: many }), outcome('http://a.test/2', { edges: few })];
  const sent = report('a.test', settled, { id, host, fence });
  expect(await frontier.report(unpackReports(packReports([sent])))).toEqual([
    { ok: true, accepted: 0, known: 0 },
  ]);
  expect(await frontier.results.edgesOf(crawl, url('http://a.test/1'))).toEqual(many);
  expect(await frontier.results.edgesOf(crawl, url('http://a.test/2'))).toEqual(few);
  await frontier.close();
});
