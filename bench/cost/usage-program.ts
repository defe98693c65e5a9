import { readFileSync, writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/** What a command has used, as it writes it at its end. */
export interface Usage {
  cpuMs: number;
  peakMiB: number;
}

/** Loaded before the command that is measured, which knows nothing of it. */
const file = process.env['COST_USAGE'];
if (isMainThread && file !== undefined)
  process.once('exit', () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    const stat = readFileSync('/proc/self/stat', 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // Of the children it has waited for, in ticks of 10 ms.
    const childrenMs = (Number(fields[13]) + Number(fields[14])) * 10;
    const usage: Usage = {
      cpuMs: (userCPUTime + systemCPUTime) / 1_000 + childrenMs,
      peakMiB: maxRSS / 1_024,
    };
    writeFileSync(file, JSON.stringify(usage));
  });
