import { readdirSync, readFileSync } from 'node:fs';
import { childrenOf } from '../../test/prove/lab.ts';

/** CPU milliseconds of a process, its living threads and its descendants, to the microsecond. */
export function treeCpuMs(pid: number): number {
  let nanoseconds = 0;
  const waiting = [pid];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    for (const thread of readdirSync(`/proc/${at}/task`))
      nanoseconds += Number(readFileSync(`/proc/${at}/task/${thread}/schedstat`, 'latin1').split(' ')[0]);
    waiting.push(...childrenOf(at));
  }
  return nanoseconds / 1e6;
}
