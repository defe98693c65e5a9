import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Ran, runBounded } from './run-bounded.ts';

export interface CaseResult {
  name: string;
  passed: boolean;
  /** Why it failed. */
  message: string;
}

export interface TestRun extends Ran {
  /** Cases that ran, by file; a file that could not be loaded has none. */
  cases: Map<string, CaseResult[]>;
}

interface Report {
  testResults: {
    name: string;
    assertionResults: {
      ancestorTitles: string[];
      title: string;
      status: string;
      failureMessages?: string[];
    }[];
  }[];
}

/** Runs the named cases of test files in a copy of the project. */
export async function runTests(
  under: string,
  { files, cases, limitMs }: { files: readonly string[]; cases: readonly string[]; limitMs: number },
): Promise<TestRun> {
  const output = join(under, 'tests.json');
  rmSync(output, { force: true });
  const pattern = [...new Set(cases)].map(escapeRegex).join('|');
  const args = ['run', ...files, '-t', pattern, '--reporter=json', `--outputFile.json=${output}`];
  const ran = await runBounded(under, [join(under, 'node_modules/vitest/vitest.mjs'), ...args], limitMs);
  return { ...ran, cases: readReport(under, output) };
}

function readReport(under: string, file: string): TestRun['cases'] {
  const cases = new Map<string, CaseResult[]>();
  let report: Report;
  try {
    report = JSON.parse(readFileSync(file, 'utf8')) as Report;
  } catch {
    return cases;
  }
  for (const { name, assertionResults } of report.testResults) {
    const ran = assertionResults.filter(({ status }) => status === 'passed' || status === 'failed');
    cases.set(
      name.slice(under.length + 1),
      ran.map(({ ancestorTitles, title, status, failureMessages = [] }) => ({
        name: [...ancestorTitles, title].join(' > '),
        passed: status === 'passed',
        message: failureMessages.join('\n'),
      })),
    );
  }
  return cases;
}

function escapeRegex(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}
