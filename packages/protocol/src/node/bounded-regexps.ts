import { setFlagsFromString } from 'node:v8';

/**
 * From here on V8 has its linear-time engine: it takes over an expression that backtracks too often, if it can run it, and
 * says which ones those are. Ordinary expressions take the same time as before. Expressions of jobs are made by
 * `createExpression`, which runs the others elsewhere.
 */
export function boundRegexps(): void {
  setFlagsFromString('--enable-experimental-regexp-engine');
  setFlagsFromString('--enable-experimental-regexp-engine-on-excessive-backtracks');
}
