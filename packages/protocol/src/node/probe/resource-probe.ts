import { freemem, totalmem } from 'node:os';
import { performance } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';
import type { Clock } from '../../base/clock.ts';
import { type MachineLook, resourceBounds, type ResourceProbe } from '../../resources/resource-frame.ts';
import { watchDisks } from './disk-watch.ts';
import { watchLoopDelay } from './loop-delay.ts';
import { type CoreTicks, machineCounters, type NetworkBytes } from './machine-counters.ts';

export interface ResourceProbeOptions {
  clock: Clock;
  /** Whose disks are looked at. */
  folders: () => readonly string[];
}

/** Looks at this machine and this process with what Node and the system count by themselves. */
export function openResourceProbe({ clock, folders }: ResourceProbeOptions): ResourceProbe {
  const counters = machineCounters(process.platform);
  const disks = watchDisks(() => folders().slice(0, resourceBounds.disks));
  const delay = watchLoopDelay(clock);
  let before = counted();

  function counted() {
    return {
      atMs: clock.now(),
      cores: counters.cores(),
      network: counters.network(),
      usage: process.cpuUsage(),
      loop: performance.eventLoopUtilization(),
    };
  }

  return {
    look() {
      const now = counted();
      const seconds = Math.max(0.001, (now.atMs - before.atMs) / 1_000);
      const used = now.usage.user + now.usage.system - before.usage.user - before.usage.system;
      const network = rates(before.network, now.network, seconds);
      const heap = getHeapStatistics();
      const frame: MachineLook = {
        cpu: {
          cores: shares(before.cores, now.cores).slice(0, resourceBounds.cores),
          process: rounded(Math.max(0, used) / 1e6 / seconds),
        },
        memory: {
          totalBytes: totalmem(),
          availableBytes: freemem(),
          rssBytes: process.memoryUsage.rss(),
          heapBytes: heap.used_heap_size,
          heapLimitBytes: heap.heap_size_limit,
        },
        disks: disks.look(now.atMs),
        ...(network ? { network } : {}),
        connections: openSockets(process.getActiveResourcesInfo()),
        loop: {
          busy: rounded(performance.eventLoopUtilization(now.loop, before.loop).utilization),
          ...delay.look(),
        },
      };
      before = now;
      return frame;
    },
    stop: () => delay.stop(),
  };
}

const rounded = (value: number) => Math.round(value * 1_000) / 1_000;

/** Node names each thing that keeps it alive; sockets have these names. */
const sockets = new Set(['TCPSocketWrap', 'TLSWrap', 'UDPWrap']);

export function openSockets(names: readonly string[]): number {
  let count = 0;
  for (const name of names) if (sockets.has(name)) count++;
  return count;
}

/** Busy share of each core between two looks; 0 where its counters began anew. */
export function shares(before: readonly CoreTicks[], now: readonly CoreTicks[]): number[] {
  return now.map(({ busy, all }, core) => {
    const from = before[core] ?? { busy, all };
    const passed = all - from.all;
    return passed > 0 ? rounded(Math.min(1, Math.max(0, (busy - from.busy) / passed))) : 0;
  });
}

/** Bytes a second between two looks; 0 where a counter began anew, as when an interface goes and comes back. */
export function rates(before: NetworkBytes | undefined, now: NetworkBytes | undefined, seconds: number) {
  if (!before || !now) return undefined;
  const perSecond = (from: number, to: number) => Math.max(0, Math.round((to - from) / seconds));
  return {
    receivedBytesPerSecond: perSecond(before.received, now.received),
    sentBytesPerSecond: perSecond(before.sent, now.sent),
  };
}
