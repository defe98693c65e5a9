import { availableParallelism } from 'node:os';
import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type KernelName, kernels } from './kernels.ts';

/** Does one thing to every block of a graph's numbers: here, or by several threads on shared memory. */
export interface Crew {
  /** The numbers that everything from now on is done to. */
  hand(numbers: object): Promise<void>;
  run(kernel: KernelName, blocks: number, args: number[]): Promise<void>;
  close(): Promise<void>;
}

/** Links from which on threads are worth starting. */
const manyLinks = 2_000_000;

/** As many threads as the machine has processors, where there is enough to do; 0 means none but this one. */
export function threadsFor(links: number): number {
  const processors = availableParallelism();
  return links < manyLinks || processors < 2 ? 0 : Math.min(processors, 16);
}

export function createCrew(threads: number): Crew {
  return threads === 0 ? alone() : together(threads);
}

function alone(): Crew {
  let own: object = {};
  return {
    async hand(numbers) {
      own = numbers;
    },
    async run(kernel, blocks, args) {
      for (let block = 0; block < blocks; block++) kernels[kernel](own as never, block, args);
    },
    async close() {},
  };
}

/** The source as it is, or what was built of it. */
const entry = join(import.meta.dirname, `crew-thread${extname(import.meta.filename)}`);

export type Order =
  | { kind: 'hand'; numbers: object; turn: Int32Array }
  | { kind: 'run'; kernel: KernelName; blocks: number; args: number[] };

function together(threads: number): Crew {
  const workers = Array.from({ length: threads }, () => new Worker(entry));
  // The next block that nobody has taken.
  const turn = new Int32Array(new SharedArrayBuffer(4));
  const tell = (order: Order): Promise<unknown> =>
    Promise.all(workers.map((worker) => answer(worker, order)));
  return {
    hand: async (numbers) => void (await tell({ kind: 'hand', numbers, turn })),
    async run(kernel, blocks, args) {
      turn[0] = 0;
      await tell({ kind: 'run', kernel, blocks, args });
    },
    close: async () => void (await Promise.all(workers.map((worker) => worker.terminate()))),
  };
}

function answer(worker: Worker, order: Order): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (): void => {
      worker.off('error', failed);
      resolve();
    };
    const failed = (error: unknown): void => {
      worker.off('message', done);
      reject(error as Error);
    };
    worker.once('message', done);
    worker.once('error', failed);
    worker.postMessage(order);
  });
}
