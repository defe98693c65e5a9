// watches: test/mutants, test/faults
// misses: tests and proofs that stay green with the rule gone
import { join } from 'node:path';
import { applyChanges, copyProject } from '../faults/changed-source.ts';
import { mutants } from '../mutants/all.ts';
import { changesOf, killerName, type Mutant } from '../mutants/mutant.ts';
import { runBounded } from '../mutants/run-bounded.ts';
import { runTests } from '../mutants/run-tests.ts';
import { judgeProof, judgeTest, lineOf, type Verdict } from '../mutants/verdict.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { argument, workFolder } from './lab.ts';

const quickCount = 6;
const limitMs = 180_000;

/** What each killer says of the unchanged product. */
interface Unchanged {
  /** Mutants whose killer does not pass there, and so can show nothing. */
  broken: Map<string, string>;
  lines: Map<string, Record<string, unknown>>;
}

/**
 * Puts one fault after the other into a copy of the product; the test or proof named for it must fail, in the case
 * and for the reason named. `--only NAME,NAME` takes the mutants whose name contains one of them, `--count N` as many at random,
 * `--seed N` repeats a choice.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const seed = Number(argument(args, '--seed') ?? Math.floor(Math.random() * 0x7fff_ffff));
  const only = argument(args, '--only');
  const count = Number(argument(args, '--count') ?? (quick ? quickCount : mutants.length));
  const known = mutants.filter(({ name, killer }) =>
    // A whole proof takes longer than the quick form may.
    only === undefined ? !quick || 'test' in killer : only.split(',').some((part) => name.includes(part)),
  );
  const chosen = choose(known, only === undefined ? count : known.length, seed);
  console.error(`${chosen.length} of ${mutants.length} mutants, seed ${seed}`);
  const work = workFolder('mutants');
  try {
    const under = join(work.path, 'project');
    copyProject(under);
    const unchanged = await runUnchanged(under, chosen);
    const found: Record<Verdict['outcome'], string[]> = { killed: [], survived: [], invalid: [] };
    const secondsEach: Record<string, number> = {};
    for (const mutant of chosen) {
      const started = performance.now();
      const { outcome, because } = await run(under, mutant, unchanged);
      const seconds = Math.round((performance.now() - started) / 100) / 10;
      secondsEach[mutant.name] = seconds;
      found[outcome].push(mutant.name);
      console.error(`  ${outcome.padEnd(8)} ${mutant.name}  ${seconds} s  ${because}`);
    }
    return {
      ok: found.killed.length === chosen.length && chosen.length > 0,
      result: {
        mutants: chosen.length,
        killed: found.killed.length,
        survived: found.survived.length,
        invalid: found.invalid.length,
        survivors: found.survived,
        invalidNames: found.invalid,
        seed,
        secondsEach,
        sizes: { known: mutants.length },
      },
    };
  } finally {
    work.remove();
  }
}

/** All test cases in one run, and each proof: a killer that fails anyway kills nothing. */
async function runUnchanged(under: string, chosen: readonly Mutant[]): Promise<Unchanged> {
  const broken = new Map<string, string>();
  const lines = new Map<string, Record<string, unknown>>();
  const tests = chosen.flatMap(({ killer }) => ('test' in killer ? [killer] : []));
  if (tests.length > 0) {
    const files = [...new Set(tests.map(({ test }) => test))];
    const all = await runTests(under, { files, cases: tests.map((one) => one.case), limitMs: limitMs * 2 });
    for (const { name, killer } of chosen) {
      if (!('test' in killer)) continue;
      const { outcome, because } = judgeTest(killer, all);
      if (outcome !== 'survived') broken.set(name, because);
    }
  }
  for (const { name, killer } of chosen) {
    if ('test' in killer) continue;
    const known = lines.get(killerName(killer));
    const line = known ?? lineOf(await runProof(under, killer));
    if (line) lines.set(killerName(killer), line);
    if (line?.['ok'] !== true) broken.set(name, `${killer.proof} does not hold: ${JSON.stringify(line)}`);
  }
  return { broken, lines };
}

async function run(under: string, mutant: Mutant, unchanged: Unchanged): Promise<Verdict> {
  const { killer } = mutant;
  const broken = unchanged.broken.get(mutant.name);
  if (broken !== undefined) return { outcome: 'invalid', because: `fails without the mutant: ${broken}` };
  const restore = applyChanges(changesOf(mutant), under);
  try {
    if (!('test' in killer))
      return judgeProof(killer, await runProof(under, killer), unchanged.lines.get(killerName(killer)));
    const only = { files: [killer.test], cases: [killer.case], limitMs };
    return judgeTest(killer, await runTests(under, only));
  } finally {
    restore();
  }
}

function runProof(under: string, killer: { proof: string; args: readonly string[] }) {
  return runBounded(under, [join(under, 'test/prove.ts'), killer.proof, ...killer.args], limitMs);
}

/** As many as wanted, in an order that follows from the seed; all of them in their own order. */
function choose(from: readonly Mutant[], count: number, seed: number): readonly Mutant[] {
  if (count >= from.length) return from;
  const rest = [...from];
  let state = seed;
  return Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    const [taken] = rest.splice(Math.floor((state / 0x8000_0000) * rest.length), 1);
    return taken as Mutant;
  });
}
