// ci: gate
// watches: packages, bench/ledger.json
// misses: pages, starts and waiting that cost more than at the ledger's commit
import { spawn } from 'node:child_process';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { copyWith } from '../test/faults/changed-source.ts';
import { argument, commandPath, workFolder } from '../test/prove/lab.ts';
import { dyingWithUs } from '../test/redis/server-process.ts';
import type { BenchOptions, BenchResult } from './bench.ts';
import { type Compared, compare } from './cost/compare.ts';
import { figures } from './cost/figures.ts';
import { improved, readLedger, writeLedger } from './cost/ledger.ts';
import { sites, type TrialName, trialNames } from './cost/parts.ts';
import { planted } from './cost/planted.ts';
import { thisCommit, treeOf } from './cost/tree.ts';

/** Begins no further round after this, for three minutes in all; the first two rounds are always run. */
const budgetMs = 165_000;
/** The longest that a busy process lasts, whatever becomes of the bench. */
const loadSeconds = 1_200;

/**
 * What this tree costs, compared with the commit of `bench/ledger.json`. `--base COMMIT` compares with another one,
 * `--only NAME,NAME` runs some of the trials, `--record` writes the ledger where nothing is worse. `--planted`, with
 * `--count N` and `--same N`, checks the verdict: it must pass a copy of this tree and fail one with a loop of 60 µs in
 * every page, both beside a busy process for each processor. `--quick` is one round and no verdict.
 */
export async function bench({ quick, args }: BenchOptions): Promise<BenchResult> {
  const only = trialsOf(argument(args, '--only'));
  if (args.includes('--planted')) {
    const planted = Number(argument(args, '--count') ?? 1);
    return await checkVerdict({ planted, same: Number(argument(args, '--same') ?? planted) }, only);
  }
  const ledger = readLedger();
  const work = workFolder('cost');
  const base = await treeOf(argument(args, '--base') ?? ledger.commit, work.path);
  try {
    const compared = await compare({
      commands: { here: commandPath, base: join(base.path, 'packages/cli/src/bin.ts') },
      only,
      under: work.path,
      least: (name) => ledger.figures[name].least,
      budgetMs,
      quick,
      untilLost: false,
    });
    const commit = await thisCommit();
    const refused = args.includes('--record') ? record(commit, compared) : [];
    const lost = lostOf(compared);
    return {
      // One round on a busy machine says nothing about cost.
      ok: quick || (lost.length === 0 && refused.length === 0),
      result: {
        figures: Object.fromEntries(compared.map((one) => [one.name, summary(one)])),
        lost,
        // Below the bar, but not surely: a quieter machine or more rounds would tell.
        undecided: undecidedOf(compared),
        refused,
        load: loadavg()[0],
        sizes: { ...sites, here: commit, base: base.commit, cores: cpus().length },
      },
    };
  } finally {
    await base.remove();
    work.remove();
  }
}

function trialsOf(text: string | undefined): ReadonlySet<TrialName> {
  const names = text?.split(',') ?? trialNames;
  const unknown = names.find((name) => !trialNames.some((known) => known === name));
  if (unknown !== undefined) throw new Error(`--only takes ${trialNames.join(', ')}, not ${unknown}`);
  return new Set(names as TrialName[]);
}

function lostOf(compared: Compared[]): string[] {
  return compared.flatMap(({ name, kept }) => (kept ? [] : [name]));
}

function undecidedOf(compared: Compared[]): string[] {
  return compared.flatMap(({ name, verdict, ratio, least }) =>
    verdict === 'open' && ratio < least ? [name] : [],
  );
}

function summary({ name, ratio, error, pairs, least, kept }: Compared) {
  return {
    ratio: round(ratio, 3),
    error: round(error, 3),
    here: round(median(pairs.map(({ here }) => here)), 1),
    base: round(median(pairs.map(({ base }) => base)), 1),
    unit: figures[name],
    rounds: pairs.length,
    least,
    kept,
  };
}

/** Writes the ledger, or answers why not. */
function record(commit: string, compared: Compared[]): string[] {
  if (commit.endsWith('+')) return ['Commit first: the ledger names the commit that was measured.'];
  const measured = compared.map(({ name, ratio, error, pairs }) => {
    return [name, { ratio, error, value: round(median(pairs.map(({ here }) => here)), 1) }] as const;
  });
  const after = improved(readLedger(), commit, new Map(measured));
  if ('worse' in after) return after.worse.map((name) => `${name} is worse than before, or was not measured`);
  writeLedger(after.ledger);
  return [];
}

/** Both verdicts: so often on a copy of this tree, and so often on one with a loop in every page. */
async function checkVerdict(
  count: { planted: number; same: number },
  only: ReadonlySet<TrialName>,
): Promise<BenchResult> {
  const runs = { same: [] as Verdict[], planted: [] as Verdict[] };
  for (let n = 0; n < Math.max(count.planted, count.same); n++)
    for (const kind of ['planted', 'same'] as const) {
      if (n >= count[kind]) continue;
      const verdict = await verdictOn(kind, only);
      runs[kind].push(verdict);
      console.error(`${kind} ${n + 1}: lost ${verdict.lost.join('; ') || 'nothing'} (load ${verdict.load})`);
    }
  const falseAlarms = runs.same.filter(({ lost }) => lost.length > 0).length;
  const missed = runs.planted.filter(({ lost }) => lost.length === 0).length;
  return {
    ok: falseAlarms === 0 && missed === 0,
    result: { falseAlarms, missed, runs, sizes: { count, only: [...only], ...sites } },
  };
}

interface Verdict {
  lost: string[];
  ratios: Record<string, number>;
  load: number;
}

async function verdictOn(kind: 'same' | 'planted', only: ReadonlySet<TrialName>): Promise<Verdict> {
  const work = workFolder('cost');
  const ledger = readLedger();
  const load = cpus().map(startLoad);
  try {
    const compared = await compare({
      commands: {
        here: copyWith(kind === 'planted' ? [planted] : [], join(work.path, 'here-tree')),
        base: copyWith([], join(work.path, 'base-tree')),
      },
      only,
      under: work.path,
      least: (name) => ledger.figures[name].least,
      budgetMs,
      quick: false,
      untilLost: kind === 'planted',
    });
    const ratios = Object.fromEntries(compared.map(({ name, ratio }) => [name, round(ratio, 3)]));
    return { lost: lostOf(compared), ratios, load: loadavg()[0] ?? 0 };
  } finally {
    for (const one of load) one.kill('SIGKILL');
    work.remove();
  }
}

function startLoad() {
  const program = join(import.meta.dirname, 'cost/load-program.ts');
  const [command, ...words] = [...dyingWithUs, process.execPath, program, String(loadSeconds)];
  return spawn(command, words, { stdio: 'ignore' });
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? (sorted[half] ?? 0) : ((sorted[half - 1] ?? 0) + (sorted[half] ?? 0)) / 2;
}

function round(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
