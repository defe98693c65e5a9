import { describe, expect, it } from 'vitest';
import {
  answered,
  collect,
  createWorld,
  crawlA,
  type FrontierUnderTest,
  offerOf,
  outcome,
  url,
  type World,
} from './world.fixture.ts';

const product = 'http://shop.test/p/1';
const asProduct = { label: 'product', depth: 2 };

/** The URL that each test is about is known without a label, and then asked for with one. */
async function withProduct(under: FrontierUnderTest): Promise<World> {
  const w = await createWorld(under);
  await w.openCrawl({ upgrades: true });
  await w.offer([product], { depth: 1 });
  return w;
}

/** An offer that asks for more than the one before, whatever state its URL is in. */
export function upgradeRules(under: FrontierUnderTest): void {
  describe('upgrades', () => {
    it('gives a queued URL the label that a later offer has', async () => {
      const w = await withProduct(under);
      expect(await w.offer([product], asProduct)).toEqual(['known']);
      expect(await w.frontier.look(crawlA, url(product))).toMatchObject({ entry: asProduct });
      const lease = await w.leaseOne();
      expect(lease.entries).toMatchObject([{ url: product, attempt: 0, ...asProduct }]);
      await w.finishLease(lease);
      const [record] = await collect(w.frontier.results.records(crawlA));
      expect(record).toMatchObject({ url: product, ...asProduct });
      expect(await w.balance()).toMatchObject({ known: 1, done: 1 });
      await w.frontier.close();
    });

    it('keeps the first label', async () => {
      const w = await withProduct(under);
      await w.offer([product], asProduct);
      await w.offer([product], { label: 'other' });
      await w.offer([product]);
      const lease = await w.leaseOne();
      expect(lease.entries).toMatchObject([asProduct]);
      await w.finishLease(lease);
      await w.offer([product], { label: 'other' });
      expect(await w.balance()).toMatchObject({ known: 1, queued: 0, done: 1 });
      await w.frontier.close();
    });

    it('queues a done page again behind what the same offer names before it', async () => {
      const w = await withProduct(under);
      await w.finishLease(await w.leaseOne());
      await w.offer([`${product}0`, product], asProduct);
      expect(await w.frontier.look(crawlA, url(`${product}0`))).toMatchObject({ ahead: 0 });
      expect(await w.frontier.look(crawlA, url(product))).toMatchObject({ state: 'queued', ahead: 1 });
      await w.frontier.close();
    });

    it('visits a page that is done once more, and only that visit is recorded', async () => {
      const w = await withProduct(under);
      const first = await w.leaseOne();
      const edges = [{ to: url('http://shop.test/'), rel: 'a' }];
      const settled = [outcome(first.entries[0]!, { items: ['plain'], edges })];
      await w.report(first, { settled, news: answered, close: true });
      expect(await w.frontier.finish(crawlA)).toBe(true);
      await w.offer([product], asProduct);
      expect(await w.balance()).toMatchObject({ known: 1, queued: 1, done: 0 });
      expect(await w.frontier.totals(crawlA)).toMatchObject({
        state: 'running',
        items: 0,
        edges: 0,
        bytes: 0,
      });
      w.clock.advance(5_000);
      const second = await w.leaseOne();
      expect(second.entries).toMatchObject([asProduct]);
      const again = [outcome(second.entries[0]!, { items: ['labelled'] })];
      await w.report(second, { settled: again, news: answered, close: true });
      await w.offer([product], asProduct);
      expect(await collect(w.frontier.results.records(crawlA))).toMatchObject([asProduct]);
      expect(await collect(w.frontier.results.items(crawlA))).toEqual([{ url: product, item: 'labelled' }]);
      expect(await w.balance()).toMatchObject({ known: 1, queued: 0, done: 1 });
      await w.frontier.close();
    });

    it('visits a page once more when the label comes while it is leased', async () => {
      const w = await withProduct(under);
      const first = await w.leaseOne();
      await w.offer([product], asProduct);
      const offers = [offerOf('http://shop.test/more')];
      const settled = [outcome(first.entries[0]!, { items: ['plain'], offers, dropped: { scope: 2 } })];
      await w.report(first, { settled, news: answered, close: true });
      expect(await w.balance()).toMatchObject({ known: 2, queued: 2, done: 0 });
      expect(await w.frontier.totals(crawlA)).toMatchObject({ items: 0, dropped: { scope: 2 } });
      w.clock.advance(5_000);
      const second = await w.leaseOne();
      expect(second.entries).toMatchObject([
        { url: product, ...asProduct },
        { url: 'http://shop.test/more' },
      ]);
      await w.finishLease(second);
      expect(await w.balance()).toMatchObject({ known: 2, queued: 0, done: 2 });
      await w.frontier.close();
    });

    it('hands out the label when a lease goes back unvisited, and visits it once', async () => {
      const w = await withProduct(under);
      const first = await w.leaseOne();
      await w.offer([product], asProduct);
      await w.report(first, { close: true });
      w.clock.advance(5_000);
      const second = await w.leaseOne();
      expect(second.entries).toMatchObject([asProduct]);
      await w.finishLease(second);
      expect(await w.balance()).toMatchObject({ known: 1, queued: 0, done: 1 });
      await w.frontier.close();
    });

    it('makes a page of what was only a requisite', async () => {
      const w = await createWorld(under);
      await w.openCrawl({ upgrades: true });
      const image = 'http://shop.test/logo.png';
      await w.offer([image], { kind: 'requisite' });
      await w.finishLease(await w.leaseOne());
      await w.offer([image]);
      w.clock.advance(5_000);
      const lease = await w.leaseOne();
      expect(lease.entries).toMatchObject([{ url: image, kind: 'page' }]);
      await w.finishLease(lease);
      await w.offer([image], { kind: 'requisite' });
      expect(await w.balance()).toMatchObject({ known: 1, queued: 0, done: 1 });
      await w.frontier.close();
    });

    it('leaves known URLs alone in a crawl without upgrades', async () => {
      const w = await createWorld(under);
      await w.openCrawl();
      await w.offer([product]);
      await w.offer([product], asProduct);
      const lease = await w.leaseOne();
      expect(lease.entries[0]?.label).toBeUndefined();
      await w.finishLease(lease);
      await w.offer([product], asProduct);
      expect(await w.balance()).toMatchObject({ known: 1, queued: 0, done: 1 });
      await w.frontier.close();
    });
  });
}
