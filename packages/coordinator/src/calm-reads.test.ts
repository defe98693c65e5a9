import type { Balance, CrawlId } from '@webfarer/protocol';
import { expect, test } from 'vitest';
import { calmReads } from './calm-reads.ts';
import type { Frontier } from './frontier/frontier.ts';

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
  const frontier = {
    balance() {
      looks++;
      return answer();
    },
  } as unknown as Frontier;
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
