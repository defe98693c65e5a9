import fc from 'fast-check';
import { compareSequence } from '../../packages/coordinator/src/frontier/compare.model.ts';
import { comparedSqlite } from '../../packages/coordinator/src/frontier/sqlite/compared.fixture.ts';
import { sequences } from '../../packages/coordinator/src/frontier/steps.model.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { argument } from './lab.ts';

/** `--count N` sequences, `--seed N` to repeat a run. */
const fullCount = 100_000;
const quickCount = 2000;

/**
 * Random sequences of all commands of a frontier, with restarts and refused commits in between, on SQLite
 * and on a plain model of the rules: every answer and every balance must be the same.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const count = Number(argument(args, '--count') ?? (quick ? quickCount : fullCount));
  const seed = Number(argument(args, '--seed') ?? Math.floor(Math.random() * 0x7fff_ffff));
  const store = comparedSqlite();
  let run = 0;
  const property = fc.asyncProperty(sequences, async (steps) => {
    if (++run % 10_000 === 0) console.error(`${run} of ${count}`);
    await compareSequence(store, steps);
  });
  const started = performance.now();
  const details = await fc.check(property, { numRuns: count, seed });
  store.close();
  if (details.failed) {
    console.error(fc.defaultReportMessage(details));
    console.error(details.errorInstance);
  }
  const seconds = Math.round((performance.now() - started) / 1000);
  const differences = details.failed ? 1 : 0;
  const sizes = { sequences: count, stepsAtMost: 52 };
  return { ok: !details.failed, result: { sequences: details.numRuns, differences, seed, seconds, sizes } };
}
