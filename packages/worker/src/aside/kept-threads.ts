import { Worker } from 'node:worker_threads';
import type { Account } from '../shares/account.ts';

/** A thread of one crawl, with the code that it has loaded. */
export interface Thread {
  worker: Worker;
  entry: string;
  account: Account;
}

/** So many wait for more work of their crawls. */
const mostKept = 2;
/** Loading code takes a quarter of a second: documents that come more seldom than this are worth no memory. */
const keptMs = 10_000;

/** Those that were used last come last. */
// allow(state): threads that are ready, of all workers of this process
const kept = new Map<Thread, NodeJS.Timeout>();

/**
 * A thread that this crawl has used before, or a new one: no crawl comes to see what another one has left behind.
 */
export function takeThread(entry: string, account: Account, maxMegabytes: number): Thread {
  for (const thread of kept.keys()) {
    if (thread.entry !== entry || thread.account !== account) continue;
    forget(thread);
    thread.worker.ref();
    return thread;
  }
  const worker = new Worker(entry, {
    // What it prints is about the input; nobody asked for it here.
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: maxMegabytes, maxYoungGenerationSizeMb: 32, stackSizeMb: 4 },
  });
  return { worker, entry, account };
}

/** It has answered, and takes little memory. Until it is taken again it keeps no process from ending. */
export function keepThread(thread: Thread): void {
  const end = () => {
    forget(thread);
    void thread.worker.terminate();
  };
  thread.worker.once('error', end).once('exit', end).unref();
  kept.set(thread, setTimeout(end, keptMs).unref()); // allow(time): memory of this process
  const [first] = kept.keys();
  if (kept.size > mostKept && first) {
    forget(first);
    void first.worker.terminate();
  }
}

function forget(thread: Thread): void {
  clearTimeout(kept.get(thread));
  kept.delete(thread);
  thread.worker.removeAllListeners('error').removeAllListeners('exit');
}
