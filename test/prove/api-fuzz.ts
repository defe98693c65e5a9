// ci: long
// watches: packages/coordinator/src/api, packages/coordinator/src/stream, packages/coordinator/src/registry
// watches: packages/coordinator/src/catalog, packages/coordinator/src/webhooks, packages/coordinator/src/schedule
// watches: packages/coordinator/src/teams, packages/coordinator/src/tokens, packages/protocol/src/api
// misses: answers that the OpenAPI document does not describe, and 5xx on odd requests
import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { endless, fuzz, type Fuzzed, type FuzzOptions, operationsIn } from '../api/fuzz.ts';
import { openWorld, urlOf } from '../api/world.ts';
import { type Change, copyWith } from '../faults/changed-source.ts';
import { networkProcess, type NetworkProcess } from '../network/process.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { argument, workFolder } from './lab.ts';

/** Cases for each operation: with whatever values, and with those that lead to what there is. */
const plans = {
  quick: { wild: 3, known: 2 },
  full: { wild: 120, known: 100 },
};
const fullCases = 10_000;

/**
 * A fuzzer from elsewhere (schemathesis) makes up requests from the OpenAPI document that a coordinator serves, and judges
 * each answer by it: no 5xx, no status, type, header or body that the document does not name, nothing accepted that breaks
 * a schema. The crawls that it reads are real ones; the coordinator has no worker and no way to the web, so that nothing
 * it makes up leaves the machine. The control: a handler that throws, an answer without a field and a status that is not
 * documented are all found. `--seed N`.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const plan = quick ? plans.quick : plans.full;
  const seed = Number(argument(args, '--seed') ?? Math.floor(Math.random() * 1e6));
  const work = workFolder('api-fuzz');
  const world = await openWorld(work.path);
  const started: NetworkProcess[] = [];
  try {
    await world.coordinator.stop();
    const { document, admin: token } = world;
    const start = async (command: string) => {
      const folder = world.coordinator.folder;
      const one = networkProcess({
        name: 'fuzzed coordinator',
        folder,
        command,
        words: () => [folder, world.redis.url],
        atWork: (printed) => printed.includes('Listening on'),
      });
      started.push(one);
      await one.start();
      return one;
    };
    const program = 'test/api/coordinator.ts';
    const own = await start(join(import.meta.dirname, '../..', program));
    const { session: _nobody, ...shared } = world.shared;
    const known = { ...world.of.red, ...shared };
    const common = { url: urlOf(own), token, document, seed };
    const rounds: Fuzzed[] = [];
    const wild = { negative: true, maxExamples: plan.wild };
    const aimed = { negative: false, maxExamples: plan.known, known };
    // It takes up ids from answers, and with that of its own token it would lock itself out.
    const ending = ['revokeToken', 'rotateToken'];
    const spare = (await newToken(common.url, token)).token;
    const parts: Part[] = [
      {
        name: 'whatever values',
        ...wild,
        filter: ending.flatMap((operation) => ['--exclude-operation-id', operation]),
      },
      { name: 'values of what there is', ...aimed, filter: ['--exclude-method', 'DELETE'] },
      // Last: everything else needs something to be there.
      { name: 'deletions', ...aimed, filter: ['--include-method', 'DELETE'] },
      {
        name: 'the end of tokens',
        ...wild,
        token: spare,
        filter: ending.flatMap((operation) => ['--include-operation-id', operation]),
      },
    ];
    for (const { name, ...part } of quick ? parts.slice(0, 2) : parts) {
      const under = join(work.path, `part-${rounds.length}`);
      let round = await fuzz({ ...common, ...part, under });
      if (isOfPython(round)) round = await fuzz({ ...common, ...part, under: `${under}-again` });
      console.error(`  ${name}: ${round.cases} cases, ${round.failures.length} kinds of failures`);
      if (round.failures.length + round.errors.length > 0) console.error(round.printed.slice(0, 20_000));
      rounds.push(round);
    }
    const isTokenGood = (await statusOf(`${common.url}/v1/tokens`, token)) === 200;
    await own.stop();
    const broken = await start(brokenCopy(join(work.path, 'broken'), program));
    const control = await fuzz({
      ...common,
      url: urlOf(broken),
      under: join(work.path, 'control'),
      negative: false,
      maxExamples: 2,
      filter: bugs.flatMap(({ operation }) => ['--include-operation-id', operation]),
    });
    await broken.stop();
    const cases = rounds.reduce((sum, round) => sum + round.cases, 0);
    const failures = rounds.flatMap((round) => round.failures);
    const errors = rounds.flatMap((round) => round.errors);
    const foundInControl = control.failures.map(({ title }) => title).toSorted();
    const notFuzzed = endless(document);
    const operations = operationsIn(document).length - notFuzzed.length;
    return {
      ok:
        failures.length + errors.length === 0 &&
        (quick || cases >= fullCases) &&
        isTokenGood &&
        rounds[0]?.operations === operations - ending.length &&
        foundInControl.length === bugs.length,
      result: {
        operations,
        cases,
        failures: failures.reduce((sum, { count }) => sum + count, 0),
        errors: errors.length,
        isTokenGood,
        foundInControl,
        notFuzzed,
        ...(failures.length > 0 ? { examples: failures.slice(0, 5) } : {}),
        sizes: plan,
        seed,
      },
    };
  } finally {
    for (const one of started) await one.kill();
    await world.stop();
    work.remove();
  }
}

type Part = { name: string } & Omit<FuzzOptions, 'under' | 'url' | 'token' | 'document' | 'seed'> &
  Partial<Pick<FuzzOptions, 'token'>>;

async function statusOf(url: string, token: string): Promise<number> {
  const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
  await answer.body?.cancel();
  return answer.status;
}

async function newToken(url: string, token: string): Promise<{ token: string }> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await fetch(`${url}/v1/tokens`, { method: 'POST', headers, body: '{"scope":"admin"}' });
  return (await answer.json()) as { token: string };
}

/** One bug of each kind, each on every request to its route. */
const bugs: (Change & { operation: string })[] = [
  {
    operation: 'listTeams',
    file: 'packages/coordinator/src/api/families/teams.ts',
    from: 'const { teams: items, next } = await teams.list(query);',
    to: 'const { teams: items, next } = (await teams.list(query)).nothing.here;',
  },
  {
    operation: 'getVersion',
    file: 'packages/coordinator/src/api/families/system.ts',
    from: "      version,\n      api: 'v1',",
    to: "      api: 'v1',",
  },
  {
    operation: 'listAudit',
    file: 'packages/coordinator/src/api/families/audit.ts',
    from: 'const fits = fitsFilter(filter);',
    to: "throw new (await import('@webfarer/protocol')).WebfarerError('link-version', 'no');\n      const fits = fitsFilter(filter);",
  },
];

/** The program beside a copy of the product, so that it runs on the copy. */
function brokenCopy(under: string, program: string): string {
  copyWith(bugs, under);
  const file = join(under, program);
  mkdirSync(join(under, 'test/api'), { recursive: true });
  copyFileSync(join(import.meta.dirname, '../..', program), file);
  return file;
}

/** Python 3.11 loses count in its own parser at times, which says nothing about what is asked. */
function isOfPython({ failures, errors, printed }: Awaited<ReturnType<typeof fuzz>>): boolean {
  const said = printed.match(/AST constructor recursion depth mismatch/g) ?? [];
  return failures.length === 0 && errors.length > 0 && said.length >= errors.length;
}
