import { relative } from 'node:path';

/** vitest's JSON report of one run of the tests. */
export interface TestReport {
  testResults: {
    name: string;
    status: string;
    message?: string;
    startTime: number;
    endTime: number;
    assertionResults: { fullName: string; status: string; failureMessages?: string[] }[];
  }[];
}

export interface TestCount {
  passed: number;
  failed: number;
  /** Files in which at least one case ran, and none failed. */
  held: string[];
  failedFiles: string[];
  /** Every failed case with its first words. */
  findings: string[];
  /** Seconds of each file. */
  wall: Map<string, number>;
}

/**
 * Where failed files were run again, the later report stands for them. A run that failed without a failed case (a file
 * that did not load, a crash, no report at all) counts as one failure, so that it cannot pass unseen.
 */
export function countTests(root: string, reports: readonly TestReport[], status: number): TestCount {
  const files = new Map<string, TestReport['testResults'][number]>();
  for (const { testResults } of reports)
    for (const file of testResults) files.set(relative(root, file.name), file);
  const count: TestCount = { passed: 0, failed: 0, held: [], failedFiles: [], findings: [], wall: new Map() };
  for (const [name, file] of files) {
    const cases = file.assertionResults;
    const bad = cases.filter((each) => each.status === 'failed');
    const passed = cases.filter((each) => each.status === 'passed').length;
    count.passed += passed;
    count.wall.set(name, Math.round((file.endTime - file.startTime) / 100) / 10);
    if (bad.length === 0 && file.status !== 'failed') {
      if (passed > 0) count.held.push(name);
      continue;
    }
    count.failedFiles.push(name);
    count.failed += Math.max(1, bad.length);
    for (const each of bad)
      count.findings.push(`${name}: ${each.fullName}: ${firstWords(each.failureMessages?.[0])}`);
    if (bad.length === 0) count.findings.push(`${name}: ${firstWords(file.message)}`);
  }
  if (status !== 0 && count.failed === 0) count.failed = 1;
  return count;
}

function firstWords(message = ''): string {
  return message.split('\n').slice(0, 3).join(' ').slice(0, 300);
}
