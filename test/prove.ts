import { AssertionError } from 'node:assert';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { docCommentOf } from './doc-comment.ts';

/**
 * `npm run prove -- NAME [--quick] [...]`: checks one promise against real parts. What people read goes to
 * stderr; the last line of stdout is one line of JSON. Exits 1 where the promise does not hold, 3 where the proof came to
 * no judgement: a wait of its own ran out, or a server of its own did not start.
 */
export interface ProofOptions {
  quick: boolean;
  args: string[];
}

export interface ProofResult {
  /** Everything that is counted is right. */
  ok: boolean;
  /**
   * A rate or a delay is outside its bound. Other programs can slow a machine for a few seconds, so the proof is run
   * again, `maxRuns` times in all; a wrong count is final.
   */
  tooSlow?: boolean;
  /**
   * The trial did not come to what it is about: nothing was cut off midway, or the control came to no harm. That says
   * nothing of the product, so the proof is run again as well.
   */
  tooEasy?: boolean;
  result: Record<string, unknown>;
}

const maxRuns = 3;
const root = resolve(import.meta.dirname, '..');
const folder = join(import.meta.dirname, 'prove');

/** The first run that says something, or the last. */
async function telling(proof: typeof prove, options: ProofOptions): Promise<ProofResult & { runs: number }> {
  for (let runs = 1; ; runs++) {
    try {
      const { ok, tooSlow = false, tooEasy = false, result } = await proof(options);
      const isTelling = !tooSlow && !tooEasy;
      if (!ok || isTelling || runs === maxRuns) return { ok: ok && isTelling, result, runs };
      const why = tooSlow ? 'too slow' : 'too easy';
      console.error(`${why}, run ${runs} of ${maxRuns}: ${JSON.stringify(result)}`);
    } catch (error) {
      console.error(error);
      if (!(error instanceof AssertionError)) process.exitCode = 3;
      return { ok: false, result: { error: String(error) }, runs };
    }
  }
}

/** A module is a proof when it has a function `prove`; other files beside it are its parts. */
async function load(name: string): Promise<((options: ProofOptions) => Promise<ProofResult>) | undefined> {
  const file = join(folder, `${name}.ts`);
  if (!/^[a-z0-9-]+$/.test(name) || !existsSync(file)) return undefined;
  const found = (await import(pathToFileURL(file).href)) as { prove?: unknown };
  return typeof found.prove === 'function' ? (found.prove as typeof prove) : undefined;
}

declare function prove(options: ProofOptions): Promise<ProofResult>;

/** Read, not loaded: some of the parts beside the proofs are programs. */
function names(): string[] {
  const isProof = (file: string) =>
    /^export (async )?function prove\b/m.test(readFileSync(join(folder, file), 'utf8'));
  return readdirSync(folder)
    .filter((file) => file.endsWith('.ts') && isProof(file))
    .map((file) => file.slice(0, -3))
    .toSorted();
}

/** Proofs that read a corpus find it by this variable, or in a corpora folder beside the checkout. */
function useCorpora(): void {
  const beside = resolve(root, '..', 'shared', 'corpora');
  if (process.env.WEBFARER_CORPORA === undefined && existsSync(beside)) process.env.WEBFARER_CORPORA = beside;
}

async function run(name: string, args: string[]): Promise<boolean> {
  const proof = await load(name);
  if (proof === undefined) {
    console.error(`usage: npm run prove -- NAME [--quick] [...]\nnames: ${names().join(' ')}`);
    process.exitCode = 2;
    return false;
  }
  if (args.includes('--help')) {
    console.error(docCommentOf(join(folder, `${name}.ts`), 'prove'));
    return true;
  }
  const quick = args.includes('--quick');
  const started = performance.now();
  const { runs, ...outcome } = await telling(proof, { quick, args: args.filter((arg) => arg !== '--quick') });
  const seconds = Math.round((performance.now() - started) / 100) / 10;
  const line = { name, ok: outcome.ok, quick, sizes: null, ...outcome.result, runs, seconds };
  console.error(`${name}: ${outcome.ok ? 'holds' : 'DOES NOT HOLD'} (${seconds} s${quick ? ', quick' : ''})`);
  // Written before exit even where stdout is a pipe.
  await new Promise<void>((done) => {
    process.stdout.write(`${JSON.stringify(line)}\n`, () => done());
  });
  return outcome.ok;
}

const [name = '', ...args] = process.argv.slice(2);
useCorpora();
// Not the host ledger of whoever runs this.
const state = mkdtempSync(join(tmpdir(), 'webfarer-prove-state-'));
process.env.WEBFARER_STATE ??= state;
const ok = await run(name, args);
rmSync(state, { recursive: true, force: true });
// A proof that left something open must not hang the run.
process.exit(ok ? 0 : (process.exitCode ?? 1));
