import fc from 'fast-check';
import { expect, test } from 'vitest';
import { resourceFrame, type ResourceFrame } from './resource-frame.ts';
import { createHistory } from './resource-history.ts';
import { rowBytes } from './resource-rows.ts';
import { seriesNames } from './resource-series.ts';

function frame(changes: Partial<ResourceFrame> = {}, cores = 8): ResourceFrame {
  return {
    cpu: { cores: Array.from({ length: cores }, (_, core) => core / 10), process: 1.25 },
    memory: { totalBytes: 8e9, availableBytes: 4e9, rssBytes: 2e8, heapBytes: 1e8, heapLimitBytes: 2e9 },
    disks: [{ folder: '/data', totalBytes: 1e12, freeBytes: 5e11 }],
    connections: 12,
    loop: { busy: 0.5, delayMs: 1, maxMs: 2 },
    downloads: { now: 3, most: 100 },
    queues: { outbox: 0 },
    ...changes,
  };
}

const day = 86_400_000;
const start = Date.UTC(2026, 10, 16);
const plenty = { mostBytes: 1e9 };

test('a machine is kept for an hour by seconds and for a day by half minutes', { timeout: 60_000 }, () => {
  const history = createHistory(plenty);
  const end = start + day + 5_400_000;
  const one = frame();
  for (let atMs = start; atMs <= end; atMs += 1_000) history.add('w', atMs, one);
  const fine = history.read('w', { resolution: '1s', sinceMs: 0 });
  const coarse = history.read('w', { resolution: '30s', sinceMs: 0 });
  expect(fine.atMs.at(-1)).toBe(end);
  // Up to one piece of memory more, because it is freed as a whole.
  expect(fine.atMs.length).toBeGreaterThanOrEqual(3_600);
  expect(fine.atMs.length).toBeLessThanOrEqual(3_661);
  expect(coarse.atMs.length).toBeGreaterThanOrEqual(2_880);
  expect(coarse.atMs.length).toBeLessThanOrEqual(2_941);
  expect(coarse.atMs.every((atMs, i) => i === 0 || atMs - (coarse.atMs[i - 1] ?? 0) === 30_000)).toBe(true);
  expect(fine.series.process.every((value) => value === 1.25)).toBe(true);
  // What docs/resources.md says.
  expect(rowBytes({ cores: 8, disks: 1 })).toBe(88);
  expect(history.bytes).toBeGreaterThan((3_600 + 2_880) * 88);
  expect(history.bytes).toBeLessThan(660_000);
});

test('many machines take no more memory than is given and remember equally much', { timeout: 60_000 }, () => {
  const mostBytes = 2_000_000;
  const history = createHistory({ mostBytes });
  const one = frame();
  let most = 0;
  for (let atMs = start; atMs <= start + 1_800_000; atMs += 1_000) {
    for (let n = 0; n < 20; n++) history.add(`w${n}`, atMs, one);
    most = Math.max(most, history.bytes);
  }
  expect(most).toBeLessThanOrEqual(mostBytes);
  expect(most).toBeGreaterThan(mostBytes * 0.9);
  const spans = Array.from({ length: 20 }, (_, n) => {
    const { atMs } = history.read(`w${n}`, { resolution: '1s', sinceMs: 0 });
    expect(atMs.at(-1)).toBe(start + 1_800_000);
    return atMs.length;
  });
  expect(Math.max(...spans) - Math.min(...spans)).toBeLessThanOrEqual(60);
  expect(Math.min(...spans)).toBeGreaterThan(600);
});

