import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Url } from '@webfarer/protocol';
import { resolveJob } from '@webfarer/protocol/job';
import { afterEach, expect, test } from 'vitest';
import { testClock } from '../suite/clock.fixture.ts';
import { previousCrawl } from '../../folder/previous-crawl.ts';
import { collect, crawlA, createWorld, outcome } from '../suite/world.fixture.ts';
import { openSqliteFrontier } from './sqlite-frontier.ts';

const folder = mkdtempSync(join(tmpdir(), 'webfarer-snapshot-'));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('a snapshot answers as of its opening, whatever is written meanwhile', async () => {
  const path = join(folder, 'crawl.db');
  const world = await createWorld({
    name: 'file',
    open: async (clock) => openSqliteFrontier({ path, clock, sizes: { seen: { table: 4, tail: 1 } } }),
  });
  await world.openCrawl({ gapMs: 0 });
  await world.offer(['http://a.test/1', 'http://a.test/2', 'http://a.test/3']);
  const lease = await world.leaseOne();
  const [one, two, three] = lease.entries;
  const edges = [
    { to: 'http://a.test/2' as Url, rel: 'a' },
    { to: 'http://b.test/' as Url, rel: 'a' },
  ];
  const saved = [{ saver: 'warc', file: 'warc/a.warc.gz' }];
  const record = { etag: '"1"', digest: 'sha1:A', startedAtMs: 7, saved };
  await world.report(lease, { settled: [outcome(one!, { record, edges })] });
  await world.report(lease, { settled: [outcome(three!, { record: { reason: 'http-4xx', status: 404 } })] });

  const then = openSqliteFrontier({ path, clock: testClock(), readOnly: true, snapshot: true });
  const live = openSqliteFrontier({ path, clock: testClock(), readOnly: true });
  await world.report(lease, { settled: [outcome(two!)], close: true });
  await world.offer(Array.from({ length: 50 }, (_, n) => `http://b.test/${n}`));
  expect(await then.balance(crawlA)).toMatchObject({ known: 3, done: 2 });
  expect(await live.balance(crawlA)).toMatchObject({ known: 53, done: 3 });
  expect(await collect(then.results.records(crawlA))).toHaveLength(2);
  expect(await then.look(crawlA, 'http://b.test/7' as Url)).toBeUndefined();

  const job = resolveJob({ seeds: ['http://a.test/'] });
  const previous = previousCrawl(then, crawlA, { isWhole: true, hasSameItems: true, keepsSame: true, job });
  expect(await previous.before(one!)).toEqual({
    content: true,
    etag: '"1"',
    digest: 'sha1:A',
    capturedAtMs: 7,
  });
  for (const entry of [two!, three!]) expect(await previous.before(entry)).toEqual({ content: false });
  expect((await previous.page(one!.url, false))?.links).toEqual(edges);
  expect((await previous.page(one!.url, true))?.links).toEqual([
    { ...edges[0], queuedAs: { kind: 'page', depth: 0 } },
    edges[1],
  ]);
  expect(await previous.page(three!.url, true)).toBeUndefined();
  await Promise.all([then.close(), live.close(), world.frontier.close()]);
});
