import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readProject } from './check/project.ts';
import { rules } from './check/rules.ts';
import { completeLock, withoutIntegrity } from './complete-lock.ts';
import { supplyFaults, supplyFiles } from './supply-chain.ts';

/**
 * `npm run check`: types, lint, format and our own rules. All of them run, so that one look shows
 * everything; the exit code is 1 if any failed. `--only NAME` runs one step, `--since COMMIT` lints and formats only files that
 * have changed since then, which takes a quarter of the time.
 */
const root = resolve(import.meta.dirname, '..');

interface Step {
  name: string;
  /** What is wrong, in text to show; empty when all is well. */
  run(): string;
}

const command = (name: string, args: string[]): Step => ({
  name: `${name} ${args.join(' ')}`,
  run() {
    const done = spawnSync(join(root, 'node_modules/.bin', name), args, { cwd: root, encoding: 'utf8' });
    if (done.error) return `${name} did not start: ${done.error.message}`;
    const output = `${done.stdout}${done.stderr}`.trim();
    return done.status === 0 ? '' : output || `ended with ${done.status ?? done.signal}`;
  },
});

const lock: Step = {
  name: 'package-lock.json for all platforms, with the digest of each package',
  run() {
    const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
      packages: Parameters<typeof completeLock>[0];
    };
    const { added } = completeLock(packages);
    if (added.length > 0) return `${added.length} packages missing; run node scripts/complete-lock.ts`;
    const { unsure, otherPlatforms } = withoutIntegrity(packages);
    if (unsure.length > 0) return `no integrity of ${unsure.join(', ')}; install them again`;
    const says = `the digest of each package but ${otherPlatforms.length}:`;
    return readFileSync(join(root, 'SECURITY.md'), 'utf8').includes(says)
      ? ''
      : `SECURITY.md must say: ${says}`;
  },
};

const argumentOf = (name: string): string | undefined => {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
};

/** Files that lint and format look at; undefined: all. */
function changedFiles(since: string | undefined): string[] | undefined {
  if (since === undefined) return undefined;
  const git = spawnSync('git', ['diff', '--name-only', '--diff-filter=d', since], {
    cwd: root,
    encoding: 'utf8',
  });
  if (git.status !== 0) throw new Error(`git diff ${since}: ${git.stderr}`);
  return git.stdout.split('\n').filter((path) => /\.(?:[cm]?[jt]sx?|json|css)$/.test(path));
}

/** On some files, or on all; nothing to do where none has changed. */
function onFiles(
  name: string,
  args: string[],
  files: readonly string[] | undefined,
  all: string[] = [],
): Step {
  const step = command(name, [...args, ...(files ?? all)]);
  const title = `${name} ${args.join(' ')}${files ? ` (${files.length} changed files)` : ''}`;
  return { name: title, run: () => (files?.length === 0 ? '' : step.run()) };
}

const changed = changedFiles(argumentOf('--since'));
/** What the last run found out about files that have not changed since. */
const typesAt = (name: string) => ['--incremental', '--tsBuildInfoFile', `build/types/${name}.tsbuildinfo`];

const supplies: Step = {
  name: 'actions and images by what they are, and publishers that build nothing',
  run: () => supplyFaults(supplyFiles(root)).join('\n'),
};

let project: ReturnType<typeof readProject> | undefined;
const steps: Step[] = [
  command('tsc', ['-p', '.', ...typesAt('all')]),
  command('tsc', ['-p', 'packages/graph/src/report/browser', '--noEmit']),
  command('tsc', ['-p', 'packages/protocol/tsconfig.browser.json', ...typesAt('browser')]),
  command('tsc', ['-p', 'site/browser']),
  command('tsc', ['-p', 'packages/console/browser', ...typesAt('console')]),
  onFiles('oxlint', ['--type-aware', '--deny-warnings'], changed),
  onFiles('biome', ['format', '--reporter=summary', '--no-errors-on-unmatched'], changed, ['.']),
  lock,
  supplies,
  ...rules.map(
    (rule): Step => ({
      name: rule.name,
      run() {
        project ??= readProject(root);
        return rule
          .find(project)
          .map(({ path, line, message }) => `${path}:${line}  ${message}`)
          .join('\n');
      },
    }),
  ),
];

const only = argumentOf('--only');
const chosen = steps.filter(({ name }) => only === undefined || name.includes(only));
const failed: string[] = [];
for (const step of chosen) {
  const started = performance.now();
  const wrong = step.run();
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${wrong ? '✗' : '✓'} ${step.name}  ${seconds} s`);
  if (!wrong) continue;
  failed.push(step.name);
  console.log(wrong.replace(/^/gm, '    '));
}
console.log(failed.length === 0 ? `✓ all ${chosen.length} checks pass` : `failed: ${failed.join(', ')}`);
process.exitCode = failed.length === 0 && chosen.length > 0 ? 0 : 1;
