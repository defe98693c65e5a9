import { existsSync, readFileSync } from 'node:fs';
import { relative, resolve } from 'node:path';

/**
 * Reads vitest's JSON reports of one run of the tests: `node scripts/count-tests.ts EXIT REPORT [AGAIN]`. Where failed
 * files were run again, the second report stands for them. Prints "PASSED FAILED" and then the failed files, a line
 * each; every failed case goes to stderr with its first words. A run that failed without a failed case (a file that
 * did not load, a crash, no report at all) counts as one failure, so that it cannot pass unseen.
 */
interface Report {
  testResults: {
    name: string;
    status: string;
    message?: string;
    assertionResults: { fullName: string; status: string; failureMessages?: string[] }[];
  }[];
}
type File = Report['testResults'][number];

const root = resolve(import.meta.dirname, '..');
const [exitCode = '1', ...reports] = process.argv.slice(2);

const files = new Map<string, File>();
for (const report of reports) {
  if (!existsSync(report)) continue;
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report;
  for (const file of testResults) files.set(relative(root, file.name), file);
}

const firstWords = (message = '') => message.split('\n').slice(0, 3).join(' ').slice(0, 300);
let passed = 0;
let failed = 0;
const failedFiles: string[] = [];
for (const [name, file] of files) {
  const cases = file.assertionResults;
  const bad = cases.filter((each) => each.status === 'failed');
  passed += cases.filter((each) => each.status === 'passed').length;
  if (bad.length === 0 && file.status !== 'failed') continue;
  failedFiles.push(name);
  failed += Math.max(1, bad.length);
  for (const each of bad)
    console.error(`${name}: ${each.fullName}: ${firstWords(each.failureMessages?.[0])}`);
  if (bad.length === 0) console.error(`${name}: ${firstWords(file.message)}`);
}
if (exitCode !== '0' && failed === 0) failed = 1;
console.log([`${passed} ${failed}`, ...failedFiles].join('\n'));
