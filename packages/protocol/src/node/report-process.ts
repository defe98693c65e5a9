import { statfs } from 'node:fs/promises';
import type { DatedClock } from '../base/clock.ts';
import type { Metrics } from '../metrics/registry.ts';
import { watchLoopDelay } from './probe/loop-delay.ts';

export interface ReportedProcess {
  metrics: Metrics;
  clock: DatedClock;
  /** Of the software. */
  version: string;
  role: 'coordinator' | 'worker' | 'crawl';
  /** Whose disk must not run full. */
  folder: string;
}

/** What a process uses, whatever it does. Returns a function that ends it. */
export function reportProcess({ metrics, clock, version, role, folder }: ReportedProcess): () => void {
  const startedAtMs = clock.now() - process.uptime() * 1_000;
  const node = process.version.slice(1);
  const delay = watchLoopDelay(clock, (lateMs) =>
    metrics.observe('webfarer_event_loop_delay_seconds', {}, lateMs / 1_000),
  );
  const ends = [
    metrics.collect((sample) => {
      const { user, system } = process.cpuUsage();
      const { rss, heapUsed } = process.memoryUsage();
      sample('webfarer_build_info', { version, node, role }, 1);
      sample('process_cpu_seconds_total', {}, (user + system) / 1e6);
      sample('process_resident_memory_bytes', {}, rss);
      sample('process_start_time_seconds', {}, Math.round(startedAtMs / 1_000));
      sample('nodejs_heap_used_bytes', {}, heapUsed);
      sample('webfarer_clock_seconds', {}, clock.wall() / 1_000);
    }),
    // By itself: a network disk may not respond.
    metrics.collect(async (sample) => {
      const { blocks, bavail, bsize } = await statfs(folder);
      sample('webfarer_disk_free_bytes', {}, bavail * bsize);
      sample('webfarer_disk_size_bytes', {}, blocks * bsize);
    }),
  ];
  return () => {
    delay.stop();
    for (const end of ends) end();
  };
}
