import { readFileSync } from 'node:fs';
import { childrenOf } from '../../test/prove/lab.ts';

const lookMs = 100;

/**
 * CPU milliseconds of a process and everything that it starts, looked at again and again: many processes of a browser are
 * killed, and nobody is told what those took. Each loses what it did after the last look.
 */
export function watchCpu(root: number): { stop(): number } {
  const known = new Map<string, number>();
  const look = (): void => {
    const waiting = [root];
    for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop()) {
      const found = cpuOf(pid);
      if (found) known.set(`${pid} ${found.startedAt}`, found.cpuMs);
      waiting.push(...childrenOf(pid));
    }
  };
  const timer = setInterval(look, lookMs);
  return {
    stop() {
      clearInterval(timer);
      return [...known.values()].reduce((sum, ms) => sum + ms, 0);
    },
  };
}

function cpuOf(pid: number): { cpuMs: number; startedAt: string } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { cpuMs: (Number(fields[11]) + Number(fields[12])) * 10, startedAt: fields[19] ?? '' };
  } catch {
    return undefined;
  }
}
