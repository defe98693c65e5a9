import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readProject } from './check/project.ts';
import { rules } from './check/rules.ts';
import { completeLock, withoutIntegrity } from './complete-lock.ts';

/**
 * `npm run check`: types, lint, format and our own rules. All of them run, so that one look shows
 * everything; the exit code is 1 if any failed. `--only NAME` runs one step.
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
    const unsure = withoutIntegrity(packages);
    return unsure.length === 0 ? '' : `no integrity of ${unsure.join(', ')}; install them again`;
  },
};

let project: ReturnType<typeof readProject> | undefined;
const steps: Step[] = [
  command('tsc', ['-p', '.']),
  command('tsc', ['-p', 'packages/graph/src/report/browser', '--noEmit']),
  command('tsc', ['-p', 'packages/protocol/tsconfig.browser.json']),
  command('tsc', ['-p', 'site/browser']),
  command('tsc', ['-p', 'packages/console/browser']),
  command('oxlint', ['--type-aware', '--deny-warnings']),
  command('biome', ['format', '--reporter=summary', '.']),
  lock,
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

const onlyAt = process.argv.indexOf('--only');
const only = onlyAt < 0 ? undefined : process.argv[onlyAt + 1];
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
console.log(failed.length === 0 ? `all ${chosen.length} checks pass` : `failed: ${failed.join(', ')}`);
process.exitCode = failed.length === 0 && chosen.length > 0 ? 0 : 1;
