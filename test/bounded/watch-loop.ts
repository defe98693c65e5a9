import { appendFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/**
 * Loaded into a process before its own code: writes down how long its main thread computed without a pause. CPU time of the
 * thread, because on a busy machine a thread that waits for a processor looks as if it computed.
 */
const file = process.env['BOUNDED_LOOP_FILE'];
const everyMs = 10;
/** Shorter ones are no news. */
const leastMs = 30;

function start(path: string): void {
  appendFileSync(path, `${JSON.stringify({ atMs: Date.now(), pid: process.pid, blockMs: 0 })}\n`);
  let at = performance.now();
  let before = process.threadCpuUsage();
  setInterval(() => {
    const now = performance.now();
    const { user, system } = process.threadCpuUsage(before);
    before = process.threadCpuUsage();
    const lateMs = now - at - everyMs;
    at = now;
    const blockMs = Math.min(lateMs, (user + system) / 1_000);
    if (blockMs > leastMs)
      appendFileSync(
        path,
        `${JSON.stringify({ atMs: Date.now(), pid: process.pid, blockMs: Math.round(blockMs) })}\n`,
      );
  }, everyMs).unref();
}

if (file !== undefined && isMainThread && process.argv[1]?.endsWith('bin.ts')) start(file);
