import { writeFileSync, writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { guardCells, readText } from './guard-cells.ts';

interface Given {
  cells: SharedArrayBuffer;
  file: string;
  afterMs: number;
}

/** Milliseconds between two looks. A process that is stopped stops this thread too: only looks count, not a clock. */
const lookMs = 500;
/** Of a processor, on a busy machine too. What waits for a debugger, or a disk that does not answer, uses next to none. */
const leastShare = 0.1;
const stderr = 2;

watch(workerData as Given);

function watch({ cells: shared, file, afterMs }: Given): never {
  const cells = guardCells(shared);
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  let beats = -1;
  let stillMs = 0;
  let cpuThenMs = 0;
  for (;;) {
    Atomics.wait(sleeper, 0, 0, lookMs);
    const now = Atomics.load(cells.numbers, 0);
    if (now !== beats) {
      beats = now;
      stillMs = 0;
      cpuThenMs = cpuMs();
    } else stillMs += lookMs;
    if (stillMs >= afterMs && cpuMs() - cpuThenMs >= stillMs * leastShare)
      end(file, wordsFor(readText(cells), stillMs));
  }
}

/** Of the whole process: another thread has no clock for the main one. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

function wordsFor(handling: string, stillMs: number): string {
  const [crawl, stage, url] = handling.split('\n');
  const page =
    url === undefined ? 'it is not known for which page' : `the page ${url} of ${crawl} (${stage})`;
  return `the event loop was blocked for ${Math.round(stillMs / 1_000)} s: ${page}`;
}

function end(file: string, words: string): void {
  try {
    writeFileSync(file, words, { mode: 0o600 });
    writeSync(stderr, `This worker process is ended: ${words}\n`);
  } finally {
    process.kill(process.pid, 'SIGKILL');
  }
}
