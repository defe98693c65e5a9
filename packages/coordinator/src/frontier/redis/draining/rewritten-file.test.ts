import { type CrawlId, systemClock } from '@webfarer/protocol';
import { afterAll, expect, it } from 'vitest';
import { redisForFile } from '../../../../../../test/redis/for-file.ts';
import { forgetAll } from '../../forgetting.ts';
import { openRedisFrontier } from '../redis-frontier.ts';
import { testClock } from '../../suite/clock.fixture.ts';
import { answered, offerOf, openSeeded, outcome, settings, worker } from '../../suite/world.fixture.ts';
import { openStore } from '../../../redis/store.ts';
import type { Results, ResultsCursor, ResultsPage } from '../../../results/results.ts';
import { drainedTo } from './drained.fixture.ts';

const servers = redisForFile({ settings: { appendonly: 'no' } });
const drained = drainedTo();
afterAll(() => drained.remove());
const crawl = settings.id as CrawlId;
const each = 150;

/** Two hosts by turns in one file of several blocks, and two processes that read it, of which one deletes a host. */
async function rewritten() {
  const clock = testClock();
  const store = await openStore({ url: (await servers()).url, replicas: 0, clock: systemClock() });
  await store.run([{ key: '{wf}', args: ['FLUSHALL'] }]);
  const backlog = { ...drained.backlog, results: 2 * each, onlyWhenAsked: true };
  const open = () => openRedisFrontier({ store, clock, time: 'given', groups: 1, backlog });
  const frontier = await open();
  await openSeeded(frontier, settings);
  const urls = Array.from({ length: 2 * each }, (_, n) => `http://${n % 2 ? 'gone' : 'here'}.test/${n}`);
  await frontier.offer(
    crawl,
    urls.map((url) => offerOf(url)),
  );
  const { leases } = await frontier.lease({ worker, hosts: 2, urlsPerHost: each });
  const title = 'long '.repeat(300);
  for (let n = 0; n < each; n++)
    for (const { id, host, fence, entries } of leases) {
      const settled = entries.slice(n, n + 1).map((entry) => outcome(entry, { record: { title } }));
      await frontier.report([{ id, crawl, host, fence, settled, news: answered, close: false }]);
    }
  await frontier.drain();
  expect((await frontier.kept(crawl)).records).toBe(2 * each);
  return {
    open,
    forget: () =>
      forgetAll(frontier, crawl, { pattern: 'gone.test', moved: [] }, async (ms) => clock.advance(ms)),
    /** Of the host that stays, without those on a page. */
    othersThan({ entries }: ResultsPage): string[] {
      const seen = new Set(entries.map(({ url }) => url as string));
      return urls.filter((url) => url.includes('here') && !seen.has(url));
    },
    close: () => frontier.close(),
  };
}

const read = ({ results }: { results: Results }, cursor: ResultsCursor | undefined, limit: number) =>
  results.after(crawl, cursor, { kinds: ['record'], filter: {}, limit, absent: 'hold' });

async function readOn(from: { results: Results }, after: ResultsCursor): Promise<string[]> {
  const found: string[] = [];
  for (let [cursor, more] = [after, true]; more; ) {
    const page = await read(from, cursor, 40);
    found.push(...page.entries.map(({ url }) => url as string));
    ({ cursor, more } = page);
  }
  return found;
}

it('another process in the middle of the file reads the rest', async () => {
  const { open, forget, othersThan, close } = await rewritten();
  const other = await open();
  const first = await read(other, undefined, each);
  await forget();
  expect(othersThan(first).length).toBeGreaterThan(50);
  expect(await readOn(other, first.cursor)).toEqual(othersThan(first));
  await close();
});

it('one that has begun anew behind a result that is gone reads the rest', async () => {
  const { open, forget, othersThan, close } = await rewritten();
  const first = await read(await open(), undefined, each);
  const last = first.entries.findLastIndex(({ url }) => url.includes('gone'));
  await forget();
  const page = { ...first, entries: first.entries.slice(0, last + 1) };
  expect(await readOn(await open(), first.cursorAt(last))).toEqual(othersThan(page));
  await close();
});
