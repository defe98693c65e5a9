import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { runTests } from './run-tests.ts';
import type { Step } from './step.ts';

const root = mkdtempSync(join(tmpdir(), 'webfarer-ci-'));
afterEach(() => rmSync(join(root, 'tests.json'), { force: true }));

const file = (name: string, ...statuses: string[]) => ({
  name: join(root, name),
  status: statuses.includes('failed') ? 'failed' : 'passed',
  startTime: 0,
  endTime: 1500,
  assertionResults: statuses.map((status) => ({ fullName: 'a case', status, failureMessages: ['because'] })),
});

/** vitest, which writes one report after the other. */
function stage(runs: { status: number; results?: ReturnType<typeof file>[]; log?: string }[]) {
  const steps: Step[] = [];
  const lines: string[] = [];
  return {
    steps,
    lines,
    print: (line: string) => void lines.push(line),
    async runStep(step: Step) {
      const { status, results, log = '' } = runs[steps.push(step) - 1] ?? { status: 9 };
      const output = step.command.find((word) => word.startsWith('--outputFile'))?.split('=')[1] ?? '';
      if (results) writeFileSync(output, JSON.stringify({ testResults: results }));
      return { status, wall: 10, cpu: 12, log };
    },
  };
}
const files = ['test/a.test.ts', 'test/b.test.ts', 'test/c.test.ts'];

it('runs a file that failed again by itself, once, and counts what it says then', async () => {
  const run = stage([
    { status: 1, results: [file('test/a.test.ts', 'passed', 'failed'), file('test/b.test.ts', 'passed')] },
    { status: 0, results: [file('test/a.test.ts', 'passed', 'passed')] },
  ]);
  const found = await runTests({ root, logs: root, files }, run);
  expect(found).toMatchObject({
    passed: 3,
    failed: 0,
    failedFiles: [],
    held: ['test/a.test.ts', 'test/b.test.ts'],
  });
  expect(run.steps[1]?.command).toContain('test/a.test.ts');
  expect(run.steps[1]?.command).not.toContain('test/b.test.ts');
  expect(run.lines).toContain('        test/a.test.ts: a case: because');
});

it('has failed where the file fails again', async () => {
  const bad = [file('test/a.test.ts', 'failed')];
  const found = await runTests(
    { root, logs: root, files },
    stage([
      { status: 1, results: bad },
      { status: 1, results: bad },
    ]),
  );
  expect(found).toMatchObject({ failed: 1, failedFiles: ['test/a.test.ts'], held: [] });
});

it('names the files that did not end, and counts a run without a report as a failure', async () => {
  const run = stage([{ status: 124, log: ' \u001b[32m✓\u001b[39m test/a.test.ts (2 tests)\n' }]);
  const found = await runTests({ root, logs: root, files }, run);
  expect(found).toMatchObject({ passed: 0, failed: 1 });
  expect(run.lines.join('\n')).toContain('did not end:\n          test/b.test.ts\n          test/c.test.ts');
});

it('records no file whose cases were all skipped', async () => {
  const run = stage([
    { status: 0, results: [file('test/a.test.ts', 'skipped'), file('test/b.test.ts', 'passed')] },
  ]);
  const found = await runTests({ root, logs: root, files }, run);
  expect(found.held).toEqual(['test/b.test.ts']);
  expect(found.wall.get('test/b.test.ts')).toBe(1.5);
});
