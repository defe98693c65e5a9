import type { ResourceFrame } from '@webfarer/protocol/resources';

const gib = 2 ** 30;

/** What the n-th machine uses at a moment: made up, different from machine to machine, and never still. */
export function frameOf(n: number, second: number): ResourceFrame {
  const wave = 0.5 + 0.4 * Math.sin(second / 7 + n);
  return {
    cpu: { cores: [wave, 1 - wave, 0.3, 0.1], process: wave },
    memory: {
      totalBytes: 8 * gib,
      availableBytes: (2 + (n % 5)) * gib,
      rssBytes: 0.2 * gib,
      heapBytes: 0.08 * gib,
      heapLimitBytes: 2 * gib,
    },
    disks: [{ folder: '/var/lib/webfarer', totalBytes: 200 * gib, freeBytes: (20 + (n % 150)) * gib }],
    network: { receivedBytesPerSecond: 1e6 * wave, sentBytesPerSecond: 2e4 },
    connections: 20,
    loop: { busy: wave / 2, delayMs: 1, maxMs: 4 },
    downloads: { now: n % 2, most: 1 },
    queues: { outbox: 0, held: 1 },
  };
}
