import type { WorkerId } from '@webfarer/protocol';
import type { MachineLook, ResourceFrame } from '@webfarer/protocol/resources';
import { expect, test } from 'vitest';
import { createResourceMonitor, type MachineFrame } from './resource-monitor.ts';

const look: MachineLook = {
  cpu: { cores: [0.5], process: 0.25 },
  memory: { totalBytes: 8, availableBytes: 4, rssBytes: 2, heapBytes: 1, heapLimitBytes: 3 },
  disks: [],
  connections: 1,
  loop: { busy: 0, delayMs: 0, maxMs: 0 },
};
const about = { downloads: { now: 2, most: 5 }, queues: { ready: 7 } };
const frame: ResourceFrame = { ...look, ...about };

/** Seconds that pass when the test says so. */
function world() {
  let nowMs = 1_000_000;
  let due = Promise.withResolvers<void>();
  let stops = 0;
  const clock = {
    now: () => nowMs,
    sleep: (_ms: number, signal?: AbortSignal) =>
      Promise.race([
        due.promise,
        new Promise<never>((_, reject) => {
          if (signal?.aborted) reject(new Error('over'));
          signal?.addEventListener('abort', () => reject(new Error('over')), { once: true });
        }),
      ]),
  };
  const monitor = createResourceMonitor({
    id: 'c1',
    clock,
    openProbe: () => ({ look: () => look, stop: () => void stops++ }),
    about: () => about,
  });
  const second = async () => {
    nowMs += 1_000;
    const was = due;
    due = Promise.withResolvers<void>();
    was.resolve();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { monitor, second, stops: () => stops, now: () => nowMs };
}

test('has a frame of itself each second and of each worker as it comes', async () => {
  const { monitor, second, stops, now } = world();
  const told: MachineFrame[] = [];
  monitor.onFrame((one) => told.push(one));
  monitor.start();
  await second();
  monitor.heard('w2' as WorkerId, frame);
  monitor.heard('w1' as WorkerId, frame);
  await second();
  expect(monitor.now().map(({ kind, id }) => `${kind} ${id}`)).toEqual([
    'coordinator c1',
    'worker w1',
    'worker w2',
  ]);
  expect(monitor.now()[0]).toEqual({ kind: 'coordinator', id: 'c1', atMs: now(), frame });
  expect(told.map(({ id }) => id)).toEqual(['c1', 'w2', 'w1', 'c1']);
  const own = monitor.history({ kind: 'coordinator', id: 'c1' }, { resolution: '1s', sinceMs: 0 });
  expect(own.atMs).toEqual([now() - 1_000, now()]);
  expect(own.series.ready).toEqual([7, 7]);
  await monitor.stop();
  expect(stops()).toBe(1);
});

test('keeps the history of a worker that has left, and no frame as if it were there', () => {
  const { monitor } = world();
  const machine = { kind: 'worker', id: 'w1' } as const;
  expect(monitor.knows(machine)).toBe(false);
  monitor.heard('w1' as WorkerId, frame);
  monitor.left('w1' as WorkerId);
  expect(monitor.now()).toEqual([]);
  expect(monitor.knows(machine)).toBe(true);
  expect(monitor.history(machine, { resolution: '1s', sinceMs: 0 }).atMs).toHaveLength(1);
  expect(monitor.knows({ kind: 'coordinator', id: 'w1' })).toBe(false);
});
