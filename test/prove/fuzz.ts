// watches: packages/protocol/src/url, packages/protocol/src/robots, packages/protocol/src/job
// watches: packages/protocol/src/link, packages/worker/src/extract, packages/worker/src/tree
// watches: packages/worker/src/bytes, packages/worker/src/documents, packages/worker/src/archive
// watches: packages/worker/src/forms, packages/worker/src/facts, packages/worker/src/bzip2, test/fuzz
// misses: crashes and endless work on hostile input
import { type TargetName, targets } from '../fuzz/target.ts';
import { type Finding, type TargetRun, watchTarget } from '../fuzz/watch.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { argument, workFolder } from './lab.ts';

// ci: rated, because it judges the slowest case.

const counts = { quick: 8_000, full: 100_000 };
const slowMs = 1_000;
const hangMs = 10_000;

/**
 * Made-up input for everything that reads what strangers send: nothing crashes, nothing takes a second, and
 * what must always hold does. `--count N`, `--seed N`; `--target NAME --at N` runs one input again.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const count = Number(argument(args, '--count') ?? (quick ? counts.quick : counts.full));
  const seed = Number(argument(args, '--seed') ?? 1);
  const only = argument(args, '--target') as TargetName | undefined;
  const at = argument(args, '--at');
  const folder = workFolder('fuzz');
  const common = { seed, slowMs, hangMs, corpora: process.env.WEBFARER_CORPORA, folder: folder.path };
  try {
    const blind = only === undefined ? await whatThisCannotSee(common) : [];
    const runs: TargetRun[] = [];
    for (const [target, share] of Object.entries(targets)) {
      if (only !== undefined && target !== only) continue;
      const inputs = only === undefined ? Math.ceil(count * share) : count;
      const range = at === undefined ? { count: inputs } : { count: 1, from: Number(at) };
      const started = performance.now();
      const run = await watchTarget({ ...common, ...range, target });
      runs.push(run);
      const seconds = Math.round((performance.now() - started) / 100) / 10;
      console.error(
        `${target.padEnd(8)} ${run.inputs} inputs in ${seconds} s, the longest ${run.worstMs} ms (input ${run.worstAt})`,
      );
      for (const finding of run.findings) show(finding);
    }
    return verdict(runs, blind, { count, seed });
  } finally {
    folder.remove();
  }
}

function verdict(runs: TargetRun[], blind: string[], sizes: { count: number; seed: number }): ProofResult {
  const findings = runs.flatMap((run) => run.findings);
  const of = (kind: Finding['kind']): number => findings.filter((finding) => finding.kind === kind).length;
  const inputs = runs.reduce((sum, run) => sum + run.inputs, 0);
  const crashes = of('crash');
  const slow = of('slow') + of('hang');
  return {
    ok: blind.length === 0 && inputs > 0 && crashes === 0,
    tooSlow: slow > 0,
    result: {
      inputs,
      crashes,
      slow,
      hangs: of('hang'),
      worstMs: Object.fromEntries(runs.map((run) => [run.target, run.worstMs])),
      perTarget: Object.fromEntries(runs.map((run) => [run.target, run.inputs])),
      again: findings.map(again),
      blind,
      sizes,
    },
  };
}

const again = ({ target, seed, at }: Finding): string =>
  `npm run prove -- fuzz --target ${target} --seed ${seed} --at ${at}`;

function show(finding: Finding): void {
  const { kind, target, at, text, minimal } = finding;
  console.error(`  ${kind} of ${target} at input ${at}: ${text.slice(0, 1_500)}`);
  if (minimal !== undefined) {
    console.error(
      `  smallest input: ${JSON.stringify(Buffer.from(minimal, 'base64').toString('latin1')).slice(0, 1_000)}`,
    );
    console.error(`  in base64: ${minimal.slice(0, 2_000)}`);
  }
  console.error(`  again: ${again(finding)}`);
}

/** A target that throws, hangs, dies and dawdles; answers what of that went unseen. */
async function whatThisCannotSee(
  common: Omit<Parameters<typeof watchTarget>[0], 'target' | 'count'>,
): Promise<string[]> {
  const { findings } = await watchTarget({ ...common, target: 'faulty', count: 4, slowMs: 100, hangMs: 400 });
  const crash = findings.find(({ kind, text }) => kind === 'crash' && text.includes('it throws'));
  const seen: [string, boolean][] = [
    ['an error', crash !== undefined],
    ['a smallest input', Buffer.from(crash?.minimal ?? '', 'base64').toString() === 'throws'],
    ['a loop without end', findings.some(({ kind }) => kind === 'hang')],
    ['an error that nobody waits for', findings.some(({ text }) => text.includes('thrown elsewhere'))],
    ['a slow answer', findings.some(({ kind }) => kind === 'slow')],
  ];
  return seen.filter(([, noticed]) => !noticed).map(([what]) => what);
}