test('half a minute is the mean of its seconds, and the longest delay of them', () => {
  const history = createHistory(plenty);
  for (let second = 0; second <= 30; second++) {
    const loop = { busy: second % 2, delayMs: second, maxMs: second === 7 ? 900 : 1 };
    const network = { receivedBytesPerSecond: 100, sentBytesPerSecond: second };
    const some = second < 15 ? {} : { network };
    history.add('w', start + second * 1_000, frame({ loop, ...some }));
  }
  const { atMs, series, cores, disks } = history.read('w', { resolution: '30s', sinceMs: 0 });
  expect(atMs).toEqual([start + 30_000]);
  expect(series).toMatchObject({ loopMaxMs: [900], loopDelayMs: [14.5], loopBusy: [0.5] });
  // Only the seconds in which it was known.
  expect(series.sentBytesPerSecond).toEqual([22]);
  expect(series.ready).toEqual([null]);
  expect(cores[4]).toEqual([0.4]);
  expect(disks).toEqual([[expect.closeTo(5e11, -6)]]);
  // The next half minute has nothing of the one before.
  for (let second = 31; second <= 60; second++)
    history.add('w', start + second * 1_000, frame({ loop: { busy: 0, delayMs: 2, maxMs: 3 } }));
  const { atMs: times, series: later } = history.read('w', { resolution: '30s', sinceMs: start + 30_000 });
  expect(times).toEqual([start + 60_000]);
  // The first of its seconds is the one that ended the half minute before.
  expect(later.loopDelayMs).toEqual([expect.closeTo((30 + 29 * 2) / 30, 4)]);
  expect(later.loopMaxMs).toEqual([3]);
});

test('a machine that changes its cores or disks keeps what was before', () => {
  const history = createHistory(plenty);
  history.add('w', start, frame({}, 1));
  history.add('w', start + 1_000, frame({ disks: [] }, 2));
  const { cores, disks } = history.read('w', { resolution: '1s', sinceMs: 0 });
  expect(cores).toEqual([
    [0, 0],
    [null, expect.closeTo(0.1)],
  ]);
  expect(disks).toEqual([[expect.closeTo(5e11, -6), null]]);
});

test('only what is later than asked is answered, and nothing of an unknown machine', () => {
  const history = createHistory(plenty);
  for (let second = 0; second < 5; second++) history.add('w', start + second * 1_000, frame());
  expect(history.read('w', { resolution: '1s', sinceMs: start + 2_000 }).atMs).toEqual([
    start + 3_000,
    start + 4_000,
  ]);
  const none = history.read('x', { resolution: '1s', sinceMs: 0 });
  expect(none.atMs).toEqual([]);
  expect(Object.keys(none.series)).toEqual(seriesNames);
});

test('frames that come faster than agreed take no more room', () => {
  const history = createHistory(plenty);
  for (let n = 0; n < 10_000; n++) history.add('w', start + n * 10, frame());
  expect(history.read('w', { resolution: '1s', sinceMs: 0 }).atMs.length).toBeLessThanOrEqual(200);
});

test('a machine that is gone is forgotten after a day', () => {
  const history = createHistory(plenty);
  history.add('gone', start, frame());
  history.add('w', start + 3_000_000, frame());
  expect(history.machines()).toEqual(['gone', 'w']);
  history.expire(start + 2 * day);
  expect(history.machines()).toEqual([]);
  expect(history.bytes).toBe(0);
});

test('whatever a machine says is within bounds or refused', () => {
  fc.assert(
    fc.property(
      fc.jsonValue(),
      fc.constantFrom('cpu', 'memory', 'disks', 'loop', 'queues'),
      (value, field) => {
        const { success, data } = resourceFrame.safeParse({ ...frame(), [field]: value });
        if (!success) return;
        const history = createHistory(plenty);
        history.add('w', start, data);
        const { series, cores } = history.read('w', { resolution: '1s', sinceMs: 0 });
        for (const name of seriesNames) expect(series[name][0] ?? 0).toBeGreaterThanOrEqual(0);
        expect(cores.length).toBeLessThanOrEqual(1_024);
      },
    ),
  );
  expect(resourceFrame.safeParse(frame()).success).toBe(true);
  const { queues } = resourceFrame.parse({ ...frame(), queues: { outbox: 1, later: 2 }, more: 1 });
  expect(queues).toEqual({ outbox: 1 });
});
