import { readdir, rm } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { WebfarerError } from '@webfarer/protocol';
import { receiveFailure, type SentFailure } from '@webfarer/protocol/link';
import type { Manifest } from '@webfarer/coordinator';
import { startThreadsWithRoom } from '../machine/young-generation.ts';
import type { OutputOptions } from './outputs.ts';

/** What a thread must know to write the outputs. */
export type OutputTask = Omit<OutputOptions, 'results'>;

export type OutputAnswer = { outputs: NonNullable<Manifest['outputs']> } | { error: SentFailure };

/** The source as it is, or what was built of it. */
const entry = join(import.meta.dirname, `outputs-thread${extname(import.meta.filename)}`);

interface Places {
  /** Resolves when a thread may begin; false: the signal was aborted first. */
  take(signal: AbortSignal): Promise<boolean>;
  /** Hands the place over to the one that waits longest, if one does. */
  leave(): void;
}

function createPlaces(most: number): Places {
  const waiting: (() => void)[] = [];
  let taken = 0;
  return {
    take: (signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve(false);
        if (taken < most) {
          taken++;
          return resolve(true);
        }
        const begin = () => {
          signal.removeEventListener('abort', giveUp);
          resolve(true);
        };
        const giveUp = () => {
          waiting.splice(waiting.indexOf(begin), 1);
          resolve(false);
        };
        waiting.push(begin);
        signal.addEventListener('abort', giveUp, { once: true });
      }),
    leave() {
      const next = waiting.shift();
      if (next) next();
      else taken--;
    },
  };
}

/**
 * Of the threads of this process: each takes a core, and memory for the report of a whole crawl. Two, because a crawl that is
 * stopped has seconds for its outputs and would lose them behind a large one that has finished.
 */
const places = createPlaces(2);

/**
 * Writes the outputs in a thread: building the report of a large crawl takes seconds in which this process must still
 * answer its workers. Undefined where the signal was aborted first: then some files are of an earlier run, each whole.
 */
export async function writeOutputsAside(
  task: OutputTask,
  signal: AbortSignal,
): Promise<Manifest['outputs'] | undefined> {
  if (!(await places.take(signal))) return undefined;
  try {
    return await writeInThread(task, signal);
  } finally {
    places.leave();
  }
}

async function writeInThread(
  task: OutputTask,
  signal: AbortSignal,
): Promise<Manifest['outputs'] | undefined> {
  startThreadsWithRoom();
  const thread = new Worker(entry, { workerData: task });
  const abort = () => void thread.terminate();
  signal.addEventListener('abort', abort, { once: true });
  try {
    const answer = await new Promise<OutputAnswer | undefined>((resolve, reject) => {
      thread.once('message', resolve);
      thread.once('error', reject);
      thread.once('exit', () => resolve(undefined));
      if (signal.aborted) abort();
    });
    if (answer === undefined && signal.aborted) {
      await removeUnfinished(task.folder);
      return undefined;
    }
    if (answer === undefined) throw new WebfarerError('internal', 'the thread that writes the outputs ended');
    if ('error' in answer) throw receiveFailure(answer.error);
    return answer.outputs;
  } finally {
    signal.removeEventListener('abort', abort);
    await thread.terminate();
  }
}

/** A thread that was ended leaves files under their temporary names. */
async function removeUnfinished(folder: string): Promise<void> {
  for (const place of [folder, join(folder, 'archive')]) {
    const names = await readdir(place).catch((): string[] => []);
    for (const name of names.filter((file) => /\.(new|sorting)$/.test(file)))
      await rm(join(place, name), { recursive: true, force: true });
  }
}
