import type { SavedAt } from '@webfarer/protocol';
import { describe, expect, it } from 'vitest';
import { forgetAll } from '../forgetting.ts';
import type { MovedPlace } from '../frontier.ts';
import {
  answered,
  collect,
  crawlA,
  createWorld,
  type FrontierUnderTest,
  gapMs,
  offerOf,
  outcome,
  url,
  type World,
} from './world.fixture.ts';

const gone = 'gone.test';

/** Forgets as whoever waits for requests under way does. */
async function forget(w: World, pattern = gone, moved: MovedPlace[] = []): Promise<number> {
  return await forgetAll(w.frontier, crawlA, { pattern, moved }, async (ms) => {
    w.clock.advance(ms);
    for (let more = true; more; ) ({ more } = await w.frontier.sweep());
  });
}

/** Three hosts that link to each other: done, failed, queued and leased URLs of the one that goes. */
async function linkedWorld(under: FrontierUnderTest): Promise<World> {
  const w = await createWorld(under);
  await w.openCrawl();
  await w.offer(['http://a.test/', 'http://gone.test/', 'http://www.gone.test/']);
  for (const lease of await w.lease(3)) {
    const name = lease.host;
    await w.report(lease, {
      settled: lease.entries.map((entry) =>
        outcome(entry, {
          record: { title: `the page of ${name}`, redirectTo: url('http://gone.test/next') },
          offers: [offerOf(`http://a.test/from-${name}`), offerOf(`http://gone.test/from-${name}`)],
          edges: ['http://a.test/x', 'http://gone.test/y', `http://${name}/z`].map((to) => ({
            to: url(to),
            rel: 'a',
          })),
          items: [{ of: name }],
        }),
      ),
      news: answered,
      close: true,
    });
  }
  w.clock.advance(gapMs);
  return w;
}

/** All that can be read of a crawl, as text without the names of other hosts and paths. */
async function everything({ frontier }: World): Promise<string> {
  const { results } = frontier;
  const parts: unknown[] = [await frontier.totals(crawlA), await frontier.waiting(crawlA, 100)];
  for await (const part of results.records(crawlA)) parts.push(part);
  for await (const part of results.items(crawlA)) parts.push(part);
  for await (const part of results.edges(crawlA)) parts.push(part);
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page = await frontier.urls(crawlA, { filter: {}, after, limit: 100 });
    parts.push(page.urls);
    after = page.next;
  }
  return JSON.stringify(parts).replaceAll(/from-(?:www\.)?gone\.test|notgone\.test/g, '');
}

