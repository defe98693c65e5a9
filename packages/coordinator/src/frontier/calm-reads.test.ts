import type { Balance, CrawlId } from '@webfarer/protocol';
import { expect, test } from 'vitest';
import { calmReads } from './calm-reads.ts';
import type { CrawlTotals } from './frontier.ts';

const crawl = 'a' as CrawlId;

function world() {
  let now = 0;
  let looks = 0;
  let answer = (): Promise<Balance> => Promise.resolve({ known: looks } as Balance);
  const sleeps: (() => void)[] = [];
  const clock = {
    now: () => now,
    sleep: () => new Promise<void>((resolve) => void sleeps.push(resolve)),
  };
  const totals = { hostsQueued: 5 } as CrawlTotals;
  const frontier = {
    async overview() {
      looks++;
      return { balance: await answer(), totals };
    },
    waiting: () => Promise.resolve([]),
  };
  return {
    reads: calmReads(frontier, clock),
    looks: () => looks,
    later: (ms: number) => void (now += ms),
    answers: (next: typeof answer) => void (answer = next),
    passTime: () => sleeps.splice(0).forEach((wake) => wake()),
  };
}

test('looks once for many questions, and again after a while or when told to', async () => {
  const w = world();
  await Promise.all([w.reads.balance(crawl), w.reads.balance(crawl)]);
  await w.reads.balance(crawl);
  expect(w.looks()).toBe(1);
  w.later(2_000);
  expect(await w.reads.balance(crawl)).toEqual({ known: 2 });
  w.reads.forget();
  expect(await w.reads.balance(crawl)).toEqual({ known: 3 });
});

test('balance and totals share a look', async () => {
  const w = world();
  const [balance, totals] = await Promise.all([w.reads.balance(crawl), w.reads.totals(crawl)]);
  expect([balance.known, totals.hostsQueued, w.looks()]).toEqual([1, 5, 1]);
});

/** Asks every 100 ms for so long; answers how often that was a look. */
async function looksIn(w: ReturnType<typeof world>, ms: number): Promise<number> {
  const before = w.looks();
  for (let passed = 0; passed < ms; passed += 100) {
    w.later(100);
    await w.reads.balance(crawl);
  }
  return w.looks() - before;
}

test('looks become seldom while all see the same, and frequent again with news or when stirred', async () => {
  const w = world();
  expect(await looksIn(w, 7_000)).toBeGreaterThanOrEqual(9);
  w.answers(() => Promise.resolve({ known: 1 } as Balance));
  await looksIn(w, 20_000);
  expect(await looksIn(w, 10_000)).toBe(2);
  w.reads.stir('b' as CrawlId);
  w.reads.stir(crawl);
  expect(await looksIn(w, 1_000)).toBe(1);
  await looksIn(w, 20_000);
  w.answers(() => Promise.resolve({ known: w.looks() } as Balance));
  expect(await looksIn(w, 12_000)).toBeGreaterThanOrEqual(9);
});

test('a crawl that is busy makes looks at others no more frequent', async () => {
  const w = world();
  w.answers(() => Promise.resolve({ known: 1 } as Balance));
  await looksIn(w, 20_000);
  let looks = 0;
  for (let second = 0; second < 10; second++) {
    w.reads.stir('busy' as CrawlId);
    looks += await looksIn(w, 1_000);
  }
  expect(looks).toBe(2);
});

test('shows the last look while the store is silent or in trouble', async () => {
  const w = world();
  await w.reads.balance(crawl);
  w.later(2_000);
  w.answers(() => new Promise(() => undefined));
  const shown = w.reads.balance(crawl);
  await Promise.resolve();
  w.passTime();
  expect(await shown).toEqual({ known: 1 });
});

test('passes on the trouble of a first look', async () => {
  const w = world();
  w.answers(() => Promise.reject(new Error('away')));
  await expect(w.reads.balance(crawl)).rejects.toThrow('away');
  w.answers(() => Promise.resolve({ known: 7 } as Balance));
  expect(await w.reads.balance(crawl)).toEqual({ known: 7 });
});
