import { systemClock } from '@webfarer/protocol';
import type { ResourceFrame } from '@webfarer/protocol/resources';
import { expect, it } from 'vitest';
import { machineDocuments } from './machine-documents.ts';
import type { ResourceMonitor } from './resource-monitor.ts';

const gib = 2 ** 30;
const frame = { memory: { totalBytes: 8 * gib } } as ResourceFrame;

/** A look each half minute; what is available shrinks by so much with each. */
function monitorOf(looks: number, shrinksBy: number): Pick<ResourceMonitor, 'now' | 'history'> {
  const count = Array.from({ length: looks }, (_, n) => n);
  const history = {
    atMs: count.map((n) => 1_800_000_000_000 + n * 30_000),
    series: { availableBytes: count.map((n) => 6 * gib - n * shrinksBy) },
  };
  const machines = [
    { kind: 'coordinator', id: 'c1', atMs: 1, frame },
    { kind: 'worker', id: 'w1', atMs: 1, frame },
  ];
  return { now: () => machines, history: () => history } as unknown as ReturnType<typeof monitorOf>;
}

const own = { kind: 'coordinator', id: 'c1' } as const;
const documentsOf = (looks: number, shrinksBy: number) =>
  machineDocuments(own, monitorOf(looks, shrinksBy), systemClock())();

it('tells with the coordinator itself when its memory would be full, and nothing of others', () => {
  const documents = documentsOf(240, 10 * 2 ** 20);
  expect([...documents.keys()]).toEqual(['coordinator c1', 'worker w1']);
  const { outlook } = documents.get('coordinator c1') ?? {};
  // 6 GiB less 239 looks of 10 MiB are left, at 20 MiB a minute.
  const minutes = (6 * 1_024 - 239 * 10) / 20;
  expect(outlook?.seen).toBe(true);
  expect((outlook?.full?.soonestMs ?? 0) / 60_000).toBeCloseTo(minutes, 0);
  expect(documents.get('worker w1')).not.toHaveProperty('outlook');
});

it('tells that nothing points to a full memory, or that too little was seen', () => {
  expect(documentsOf(240, 0).get('coordinator c1')?.outlook).toEqual({ seen: true });
  expect(documentsOf(5, 10 * 2 ** 20).get('coordinator c1')?.outlook).toEqual({ seen: false });
});
