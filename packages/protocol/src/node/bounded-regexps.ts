import { setFlagsFromString } from 'node:v8';

/** A flag that only V8 knows: an expression that its linear-time engine cannot run is refused. */
const linear: string = 'l';

/**
 * Jobs contain regular expressions of people who do not own the machine, and one such as `(a+)+$` would occupy a process
 * for hours. From here on V8 runs an expression that backtracks too much on its linear-time engine, if it can. Ordinary
 * expressions take the same time as before.
 */
export function boundRegexps(): void {
  setFlagsFromString('--enable-experimental-regexp-engine');
  setFlagsFromString('--enable-experimental-regexp-engine-on-excessive-backtracks');
}

/**
 * Whether the time that an expression takes grows with the text only. Not those with look-around, back-references,
 * counts above 16 or flags, which the linear engine cannot run, and none before `boundRegexps` was called.
 */
export function isBoundedRegexp(source: string, flags = ''): boolean {
  try {
    new RegExp(source, `${flags}${linear}`);
    return true;
  } catch {
    return false;
  }
}
