import { createServer, connect } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { resourceFrame } from '../../resources/resource-frame.ts';
import { coresIn, machineCounters, networkIn } from './machine-counters.ts';
import { openResourceProbe, openSockets, rates, shares } from './resource-probe.ts';

const clock = systemClock();

test('reads the cores of /proc/stat', () => {
  const text = [
    'cpu  30 0 10 100 20 0 5 0 3 0',
    'cpu0 20 0 5 50 10 0 5 0 3 0',
    'cpu1 10 0 5 50 10 0 0 0 0 0',
    'intr 9999 1 2',
  ].join('\n');
  expect(coresIn(text)).toEqual([
    { busy: 30, all: 90 },
    { busy: 15, all: 75 },
  ]);
});

test('reads /proc/net/dev without loopback', () => {
  const text = [
    'Inter-|   Receive                                                |  Transmit',
    ' face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed',
    '    lo: 1000 1 0 0 0 0 0 0 1000 1 0 0 0 0 0 0',
    '  eth0: 5 1 0 0 0 0 0 0 7 1 0 0 0 0 0 0',
    'wlan0:10 1 0 0 0 0 0 0 20 1 0 0 0 0 0 0',
  ].join('\n');
  expect(networkIn(text)).toEqual({ received: 15, sent: 27 });
});

test('leaves out what a system does not tell', () => {
  const mac = machineCounters('darwin');
  expect(mac.network()).toBeUndefined();
  expect(mac.cores().length).toBeGreaterThan(0);
  const bare = machineCounters('linux', () => undefined);
  expect(bare.network()).toBeUndefined();
  expect(bare.cores().length).toBeGreaterThan(0);
});

test('sees what this process does, in a frame that others accept', async () => {
  const probe = openResourceProbe({ clock, folders: () => [tmpdir()] });
  const server = createServer((socket) => socket.resume());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const open: Socket[] = [];
  try {
    probe.look();
    const before = probe.look().connections;
    for (let n = 0; n < 5; n++) {
      const socket = connect(port, '127.0.0.1');
      open.push(socket);
      await new Promise((resolve) => socket.once('connect', resolve));
    }
    await expect.poll(() => probe.look().connections).toBeGreaterThanOrEqual(before + 10);
    await expect.poll(() => probe.look().disks).toMatchObject([{ folder: tmpdir() }]);
    probe.look();
    // Longer than the loop is left alone: it is overdue whenever it was looked at before.
    for (const from = clock.now(); clock.now() < from + 500; );
    const frame = probe.look();
    expect(frame.loop.maxMs).toBeGreaterThan(200);
    expect(probe.look().loop.maxMs).toBeLessThan(200);
    expect(resourceFrame.safeParse({ ...frame, downloads: { now: 0, most: 1 }, queues: {} }).success).toBe(
      true,
    );
    expect(frame.memory.rssBytes).toBeGreaterThan(frame.memory.heapBytes / 2);
    expect(frame.cpu.process).toBeGreaterThan(0);
  } finally {
    for (const socket of open) socket.destroy();
    server.close();
    probe.stop();
  }
});

test('a counter that begins anew is no rate', () => {
  const [before, after] = [
    { received: 5_000, sent: 100 },
    { received: 40, sent: 400 },
  ];
  expect(rates(before, after, 2)).toEqual({ receivedBytesPerSecond: 0, sentBytesPerSecond: 150 });
  expect(rates(undefined, after, 2)).toBeUndefined();
  const ticks = (busy: number, all: number) => [{ busy, all }];
  expect(shares(ticks(100, 200), ticks(150, 300))).toEqual([0.5]);
  expect(shares(ticks(900, 1_000), ticks(10, 20))).toEqual([0]);
  expect(shares(ticks(900, 1_000), ticks(800, 1_100))).toEqual([0]);
  // A core that was not there before.
  expect(shares([], ticks(10, 20))).toEqual([0]);
});

test('counts sockets and nothing else', () => {
  expect(openSockets(['TCPSocketWrap', 'Timeout', 'TLSWrap', 'FSReqPromise', 'TCPServerWrap'])).toBe(2);
});
