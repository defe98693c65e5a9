import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Stage, stepLines } from './run-parts.ts';
import { endOf, plain, timedOut } from './step.ts';
import { countTests, type TestCount, type TestReport } from './test-report.ts';

/** More than these are no accident of files that disturb each other. */
const maxAgain = 5;

export interface TestRun {
  root: string;
  logs: string;
  /** Files to run. */
  files: readonly string[];
}

export interface TestResults extends TestCount {
  /** CPU seconds of all files together. */
  cpu: number;
  seconds: number;
}

/** Runs test files. A file that failed while others ran beside it is run again by itself, once: what fails then has failed. */
export async function runTests(
  { root, logs, files }: TestRun,
  { runStep, print }: Stage,
): Promise<TestResults> {
  const reportAt = (name: string) => join(logs, `${name}.json`);
  const run = (name: string, output: string, limitSeconds: number, chosen: readonly string[]) =>
    runStep({
      name,
      limitSeconds,
      command: [
        'node',
        'node_modules/vitest/vitest.mjs',
        'run',
        ...chosen,
        '--reporter=default',
        '--reporter=json',
        `--outputFile.json=${reportAt(output)}`,
      ],
    });
  const first = await run('test', 'tests', 1800, files);
  for (const line of stepLines('test', first, { held: first.status === 0 }).slice(0, 1)) print(line);
  if (first.status === timedOut) for (const line of unfinished(files, first.log)) print(line);
  let count = countTests(root, reports(reportAt('tests')), first.status);
  showFindings(count, print);
  if (first.status !== 0 && count.failedFiles.length > 0 && count.failedFiles.length <= maxAgain) {
    const second = await run('test again, alone', 'again', 600, count.failedFiles);
    for (const line of stepLines('test again, alone', second, { held: second.status === 0 })) print(line);
    count = countTests(root, reports(reportAt('tests'), reportAt('again')), second.status);
    showFindings(count, print);
  } else if (first.status !== 0) print(endOf(first.log).join('\n'));
  print(`        ${count.passed} test cases passed, ${count.failed} failed`);
  return { ...count, cpu: first.cpu, seconds: first.wall };
}

function reports(...files: string[]): TestReport[] {
  return files.flatMap((file) => {
    try {
      return [JSON.parse(readFileSync(file, 'utf8')) as TestReport];
    } catch {
      return [];
    }
  });
}

function unfinished(files: readonly string[], log: string): string[] {
  const ended = new Set(plain(log).match(/(packages|test|scripts|bench)\/\S+\.test\.ts/g));
  return [
    '        files that did not end:',
    ...files.filter((file) => !ended.has(file)).map((file) => `          ${file}`),
  ];
}

function showFindings({ findings }: TestCount, print: Stage['print']): void {
  for (const finding of findings.slice(0, 20)) print(`        ${finding.slice(0, 500)}`);
}
