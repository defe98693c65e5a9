// watches: scripts/ci, test/mutants
// misses: a selection of CI that leaves out what would find a fault
import { spawnSync } from 'node:child_process';
import { existsSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readProject } from '../../scripts/check/project.ts';
import { historyOf } from '../../scripts/ci/history.ts';
import { ledgerText, readLedger } from '../../scripts/ci/ledger.ts';
import { partsOf } from '../../scripts/ci/parts.ts';
import { makePlan } from '../../scripts/ci/plan.ts';
import { applyChanges, linkModules } from '../faults/changed-source.ts';
import { randomFrom } from '../fuzz/random.ts';
import { mutants } from '../mutants/all.ts';
import { changesOf, type Mutant } from '../mutants/mutant.ts';
import { runBounded } from '../mutants/run-bounded.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { argument, workFolder } from './lab.ts';

const root = resolve(import.meta.dirname, '../..');
const limitMs = 600_000;

/**
 * Commits one fault after the other to a clone in which everything else is proven, each in another folder of the
 * product. CI must select the part that finds it because of the change, not because it happens to be its turn, and that
 * part must fail when CI runs it. Other parts of the selection are not run: they could only find more. `--count N`,
 * `--seed N`.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const seed = Number(argument(args, '--seed') ?? (quick ? 1 : Math.floor(Math.random() * 0x7fff_ffff)));
  const planted = chosen(Number(argument(args, '--count') ?? (quick ? 2 : 10)), seed);
  const work = workFolder('selection');
  const found: string[] = [];
  const missed: Record<string, string> = {};
  const selected: number[] = [];
  try {
    const clone = cloneProven(join(work.path, 'project'));
    const killers = [...new Set(planted.map(killerOf))];
    const unchanged = await runOnly(clone, killers);
    for (const [n, mutant] of planted.entries()) {
      const restore = applyChanges(changesOf(mutant), clone);
      git(clone, 'commit', '-qam', mutant.name);
      const { parts, why } = selectedFor(clone, mutant, n);
      const problem =
        why ?? ((await runOnly(clone, [killerOf(mutant)])) ? `${killerOf(mutant)} passed` : undefined);
      if (problem === undefined) found.push(mutant.name);
      else missed[mutant.name] = problem;
      selected.push(parts);
      console.error(
        `  ${problem ?? `found by ${killerOf(mutant)}`}: ${mutant.name}, of ${parts} parts selected`,
      );
      restore();
      git(clone, 'reset', '-q', '--hard', 'HEAD~1');
    }
    return {
      ok: unchanged && planted.length > 0 && found.length === planted.length,
      result: {
        planted: planted.length,
        found: found.length,
        missed,
        unchanged,
        folders: planted.map(folderOf),
        selected,
        sizes: { mutants: mutants.length, parts: partsOf(readProject(clone)).length, seed },
      },
    };
  } finally {
    work.remove();
  }
}

const killerOf = ({ killer }: Mutant): string => ('test' in killer ? killer.test : `prove ${killer.proof}`);

/** The folder of a package's source. */
const folderOf = ({ file }: Mutant): string => file.split('/').slice(0, 4).join('/');

/** One in each of so many folders. Those that a test finds: CI runs proofs in their quick form, without further words. */
function chosen(count: number, seed: number): Mutant[] {
  const random = randomFrom(seed);
  const known = mutants.filter(({ killer, file }) => 'test' in killer && file.startsWith('packages/'));
  const shuffled = known.map((mutant) => ({ mutant, at: random.below(2 ** 32) }));
  shuffled.sort((a, b) => a.at - b.at);
  const byFolder = new Map(shuffled.map(({ mutant }) => [folderOf(mutant), mutant]));
  return [...byFolder.values()].slice(0, count);
}

/** A clone of the head in which every part was proven at that very commit. */
function cloneProven(under: string): string {
  git(root, 'clone', '-q', '--shared', root, under);
  if (existsSync(join(root, '.tools'))) symlinkSync(join(root, '.tools'), join(under, '.tools'));
  linkModules(under);
  const commit = git(under, 'rev-parse', 'HEAD').trim();
  const parts = partsOf(readProject(under)).map(({ id }) => id);
  writeFileSync(join(under, '.ci/proven'), ledgerText({ runs: [{ commit, date: '', parts }] }));
  git(under, 'commit', '-qam', 'Everything is proven');
  return under;
}

/** How many parts CI selects, and why the one that finds the fault is not among them. */
function selectedFor(clone: string, mutant: Mutant, runNumber: number): { parts: number; why?: string } {
  const parts = partsOf(readProject(clone));
  const ledger = readLedger(git(clone, 'show', 'HEAD:.ci/proven'));
  const plan = makePlan({ parts, ledger, history: historyOf(clone), seconds: {}, runNumber });
  const reason = [...plan.chosen].find(([{ id }]) => id === killerOf(mutant))?.[1];
  const size = { parts: plan.chosen.size };
  if (plan.whole !== undefined) return { ...size, why: `everything was selected: ${plan.whole}` };
  if (reason === undefined || reason === 'its turn')
    return { ...size, why: `not selected for the change: ${killerOf(mutant)}` };
  return size;
}

/** Whether CI passes when it runs these parts. */
async function runOnly(clone: string, parts: readonly string[]): Promise<boolean> {
  const { code, stdout, tail } = await runBounded(
    clone,
    ['scripts/ci/run.ts', '--only', parts.join(',')],
    limitMs,
  );
  const counts = /^(\d+) passed, (\d+) failed$/m.exec(stdout);
  if (code === undefined || !counts) throw new Error(`CI did not come to an end:\n${tail}`);
  return code === 0 && Number(counts[1]) > 0 && counts[2] === '0';
}

function git(under: string, ...words: string[]): string {
  const own = ['-c', 'user.name=proof', '-c', 'user.email=proof@lab.test', '-c', 'commit.gpgsign=false'];
  const { status, stdout, stderr } = spawnSync('git', [...own, ...words], { cwd: under, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${words[0] ?? ''}: ${stderr}`);
  return stdout;
}
