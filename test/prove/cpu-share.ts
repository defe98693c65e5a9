// watches: packages/cli/src/machine, packages/cli/src/crawling, packages/cli/src/processes
// watches: packages/graph/src/dependency, packages/graph/src/hostgraph
// misses: computing that takes more of a processor than its owner allows
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { judgeShare, type Measured } from '../dependency/judge-share.ts';
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
 * measurement shows nothing.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const size = quick ? sizes.quick : sizes.full;
  const share = Number(argument(args, '--share') ?? 25) / 100;
  const folder = workFolder('cpu-share');
  try {
    const job = join(folder.path, 'job');
    await writeLargeJob(job, { pages: 20_000, hosts: 4 });
    const bound = await measure(job, share, size.seconds);
    const unbound = await measure(job, 1, Math.min(size.seconds, 5));
    const { isWrong, isEasy } = judgeShare({ share, within: size.within, bound, unbound });
    return {
      ok: true,
      tooSlow: isWrong,
      tooEasy: isEasy,
      result: { share, bound: rounded(bound), unbound: rounded(unbound), sizes: size },
    };
  } finally {
    folder.remove();
  }
}

/** Its part of one processor, from when it says that it is ready to shortly before it ends. */
async function measure(job: string, share: number, seconds: number): Promise<Measured> {
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
    const [began, before] = [performance.now(), times(child)];
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    const [after, tookS] = [times(child), (performance.now() - began) / 1_000];
    const used = (after.usedS - before.usedS) / tookS;
    return { used, wanted: used + (after.waitedS - before.waitedS) / tookS };
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}

/** User and system time of all its threads, which the kernel counts in hundredths of a second, and how long its main thread waited. */
function times({ pid }: ChildProcess): { usedS: number; waitedS: number } {
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ')[1]?.split(' ') ?? [];
  const waitedNs = Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[1]);
  return { usedS: (Number(fields[11]) + Number(fields[12])) / 100, waitedS: waitedNs / 1e9 };
}

const rounded = ({ used, wanted }: Measured): Measured => ({ used: round(used), wanted: round(wanted) });

function round(part: number): number {
  return Math.round(part * 1_000) / 1_000;
}