export function forgettingRules(under: FrontierUnderTest): void {
  describe('forgetting', () => {
    it('leaves nothing that names the host, and all of the others', async () => {
      const w = await linkedWorld(under);
      const before = await w.balance();
      expect(await forget(w)).toBe(4);
      const after = await w.balance();
      expect(after.known).toBe((before.known ?? 0) - 4);
      const text = await everything(w);
      expect(text.replaceAll('www.gone.test', '')).not.toContain(gone);
      expect(text).toContain('the page of www.gone.test');
      expect((await collect(w.frontier.results.items(crawlA))).map(({ item }) => item)).toEqual(
        expect.arrayContaining([{ of: 'a.test' }, { of: 'www.gone.test' }]),
      );
      const edges = (await collect(w.frontier.results.edges(crawlA))).flatMap((page) => page.edges);
      expect((await w.frontier.totals(crawlA)).edges).toBe(edges.length);
      expect(edges).toHaveLength(4);
    });

    it('takes the hosts below with *., and only those', async () => {
      const w = await linkedWorld(under);
      await w.offer(['http://notgone.test/']);
      expect(await forget(w, `*.${gone}`)).toBe(5);
      expect(await everything(w)).not.toContain(gone);
      expect((await w.balance()).queued).toBe(4);
    });

    it('drops offers and grants nothing of the host from then on', async () => {
      const w = await linkedWorld(under);
      await forget(w);
      expect(await w.offer(['http://gone.test/', 'http://gone.test/new', 'http://a.test/new'])).toEqual([
        'forgotten',
        'forgotten',
        'accepted',
      ]);
      expect((await w.frontier.totals(crawlA)).dropped).toEqual({ forgotten: 2 });
      w.clock.advance(60_000);
      for (const lease of await w.lease(5)) {
        expect(lease.host).not.toBe(gone);
        await w.report(lease, {
          settled: lease.entries.map((entry) =>
            outcome(entry, {
              record: { redirectTo: url('http://gone.test/late') },
              offers: [offerOf('http://gone.test/late')],
              edges: [{ to: url('http://gone.test/late'), rel: 'a' }],
            }),
          ),
          news: answered,
          close: true,
        });
      }
      expect((await everything(w)).replaceAll('www.gone.test', '')).not.toContain(gone);
      expect(
        await w.frontier.leaseHost({ crawl: crawlA, worker: 'w' as never, host: gone as never }),
      ).toMatchObject({
        granted: false,
        refused: expect.any(String),
      });
    });

    it('ends leases of the host: what is reported later does not count', async () => {
      const w = await linkedWorld(under);
      w.clock.advance(60_000);
      const lease = (await w.lease(5)).find(({ host }) => host === gone);
      if (!lease) throw new Error('the host was not leased');
      await forget(w);
      const settled = lease.entries.map((entry) => outcome(entry));
      expect(await w.report(lease, { settled, close: true })).toMatchObject({ ok: false });
      expect((await everything(w)).replaceAll('www.gone.test', '')).not.toContain(gone);
      await w.balance();
    });

    it('records new places of captures that shared a body with the host', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      await w.offer(['http://b.test/']);
      const revisit = { url: url('http://gone.test/lib.js'), startedAtMs: 1, digest: 'sha1:X' };
      const saved: SavedAt[] = [{ saver: 'warc', file: 'archive/x.warc.gz', offset: 10, length: 5, revisit }];
      const lease = await w.leaseOne();
      await w.finishLease(lease, { saved });
      const to = { file: 'archive/kept.warc.gz', offset: 0, length: 50 };
      await forget(w, gone, [{ from: { file: 'archive/x.warc.gz', offset: 10 }, to, shift: 45 }]);
      const [record] = await collect(w.frontier.results.records(crawlA));
      expect(record?.saved).toEqual([{ saver: 'warc', ...to }]);
    });

    it('bars the host first and erases no record of it in that step: files are found by them', async () => {
      const w = await linkedWorld(under);
      const before = await collect(w.frontier.results.records(crawlA));
      await w.frontier.forget(crawlA, { pattern: gone, moved: [] }, '');
      const urls = (records: readonly { url: string }[]) => records.map(({ url }) => url).toSorted();
      expect(urls(await collect(w.frontier.results.records(crawlA)))).toEqual(urls(before));
      expect(await w.offer([`http://${gone}/late`])).toEqual(['forgotten']);
    });

    it('can be done again, and tells whether it is done', async () => {
      const w = await linkedWorld(under);
      // The machine was suspended: what is compared with dates of files is dated by the wall clock.
      w.clock.jump(8 * 3_600_000);
      await w.frontier.forget(crawlA, { pattern: gone, moved: [] }, '');
      const [begun] = await w.frontier.forgotten(crawlA);
      expect(begun).toEqual({ pattern: gone, sinceMs: w.clock.wall() });
      await forget(w);
      expect(await forget(w)).toBe(0);
      await w.frontier.forgot(crawlA, gone, { urls: 4, captures: 2 });
      expect(await w.frontier.forgotten(crawlA)).toEqual([
        { ...begun, done: { urls: 4, captures: 2, atMs: w.clock.wall() } },
      ]);
      await w.balance();
    });

    it('lets the crawl finish', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      await w.offer(['http://gone.test/1', 'http://gone.test/2']);
      await forget(w);
      expect(await w.balance()).toEqual({ known: 0, queued: 0, leased: 0, done: 0, failed: 0, refused: 0 });
      expect(await w.frontier.totals(crawlA)).toMatchObject({ hosts: 0, hostsQueued: 0 });
      expect(await w.frontier.finish(crawlA)).toBe(true);
    });
  });
}
