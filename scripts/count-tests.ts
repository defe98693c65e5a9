import { existsSync, readFileSync } from 'node:fs';

/**
 * Prints "PASSED FAILED" from vitest's JSON report. A run that failed without a failed case (a file that
 * did not load, a crash, no report at all) counts as one failure, so that it cannot pass unseen.
 */
const [report = '', exitCode = '1'] = process.argv.slice(2);
interface Report {
  numPassedTests: number;
  numFailedTests: number;
}
const counts = existsSync(report)
  ? (JSON.parse(readFileSync(report, 'utf8')) as Report)
  : { numPassedTests: 0, numFailedTests: 0 };
const unseen = exitCode !== '0' && counts.numFailedTests === 0 ? 1 : 0;
console.log(`${counts.numPassedTests} ${counts.numFailedTests + unseen}`);
