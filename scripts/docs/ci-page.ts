import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Header, headerOf } from '../ci/header.ts';
import { kindOf } from '../ci/kind.ts';
import { stale } from '../ci/plan.ts';
import type { Seconds, Took } from '../ci/seconds.ts';
import { code, generated, table } from './markdown.ts';

const root = resolve(import.meta.dirname, '../..');

/** `docs/ci.md`: the parts are what their headers say, their seconds what the last whole run took. */
export function ciPage(seconds: Seconds = recordedSeconds()): string {
  const rows = [...headers('test/prove', 'prove'), ...headers('bench', 'bench')].map(([id, header]) => [
    code(id),
    when(header),
    ...columns(seconds[id]),
    header.misses,
  ]);
  const steps = [
    [code('check'), 'each run', ...columns(seconds.check), 'types, lint, format and borders that are broken'],
    [
      code('test'),
      'by their imports',
      ...columns(seconds.test),
      'units that no longer do what their tests say',
    ],
  ];
  return `${generated}
${before}
${table(['part', 'runs', 'wall s', 'CPU s', 'without it nobody would notice'], [...steps, ...rows])}
`;
}

function headers(folder: string, verb: string): [string, Header][] {
  return readdirSync(join(root, folder))
    .toSorted()
    .filter((name) => name.endsWith('.ts'))
    .flatMap((name): [string, Header][] => {
      const path = `${folder}/${name}`;
      const text = readFileSync(join(root, path), 'utf8');
      const kind = kindOf({ path, text });
      return kind === 'proof' || kind === 'bench' ? [[`${verb} ${name.slice(0, -3)}`, headerOf(text)]] : [];
    });
}

function when({ core, gate }: Header): string {
  return core || gate ? 'each run' : 'when near, or in turn';
}

function columns(took: Took | undefined): [string, string] {
  return [String(took?.wall ?? ''), String(took?.cpu ?? '')];
}

function recordedSeconds(): Seconds {
  try {
    return JSON.parse(readFileSync(join(root, '.ci/seconds.json'), 'utf8')) as Seconds;
  } catch {
    return {};
  }
}

const before = `# What CI runs

\`.ci/run\` sets up a new machine, checks the project, and runs the tests, proofs and benches that a change may have broken. It needs
no state but the repository.

| command | runs |
|---|---|
| \`.ci/run\` | the selection below |
| \`.ci/run --plan\` | nothing: it prints the selection, with a reason for each part |
| \`.ci/run --all\` | everything; the nightly workflow does the same |
| \`.ci/run --only exact,robots\` | these parts, and records nothing |

## What is selected

\`.ci/proven\` records for each part the commit at which it held last. A part runs when one of these is true:

1. It is at the core: marked \`// ci: core\`, or \`// ci: gate\` for a bench whose verdict counts.
2. Something near it has changed since its own commit. Near a test file is everything that it imports, name by name
   through the files that only re-export, and every path in the strings of those files, by which they start programs and
   read fixtures. Near a proof or bench are the folders that its lines \`// watches:\` name, and its own parts under \`test/\`
   and \`bench/\`. Near everything are the lock file, \`package.json\` and \`scripts/setup\`.
3. It was never proven, it failed in the last recorded run, or its proof is more than ${stale} commits old.
4. It is its turn: each run also takes a quarter of all other parts, by the seconds that they take. Those proven longest ago are first.
   Of those proven at the same commit, the number of commits modulo four decides, or \`WEBFARER_CI_RUN\`, a counter of runs.

Everything runs, and the log says why, in a shallow clone, without \`.ci/proven\`, and where that names a commit that is not in the
history.

## What is guaranteed

- **Recorded runs.** Each run writes \`.ci/proven\`. Where it is committed after each run, any four runs in a row have run everything,
  whatever lands between them.
- **Counted runs.** Where nothing is recorded since a whole run, four runs with consecutive values of \`WEBFARER_CI_RUN\`, or at four
  consecutive commits, have run everything. The workflow passes its run number. Runs at commits further apart take a
  quarter that depends on the number of commits; then rules 2 and 3 are the guarantee.
- **A failure stays.** A part that failed loses its record, so it is due until it holds. That needs the record to be committed, too:
  an unrecorded run that failed in a part of rule 4 can be followed by one that does not run that part.
- **A flicker stays.** A proof that fails beside others runs once more when nothing else runs, if at most three failed so. One that holds then
  lets the run pass, is printed as \`FLICKERED\`, and loses its record: each run takes it until it holds beside others.

A run records nothing when the checkout differs from its commit. A whole run also writes \`.ci/seconds.json\` and
this page.

## The parts

Seconds are of the last whole run in which the part held, beside others; empty where none is recorded.
`;
