import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readProject } from '../check/project.ts';
import { ciPage } from '../docs/ci-page.ts';
import { historyOf } from './history.ts';
import { ledgerText, noLedger, readLedger, recorded } from './ledger.ts';
import { partsOf } from './parts.ts';
import { makePlan } from './plan.ts';
import { planText } from './plan-text.ts';
import { type Results, runParts, runSteps, type Stage } from './run-parts.ts';
import { runTests } from './run-tests.ts';
import { type Seconds, secondsText, type Took } from './seconds.ts';
import { stepRunner } from './step.ts';

/**
 * What `.ci/run` does once Node and the dependencies are there: selects what a change may have broken, runs it, and
 * records in `.ci/proven` what held. `--all` runs everything, `--plan` prints the selection with its reasons and runs
 * nothing, `--only NAME,NAME` runs these parts and records nothing.
 */
const root = resolve(import.meta.dirname, '../..');
const logs = join(root, 'build/ci');
const provenAt = join(root, '.ci/proven');
const secondsAt = join(root, '.ci/seconds.json');
const pageAt = join(root, 'docs/ci.md');
/** Written by runs: that they differ from the commit does not change what ran. */
const own = new Set(['.ci/proven', '.ci/seconds.json', 'docs/ci.md']);
const before = [
  { name: 'judges of tests', limitSeconds: 1800, command: ['node', 'test/outside/fetch.ts', '--tests'] },
  { name: 'check', limitSeconds: 900, command: ['node', 'scripts/check.ts'] },
];
const besideTests = [
  {
    name: 'judges of proofs',
    limitSeconds: 1800,
    command: ['nice', '-n', '19', 'node', 'test/outside/fetch.ts'],
  },
];

const { values: options } = parseArgs({
  options: { all: { type: 'boolean' }, plan: { type: 'boolean' }, only: { type: 'string' } },
});
const print = (text: string) => console.log(text);
const began = performance.now();
const history = historyOf(root);
const parts = partsOf(readProject(root));
const ledger = existsSync(provenAt) ? readLedger(readFileSync(provenAt, 'utf8')) : noLedger;
const seconds: Seconds = existsSync(secondsAt)
  ? (JSON.parse(readFileSync(secondsAt, 'utf8')) as Seconds)
  : {};
// Taken before anything runs: what runs leave behind is no change.
const uncommitted = history.uncommitted().filter((path) => !own.has(path));
const counter = process.env.WEBFARER_CI_RUN;
const plan = makePlan({
  parts,
  ledger,
  history,
  seconds,
  all: options.all ? '--all' : undefined,
  runNumber: counter === undefined ? undefined : Number(counter),
});
const only = options.only?.split(',');
const chosen =
  only === undefined
    ? [...plan.chosen.keys()]
    : parts.filter(({ id }) => only.some((name) => id === name || id.endsWith(` ${name}`)));

if (options.plan) print(planText(plan, seconds));
else process.exitCode = (await runAll()) ? 0 : 1;

async function runAll(): Promise<boolean> {
  mkdirSync(logs, { recursive: true });
  const full = planText(plan, seconds);
  writeFileSync(join(logs, 'plan.txt'), full);
  print(
    only === undefined
      ? `${full.slice(0, full.indexOf('\n\n'))}\n(each with its reason: build/ci/plan.txt)`
      : `only ${only.join(', ')}`,
  );
  const stage: Stage = { runStep: stepRunner({ root, logs }), print };
  const files = chosen.filter(({ kind }) => kind === 'test').map(({ file }) => file);
  const proofs = chosen.filter(({ kind }) => kind !== 'test');
  const wanted = (name: string) => only === undefined || only.includes(name);
  const steps = [
    await runSteps(
      before.filter(({ name }) => wanted(name)),
      stage,
    ),
  ];
  const fetched = runSteps(
    besideTests.filter(({ name }) => wanted(name)),
    stage,
  );
  const tests = files.length > 0 ? await runTests({ root, logs, files }, stage) : undefined;
  steps.push(await fetched);
  const results = await runParts(proofs, stage);
  const judged = [...steps, results].flatMap((each) => [...each.judged.values()]);
  const passed = judged.filter(Boolean).length + (tests?.passed ?? 0);
  const failed = judged.filter((held) => !held).length + (tests?.failed ?? 0);
  if (only === undefined) record({ results, tests, steps });
  print(`took ${Math.round((performance.now() - began) / 1000)} s, logs in build/ci`);
  print(`${passed} passed, ${failed} failed`);
  return failed === 0 && passed > 0;
}

interface Ended {
  results: Results;
  tests: Awaited<ReturnType<typeof runTests>> | undefined;
  steps: Results[];
}

/** For whoever ran it to commit; a new clone throws it away. */
function record({ results, tests, steps }: Ended): void {
  if (uncommitted.length > 0) {
    print(`not recorded: ${uncommitted.length} files differ from the commit, ${uncommitted[0]} for one`);
    return;
  }
  const ids = (held: boolean) => [...results.judged].filter(([, each]) => each === held).map(([id]) => id);
  const outcome = {
    commit: history.head,
    // allow(time): the day of a real run.
    date: new Date().toISOString().slice(0, 10),
    held: [...ids(true), ...(tests?.held ?? [])].filter((id) => !results.flickered.has(id)),
    failed: [...ids(false), ...results.flickered, ...(tests?.failedFiles ?? [])],
  };
  const existing = new Set(parts.map(({ id }) => id));
  writeFileSync(provenAt, ledgerText(recorded(ledger, outcome, existing)));
  print('recorded in .ci/proven what held; commit it, and the next run selects by it');
  if (plan.whole === undefined) return;
  const took = new Map<string, Took>([
    ...steps.flatMap((each) => [...each.took]),
    ...results.took,
    ...[...(tests?.wall ?? [])].map(([file, wall]) => [file, { wall, cpu: null }] as const),
  ]);
  if (tests !== undefined) took.set('test', { wall: tests.seconds, cpu: tests.cpu });
  // What failed may have ended early: what was known of it stays.
  for (const id of outcome.failed) took.delete(id);
  const known = Object.entries(seconds).filter(([id]) => existing.has(id));
  const all = Object.fromEntries([...known, ...took]);
  writeFileSync(secondsAt, secondsText(all));
  writeFileSync(pageAt, ciPage(all));
  print('wrote .ci/seconds.json and docs/ci.md');
}
