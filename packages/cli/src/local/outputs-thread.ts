import { parentPort, workerData } from 'node:worker_threads';
import { systemClock } from '@webfarer/protocol';
import { sendFailure } from '@webfarer/protocol/link';
import { readFrontier } from '@webfarer/coordinator/reading';
import { notWritten } from './not-written.ts';
import type { OutputAnswer, OutputTask } from './outputs-aside.ts';
import { writeOutputs } from './outputs.ts';

/** The thread of `writeOutputsAside`: reads the crawl over a connection of its own. */
async function answer(options: OutputTask): Promise<OutputAnswer> {
  const frontier = await readFrontier(options, { clock: systemClock(), snapshot: true });
  try {
    return { outputs: await writeOutputs({ ...options, results: frontier.results }).catch(notWritten) };
  } finally {
    await frontier.close();
  }
}

parentPort?.postMessage(
  await answer(workerData as OutputTask).catch(
    (error: unknown): OutputAnswer => ({ error: sendFailure(error) }),
  ),
);
