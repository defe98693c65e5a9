import type { Worker } from 'node:worker_threads';
import { systemClock } from '@webfarer/protocol';
import { createFairTurnstile, type Payer } from '../turnstile/fair-turnstile.ts';
import { keepThread, takeThread } from './kept-threads.ts';

export interface AsideLimits {
  timeoutMs: number;
  /** Beside what it is given. */
  maxBytes: number;
}

export interface AsideWork {
  /** The module that the thread runs, by `serveAside`. */
  entry: string;
  data: unknown;
  transfer?: ArrayBuffer[];
  limits: AsideLimits;
}

/** What the thread posted, or why it was ended before. */
export type AsideAnswer<T> = { ok: true; value: T } | { ok: false; reason: string };

/** With less a thread cannot start, and its end would be that of the whole process. */
const minHeapMegabytes = 64;
/** A thread that takes more when it has answered is not used again. */
const keptBytes = 96 * 1024 * 1024;
/** Memory outside the heap has no limit of its own, so it is watched. */
const lookEveryMs = 50;

/** Of all pages of this process: each thread may take much memory. */
const turns = createFairTurnstile({ atOnce: 2, clock: systemClock(), sliceMs: 1_000 });

/**
 * Runs work in a thread that is ended when it takes too long or too much: hostile input costs no more than that. The work
 * is made again where the thread had to make way for others. A thread that has answered waits a while for more work of its crawl.
 */
export function runAside<T>(payer: Payer, work: () => AsideWork): Promise<AsideAnswer<T>> {
  return turns.run(payer, (ended) => runThread<T>(payer, work(), ended));
}

async function runThread<T>(
  { account }: Payer,
  { entry, data, transfer = [], limits }: AsideWork,
  ended: AbortSignal,
): Promise<AsideAnswer<T>> {
  const maxMegabytes = Math.max(minHeapMegabytes, Math.ceil(limits.maxBytes / 1024 / 1024));
  const thread = takeThread(entry, account, maxMegabytes);
  const { worker } = thread;
  const over = new AbortController();
  const looks: Looks = { pending: false, bytes: 0 };
  let answer: AsideAnswer<T> | undefined;
  try {
    answer = await Promise.race([
      new Promise<AsideAnswer<T>>((resolve) => {
        worker.once('message', (value: T) => resolve({ ok: true, value }));
        worker.once('error', ({ message }: Error) => resolve({ ok: false, reason: message }));
        worker.once('exit', () => resolve({ ok: false, reason: 'its reader ended' }));
        ended.addEventListener('abort', () => resolve({ ok: false, reason: 'others waited' }));
        worker.postMessage(data, transfer);
      }),
      watched(worker, { limits, looks }, over.signal).then((reason) => ({ ok: false as const, reason })),
    ]);
    return answer;
  } finally {
    over.abort();
    worker.removeAllListeners('message').removeAllListeners('error').removeAllListeners('exit');
    if (answer?.ok && looks.bytes <= keptBytes) keepThread(thread);
    else await worker.terminate();
  }
}

/** What a thread takes, as far as it has told. */
interface Looks {
  pending: boolean;
  bytes: number;
}

async function watched(
  thread: Worker,
  { limits, looks }: { limits: AsideLimits; looks: Looks },
  signal: AbortSignal,
): Promise<string> {
  const clock = systemClock();
  const startedMs = clock.now();
  while (!signal.aborted && clock.now() - startedMs < limits.timeoutMs) {
    if (!looks.pending) void look(thread, looks);
    if (looks.bytes > limits.maxBytes) return `it takes more than ${limits.maxBytes} bytes of memory`;
    await clock.sleep(lookEveryMs, signal).catch(() => {});
  }
  return `it takes longer than ${limits.timeoutMs} ms`;
}

/** The thread answers in the middle of what it does. One that has not started yet, or has ended, refuses. */
async function look(thread: Worker, looks: Looks): Promise<void> {
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
