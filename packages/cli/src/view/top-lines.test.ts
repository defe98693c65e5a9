import type { MachineFrame, NetworkStatus, WorkerStatus } from '@webfarer/coordinator';
import type { ResourceFrame } from '@webfarer/protocol/resources';
import { expect, it } from 'vitest';
import { displayWidth } from '../terminal/text.ts';
import { coreBlocks } from './resource-words.ts';
import { sampleSnapshot } from './snapshot.fixture.ts';
import { plainTopLines, topLines } from './top-lines.ts';

const frame: ResourceFrame = {
  cpu: { cores: [0.05, 0.5, 1, 0.25], process: 0.72 },
  memory: {
    totalBytes: 8e9,
    availableBytes: 3.2e9,
    rssBytes: 212_000_000,
    heapBytes: 91_000_000,
    heapLimitBytes: 2e9,
  },
  disks: [
    { folder: '/data', totalBytes: 1e12, freeBytes: 412e9 },
    { folder: '/scratch', totalBytes: 1e11, freeBytes: 9.5e9 },
  ],
  network: { receivedBytesPerSecond: 1_250_000, sentBytesPerSecond: 30_000 },
  connections: 131,
  loop: { busy: 0.4, delayMs: 2.31, maxMs: 18 },
  downloads: { now: 31, most: 100 },
  queues: { outbox: 3, held: 40, pausing: 8 },
};

function worker(n: number, change: Partial<WorkerStatus> = {}): WorkerStatus {
  return {
    worker: `e5dd29${n}`,
    trust: 'own',
    address: `10.0.0.${n}`,
    version: '0.1.0',
    connections: 100,
    held: 19,
    hungry: false,
    cordoned: false,
    linkedMs: 720_000,
    pages: 23_180,
    pagesPerSecond: 34.1 - n,
    ...change,
  };
}

function network(workers: WorkerStatus[]): [NetworkStatus, MachineFrame[]] {
  const status: NetworkStatus = {
    coordinator: { id: '4b1f09c2', version: '0.1.0', url: 'http://10.0.0.11:7311', upMs: 720_000 },
    crawls: [sampleSnapshot()],
    workers,
    peers: [],
  };
  const machines: MachineFrame[] = [
    { kind: 'coordinator', id: '4b1f09c2', atMs: 0, frame: { ...frame, queues: { ready: 12, held: 40 } } },
    ...workers.slice(0, -1).map(({ worker: id }) => ({ kind: 'worker' as const, id, atMs: 0, frame })),
  ];
  return [status, machines];
}

it('shows each machine with what it uses, and one that has not told yet without', () => {
  const lines = topLines(...network([worker(1), worker(2), worker(3, { cordoned: true })]), {
    columns: 160,
    rows: 40,
    colour: false,
  });
  const text = lines.join('\n');
  expect(text).toContain(
    'cpu 45% ▁▅█▃   process 0.72 cores   rss 212 MB   heap 91 MB   memory 3.2 GB of 8.0 GB free',
  );
  expect(text).toContain('disk 9.5 GB free   net 1.3 MB/s in, 30 kB/s out   loop 2.3 ms\n  131 sockets');
  expect(text).toContain('12 hosts ready   40 held');
  const [first, , last] = lines.slice(-3);
  expect(first).toMatch(
    /^ {2}e5dd291 .*33\.1 +19\/100 +31 +45% .*212 MB .*9\.5 GB +1\.3 MB\/s +2\.3 ms +131/,
  );
  expect(last).toMatch(/^ {2}e5dd293 .*31\.1 +19\/100 .*cordoned$/);
  expect(last).not.toContain('%');
});

it('has no more lines and columns than the terminal, and says how many workers it leaves out', () => {
  const many = Array.from({ length: 60 }, (_, n) => worker(n + 1));
  for (const columns of [79, 100, 130, 160])
    for (const rows of [10, 23, 49]) {
      const lines = topLines(...network(many), { columns, rows, colour: false });
      expect(lines.length).toBeLessThanOrEqual(rows);
      for (const line of lines.slice(4)) expect(displayWidth(line)).toBeLessThanOrEqual(columns);
      expect(lines.some((line) => /pages\/s .*cpu/.test(line))).toBe(true);
    }
  const lines = topLines(...network(many), { columns: 100, rows: 23, colour: false });
  const shown = lines.filter((line) => line.includes('19/100')).length;
  expect(lines.at(-1)).toBe(`  … and ${60 - shown} more`);
});

it('is a line for each crawl and machine where nothing can be redrawn', () => {
  const lines = plainTopLines(...network([worker(1), worker(2)]), Date.UTC(2026, 10, 16, 9));
  expect(lines).toHaveLength(3);
  expect(lines[0]).toBe('2026-11-16T09:00:00Z  crawl example.org  running  0.4 pages/s  1,211 queued');
  expect(lines[2]).toMatch(/^2026-11-16T09:00:00Z {2}worker e5dd291 {2}cpu 45% .*3 reports waiting$/);
});

it('draws a block for each core, up to 32', () => {
  expect(coreBlocks([0, 0.99, 1])).toBe('▁██');
  expect(coreBlocks(Array.from({ length: 40 }, () => 0))).toHaveLength(33);
});
