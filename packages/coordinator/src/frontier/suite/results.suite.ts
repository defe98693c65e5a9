import type { PageRecord } from '@webfarer/protocol';
import { packEdges } from '@webfarer/protocol/link';
import { describe, expect, it } from 'vitest';
import {
  answered,
  collect,
  createWorld,
  crawlA,
  type FrontierUnderTest,
  host,
  offerOf,
  outcome,
  recordOf,
  url,
} from './world.fixture.ts';

const full: Partial<PageRecord> = {
  detail: 'a "quoted" detail',
  label: 'shop',
  status: 301,
  reason: 'redirect',
  mime: 'text/html',
  mimeDetected: 'application/pdf',
  charset: 'utf-8',
  language: 'de-at',
  server: 'nginx',
  tls: 'TLSv1.3',
  redirectTo: url('http://b.test/'),
  bytes: 12_345,
  truncated: 'length',
  startedAtMs: 1_700_000_000_123.5,
  durationMs: 12.25,
  firstByteMs: 3,
  fetched: { by: 'w1', waitedMs: 20, dnsMs: 1, connectMs: 0, tlsMs: 2 },
  tries: [{ atMs: 5, tookMs: 3, reason: 'http-5xx', detail: '503', by: 'v:w2' }],
  ip: '127.0.0.1',
  digest: 'sha1:ABC',
  title: 'Café ☕',
  etag: '"x"',
  lastModified: 'yesterday',
  signals: ['noindex'],
  looksEmpty: true,
  saved: [{ saver: 'warc', file: 'archive/1.warc.gz', offset: 10, length: 20 }],
  links: 2,
  items: 2,
};

/** What was recorded can be read back, with what the pages yielded. */
export function resultRules(under: FrontierUnderTest): void {
  describe('results', () => {
    it('gives records back as reported, in the order they were settled', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      await w.offer(['http://a.test/1', 'http://a.test/2'], { label: 'shop', depth: 2, kind: 'requisite' });
      const lease = await w.leaseOne();
      const [one, two] = lease.entries;
      await w.report(lease, { settled: [outcome(two!, { record: full })] });
      await w.report(lease, { settled: [outcome(one!)], news: answered, close: true });
      const { records } = w.frontier.results;
      expect(await collect(records(crawlA))).toEqual([recordOf(two!, full), recordOf(one!)]);
      const urls = async (filter: object) =>
        (await collect(records(crawlA, filter))).map((record) => record.url);
      expect(await urls({ status: '3xx' })).toEqual(['http://a.test/2']);
      expect(await urls({ status: '200' })).toEqual(['http://a.test/1']);
      expect(await urls({ reason: 'ok', verdict: 'done', host: host('a.test') })).toEqual([
        'http://a.test/1',
      ]);
      expect(await urls({ host: host('b.test') })).toEqual([]);
      expect(await urls({ status: 'nonsense' })).toEqual([]);
      expect(await w.frontier.totals(crawlA)).toMatchObject({
        bytes: 12_445,
        byStatus: { '200': 1, '301': 1 },
        byReason: { ok: 1, redirect: 1 },
      });
      await w.frontier.close();
    });

    it('keeps links and items with their page', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      await w.offerInTurn(['http://a.test/1', 'https://b.test/2']);
      const [a, b] = await w.lease();
      const edges = [
        { to: url('http://a.test/x'), rel: 'a', text: 'Grüße' },
        { to: url('http://a.test:80x/'), rel: 'img', nofollow: true },
        { to: url('https://b.test/2'), rel: 'link:canonical', nofollow: true, text: '' },
      ];
      const many = Array.from({ length: 300 }, (_, n) => ({ to: url(`https://b.test/page/${n}`), rel: 'a' }));
      const items = [{ name: 'x', price: 1.5 }, null, 'text', [1, { deep: true }]];
      await w.report(a!, {
        settled: [outcome(a!.entries[0]!, { edges, items, dropped: { scope: 3, depth: 1 } })],
        close: true,
      });
      w.clock.advance(1);
      await w.report(b!, {
        // Packed by the worker already: the store keeps the same.
        settled: [
          outcome(b!.entries[0]!, {
            edges: { length: many.length, packed: packEdges(b!.entries[0]!.url, many) },
            dropped: { scope: 2 },
          }),
        ],
        close: true,
      });
      const { results } = w.frontier;
      expect(await collect(results.edges(crawlA))).toMatchObject([
        { from: 'http://a.test/1', edges },
        { from: 'https://b.test/2', edges: many },
      ]);
      expect(await results.edgesOf(crawlA, url('http://a.test/1'))).toEqual(edges);
      expect(await results.edgesOf(crawlA, url('https://b.test/2'))).toEqual(many);
      expect(await results.edgesOf(crawlA, url('http://nobody.test/'))).toEqual([]);
      expect(await results.itemsOf(crawlA, url('http://a.test/1'))).toEqual(items);
      expect(await results.itemsOf(crawlA, url('https://b.test/2'))).toEqual([]);
      expect(await results.itemsOf(crawlA, url('http://nobody.test/'))).toEqual([]);
      expect(await collect(results.items(crawlA))).toEqual(
        items.map((item) => ({ url: 'http://a.test/1', item })),
      );
      const asked = ['https://b.test/2', 'https://b.test/page/7', 'http://nobody.test/'].map(url);
      expect([...(await results.linksTo(crawlA, new Set(asked), 5))]).toEqual([
        ['https://b.test/2', ['http://a.test/1']],
        ['https://b.test/page/7', ['https://b.test/2']],
      ]);
      expect(await w.frontier.totals(crawlA)).toMatchObject({
        items: 4,
        edges: 303,
        dropped: { scope: 5, depth: 1 },
      });
      await w.frontier.close();
    });

    it('reads more than one page of everything, while the crawl goes on', async () => {
      const w = await createWorld(under);
      await w.openCrawl({ gapMs: 0 });
      await w.offer(Array.from({ length: 1300 }, (_, n) => `http://a.test/${n}`));
      const lease = await w.leaseOne(1300);
      await w.report(lease, {
        settled: lease.entries.map((entry) =>
          outcome(entry, { items: [entry.url, 2], edges: [{ to: entry.url, rel: 'a' }] }),
        ),
        news: { ...answered, gapMs: 0 },
        close: true,
      });
      const seen: string[] = [];
      for await (const record of w.frontier.results.records(crawlA)) {
        if (seen.push(record.url) === 5) await w.frontier.offer(crawlA, [offerOf('http://b.test/')]);
      }
      expect(new Set(seen).size).toBe(1300);
      expect(await collect(w.frontier.results.items(crawlA))).toHaveLength(2600);
      expect(await collect(w.frontier.results.edges(crawlA))).toHaveLength(1300);
      await w.frontier.close();
    });
  });
}
