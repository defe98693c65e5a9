// watches: packages/cli/src/machine, packages/cli/src/crawling, packages/cli/src/processes
// watches: packages/graph/src/dependency, packages/graph/src/hostgraph
// misses: computing that takes more of a processor than its owner allows
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeLargeJob } from '../dependency/large-job.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { argument, workFolder } from './lab.ts';

/** Over a short time the start and the last pause weigh more: the quick form is held to a wider bound. */
// ci: rated, because it measures shares of the CPU.
const sizes = { quick: { seconds: 10, within: 0.05 }, full: { seconds: 60, within: 0.03 } } as const;

const childPath = join(import.meta.dirname, '../dependency/compute-child.ts');

/**
 * The compute phase uses the share of one processor that its owner sets: a process that has more than enough to do,
 * measured from outside, by the kernel's own account. `--share 25`. Without a share it must use far more, or the
 * measurement shows nothing: on a machine so busy that it cannot, only the upper bound is judged, and the result says so.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const size = quick ? sizes.quick : sizes.full;
  const share = Number(argument(args, '--share') ?? 25) / 100;
  const folder = workFolder('cpu-share');
  try {
    const job = join(folder.path, 'job');
    await writeLargeJob(job, { pages: 20_000, hosts: 4 });
    const measured = await measure(job, share, size.seconds);
    console.error(`asked for ${share * 100} % of a processor, used ${(measured * 100).toFixed(1)} %`);
    const unbound = await measure(job, 1, Math.min(size.seconds, 5));
    const isBusy = unbound < 1.5 * share;
    if (isBusy) console.error(`the machine is busy: without a bound it used ${(unbound * 100).toFixed(1)} %`);
    const tooSlow = measured > share + size.within || (!isBusy && measured < share - size.within);
    return {
      ok: true,
      tooSlow,
      result: { share, measured: round(measured), unbound: round(unbound), isBusy, sizes: size },
    };
  } finally {
    folder.remove();
  }
}

/** Its part of one processor, from when it says that it is ready to shortly before it ends. */
async function measure(job: string, share: number, seconds: number): Promise<number> {
  const words = [childPath, job, '', '', String(share), String(seconds + 5)];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = new Promise((resolve) => {
    child.once('exit', resolve);
  });
  try {
    await Promise.race([
      new Promise((resolve) => {
        child.stdout.once('data', resolve);
      }),
      ended,
    ]);
    const [began, before] = [performance.now(), cpuSeconds(child)];
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    return (cpuSeconds(child) - before) / ((performance.now() - began) / 1_000);
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}

/** User and system time of all its threads; the kernel counts in hundredths of a second. */
function cpuSeconds({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function round(part: number): number {
  return Math.round(part * 1_000) / 1_000;
}
