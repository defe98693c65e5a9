import { setImmediate } from 'node:timers/promises';
import type { CrawlEvent, CrawlId, CrawlSnapshot, Stall } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import { createEventBus } from '../events/event-bus.ts';
import { type CrawlWatchesOptions, watchCrawl } from './crawl-watches.ts';

const crawl = 'a' as CrawlId;

/** Time that passes as fast as what waits for it lets it. */
function quickClock() {
  let nowMs = 0;
  let sleepers: { atMs: number; wake: () => void }[] = [];
  const clock = {
    now: () => nowMs,
    wall: () => nowMs,
    sleep: (ms: number) => new Promise<void>((wake) => sleepers.push({ atMs: nowMs + ms, wake })),
  };
  async function pass(ms: number): Promise<void> {
    for (const endMs = nowMs + ms; ; ) {
      await setImmediate();
      const [next] = sleepers.toSorted((a, b) => a.atMs - b.atMs);
      if (!next || next.atMs > endMs) return;
      sleepers = sleepers.filter((one) => one !== next);
      nowMs = next.atMs;
      next.wake();
    }
  }
  return { clock, pass };
}

it('reports a crawl that stalls and moves again and again at a bounded rate, and knows at once how it stands', async () => {
  const { clock, pass } = quickClock();
  const events = createEventBus({ clock, failed: () => undefined });
  const told: CrawlEvent[] = [];
  events.listen(['crawl-stalled', 'crawl-moving'], (event) => void told.push(event));
  let stall: Stall | undefined;
  const changes: (string | undefined)[] = [];
  const parts = {
    crawl,
    clock,
    events,
    pool: { onChange: () => () => undefined },
    pace: { clock: () => clock },
    snapshot: async () => ({ stall }) as CrawlSnapshot,
    stallChanged: () => void changes.push(watches.stall.stall?.cause),
  };
  const watches = watchCrawl(parts as unknown as CrawlWatchesOptions);
  watches.stall.start();
  for (let n = 0; n < 60; n++) {
    stall = n % 2 === 0 ? { cause: 'gap', text: 'the pause between two requests to a host' } : undefined;
    await pass(5_000);
  }
  expect(changes).toHaveLength(60);
  expect(told.length).toBeLessThan(18);
  await pass(60_000);
  expect(told.at(-1)).toMatchObject({ type: 'crawl-moving' });
  const times = told.map((event) => (event.type === 'crawl-stalled' ? event.times : 0));
  expect(times.reduce((sum, one) => sum + one, 0)).toBe(30);
  watches.close();
});
