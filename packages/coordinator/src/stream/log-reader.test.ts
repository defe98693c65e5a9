import { systemClock } from '@webfarer/protocol';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openLogReader } from './log-reader.ts';
import { createLogTails } from './log-tail.ts';
import { memoryCrawl, type MemoryResults, memoryResults } from './memory-results.fixture.ts';
import { createPageGates } from './page-gate.ts';

const clock = systemClock();
const gate = createPageGates().of('reader');
/** Pages of single outcomes: nothing is gathered. */
const newTails = () => createLogTails(clock, 0);
const query = { kinds: ['record'], filter: {}, limit: 3, absent: 'hold' } as const;
const never = new AbortController().signal;

function readerOf(results: MemoryResults, tails = newTails()) {
  return openLogReader({ crawl: memoryCrawl, results, query, cursor: undefined, tails, gate, clock });
}

it('reads from the store, then what comes; nothing twice, and says when it has all', async () => {
  const results = memoryResults();
  for (let n = 0; n < 7; n++) results.settle(n % 2);
  const reader = readerOf(results);
  const seen: string[] = [];
  for (let left = 7; left > 0; ) {
    const page = await reader.next(1_000, never);
    seen.push(...page.entries.map(({ url }) => url as string));
    left -= page.entries.length;
    expect(page.isAll).toBe(left === 0);
  }
  expect(new Set(seen).size).toBe(7);
  expect(await reader.next(0, never)).toMatchObject({ entries: [], more: false });
  const coming = reader.next(10_000, never);
  const url = results.settle(0);
  expect((await coming).entries.map((entry) => entry.url)).toEqual([url]);
  reader.detach();
});

it('many readers share what is read at the tip', async () => {
  const results = memoryResults();
  const tails = newTails();
  const readers = Array.from({ length: 50 }, () => readerOf(results, tails));
  for (const reader of readers) expect((await reader.next(0, never)).entries).toEqual([]);
  const before = results.asked;
  for (let n = 0; n < 5; n++) {
    const coming = readers.map((reader) => reader.next(10_000, never));
    const url = results.settle(n);
    for (const page of await Promise.all(coming)) expect(page.entries.map((one) => one.url)).toEqual([url]);
  }
  // One look or two for each, not fifty.
  expect(results.asked - before).toBeLessThan(20);
  for (const reader of readers) reader.detach();
});

it('those that begin at the tip ask the store once together, and see what comes', async () => {
  const results = memoryResults();
  const tails = newTails();
  for (let n = 0; n < 9; n++) results.settle(n);
  const readers = Array.from({ length: 50 }, () => readerOf(results, tails));
  await Promise.all(readers.map((reader) => reader.goToTip()));
  expect(results.askedForNewest).toBe(1);
  const late = readerOf(results, tails);
  await late.goToTip();
  expect(results.askedForNewest).toBe(1);
  const coming = [late, ...readers].map((reader) => reader.next(10_000, never));
  const url = results.settle(1);
  for (const page of await Promise.all(coming)) expect(page.entries.map((one) => one.url)).toEqual([url]);
  expect(results.asked).toBeLessThan(5);
  for (const reader of [late, ...readers]) reader.detach();
});

it('looks only into groups with news, and now and then into all for what others have settled', async () => {
  const results = memoryResults();
  const reader = readerOf(results);
  await reader.goToTip();
  const next = async () => (await reader.next(10_000, never)).entries.map(({ url }) => url as string);
  const own: string[] = [];
  for (let n = 0; n < 5; n++) {
    const coming = next();
    own.push(results.settle(3));
    expect(await coming).toEqual(own.slice(-1));
  }
  expect(results.lookedAt.filter((groups) => groups !== 'all').flat()).toEqual(own.map(() => 3));
  const coming = next();
  const silent = results.settleSilently(7);
  expect(await coming).toEqual([silent]);
  expect(results.lookedAt.at(-1)).toBe('all');
  reader.detach();
});

it('a reader that begins again behind any cursor sees the rest once, whatever is settled meanwhile', async () => {
  await fc.assert(
    fc.asyncProperty(fc.infiniteStream(fc.nat(999)), async (chances) => {
      const chance = () => chances.next().value as number;
      const turns = async () => {
        for (let n = chance() % 3; n > 0; n--) await new Promise((resolve) => setImmediate(resolve));
      };
      const results = memoryResults(turns);
      const tails = newTails();
      let over = false;
      const settling = (async () => {
        for (let n = 0; n < 60; n++) {
          results.settle(chance() % 4);
          await turns();
        }
        over = true;
      })();
      const follow = async () => {
        let reader = readerOf(results, tails);
        const seen: string[] = [];
        for (;;) {
          const isLast = over;
          if (isLast) reader.detach();
          const page = await reader.next(isLast ? 0 : 5, never);
          if (isLast && page.entries.length === 0) break;
          // Cut off in the middle of a page: what came behind the last cursor that was kept comes again.
          const kept = page.entries.length > 0 && chance() % 3 === 0 ? chance() % page.entries.length : -1;
          const entries = kept < 0 ? page.entries : page.entries.slice(0, kept + 1);
          seen.push(...entries.map(({ url }) => url as string));
          if (kept < 0) continue;
          const cursor = page.cursorAt(kept);
          reader.detach();
          reader = openLogReader({ crawl: memoryCrawl, results, query, cursor, tails, gate, clock });
        }
        reader.detach();
        return seen;
      };
      const logs = await Promise.all([follow(), follow(), follow()]);
      await settling;
      for (const seen of logs)
        for (const [group, urls] of results.urls)
          expect(seen.filter((url) => url.startsWith(`http://${group}.`))).toEqual(urls);
    }),
    { numRuns: 30 },
  );
});

it('a reader of a crawl that was replaced is told, and the next one is served', async () => {
  const results = memoryResults();
  results.settle(0);
  const tails = newTails();
  const reader = readerOf(results, tails);
  expect((await reader.next(0, never)).entries).toHaveLength(1);
  expect((await reader.next(0, never)).entries).toHaveLength(0);
  results.replace();
  results.settle(0);
  await expect(reader.next(10_000, never)).rejects.toMatchObject({ code: 'cursor-stale' });
  const other = readerOf(results, tails);
  expect((await other.next(0, never)).entries).toHaveLength(1);
  expect((await other.next(0, never)).entries).toHaveLength(0);
  reader.detach();
  other.detach();
});
