import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { randomNumbers } from '../../bench/random.ts';
import { writeLargeJob } from './large-job.ts';

export interface Killed {
  kills: number;
  /** Times it went on from a checkpoint. */
  resumed: number;
  finished: number;
  /** Results that were not bit for bit the one of an undisturbed run. */
  differences: number;
}

const childPath = join(import.meta.dirname, 'compute-child.ts');

/** Kills the compute phase at random moments, again and again; each time it comes to an end the result is compared. */
export async function killCompute(
  folder: string,
  { kills, pages, seed }: { kills: number; pages: number; seed: number },
): Promise<Killed> {
  const [job, checkpoint, result] = ['job', 'checkpoint', 'result'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  await writeLargeJob(job, { pages, hosts: 4 });
  const began = performance.now();
  await runChild([job, join(folder, 'none'), result]);
  const right = await readFile(result, 'utf8');
  const usualMs = performance.now() - began;
  const random = randomNumbers(seed);
  const total: Killed = { kills: 0, resumed: 0, finished: 0, differences: 0 };
  for (let run = 0; total.kills < kills && run < 20 * kills; run++) {
    await rm(result, { force: true });
    // The process needs a while to start, and what is left to do gets less: most kills hit the computation.
    const ended = await runChild([job, checkpoint, result], random() * usualMs * 0.3);
    if (ended.resumed) total.resumed++;
    if (ended.killed) total.kills++;
    if (ended.killed || !existsSync(result)) continue;
    total.finished++;
    if ((await readFile(result, 'utf8')) !== right) total.differences++;
    await rm(checkpoint, { force: true });
  }
  return { ...total, ...(await lastRun([job, checkpoint, result], right, total)) };
}

/** Whatever the last kill left behind is brought to its end too. */
async function lastRun(
  paths: [string, string, string],
  right: string,
  { finished, differences }: Killed,
): Promise<Pick<Killed, 'finished' | 'differences'>> {
  await runChild(paths);
  const isSame = (await readFile(paths[2], 'utf8')) === right;
  return { finished: finished + 1, differences: differences + (isSame ? 0 : 1) };
}

/** Killed so long after it said that it is ready, unless it ended before. */
async function runChild(
  args: readonly string[],
  killAfterMs?: number,
): Promise<{ killed: boolean; resumed: boolean }> {
  const child = spawn(process.execPath, [childPath, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  let timer: NodeJS.Timeout | undefined;
  child.stdout.on('data', (chunk: Buffer) => {
    text += chunk.toString();
    if (killAfterMs !== undefined && timer === undefined && text.includes('ready'))
      timer = setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  });
  const how = await new Promise<number | string | null>((resolve) => {
    child.once('close', (code, signal) => resolve(signal ?? code));
  });
  clearTimeout(timer);
  if (how !== 'SIGKILL' && how !== 0) throw new Error(`the computation ended with ${how}`);
  return { killed: how === 'SIGKILL', resumed: text.includes('resumed') };
}
