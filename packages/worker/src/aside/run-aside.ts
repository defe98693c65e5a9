import { Worker } from 'node:worker_threads';
import { systemClock } from '@webfarer/protocol';
import { createFairTurnstile, type Payer } from '../turnstile/fair-turnstile.ts';

export interface AsideLimits {
  timeoutMs: number;
  /** Beside what it is given. */
  maxBytes: number;
}

export interface AsideWork {
  /** The module that the thread runs: it posts one message. */
  entry: string;
  data: unknown;
  transfer?: ArrayBuffer[];
  limits: AsideLimits;
}

/** What the thread posted, or why it was ended before. */
export type AsideAnswer<T> = { ok: true; value: T } | { ok: false; reason: string };

/** With less a thread cannot start, and its end would be that of the whole process. */
const minHeapMegabytes = 64;
/** Memory outside the heap has no limit of its own, so it is watched. */
const lookEveryMs = 50;

/** Of all pages of this process: each thread may take much memory. */
const turns = createFairTurnstile({ atOnce: 2, clock: systemClock(), sliceMs: 1_000 });

/**
 * Runs work in a thread that is ended when it takes too long or too much: hostile input costs no more than that. The work
 * is made again where the thread had to make way for others.
 */
export function runAside<T>(payer: Payer, work: () => AsideWork): Promise<AsideAnswer<T>> {
  return turns.run(payer, (ended) => runThread<T>(work(), ended));
}

async function runThread<T>(
  { entry, data, transfer = [], limits }: AsideWork,
  ended: AbortSignal,
): Promise<AsideAnswer<T>> {
  const maxMegabytes = Math.max(minHeapMegabytes, Math.ceil(limits.maxBytes / 1024 / 1024));
  const thread = new Worker(entry, {
    workerData: data,
    transferList: transfer,
    // What it prints is about the input; nobody asked for it here.
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: maxMegabytes, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
  });
  const over = new AbortController();
  try {
    return await Promise.race([
      new Promise<AsideAnswer<T>>((resolve) => {
        thread.once('message', (value: T) => resolve({ ok: true, value }));
        thread.once('error', ({ message }: Error) => resolve({ ok: false, reason: message }));
        thread.once('exit', () => resolve({ ok: false, reason: 'its reader ended' }));
        ended.addEventListener('abort', () => resolve({ ok: false, reason: 'others waited' }));
      }),
      watched(thread, limits, over.signal).then((reason) => ({ ok: false as const, reason })),
    ]);
  } finally {
    over.abort();
    await thread.terminate();
  }
}

async function watched(thread: Worker, limits: AsideLimits, signal: AbortSignal): Promise<string> {
  const clock = systemClock();
  const startedMs = clock.now();
  const looks = { pending: false, bytes: 0 };
  while (!signal.aborted && clock.now() - startedMs < limits.timeoutMs) {
    if (!looks.pending) void look(thread, looks);
    if (looks.bytes > limits.maxBytes) return `it takes more than ${limits.maxBytes} bytes of memory`;
    await clock.sleep(lookEveryMs, signal).catch(() => {});
  }
  return `it takes longer than ${limits.timeoutMs} ms`;
}

/** The thread answers in the middle of what it does. One that has not started yet, or has ended, refuses. */
async function look(thread: Worker, looks: { pending: boolean; bytes: number }): Promise<void> {
  looks.pending = true;
  try {
    const { used_heap_size: heap, external_memory: outside } = await thread.getHeapStatistics();
    looks.bytes = heap + outside;
  } catch {
    // The next look is answered, or none is needed any more.
  } finally {
    looks.pending = false;
  }
}
