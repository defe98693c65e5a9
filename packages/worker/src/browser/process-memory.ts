import { readFileSync } from 'node:fs';

/** Bounds the walk, whatever a browser starts. */
const mostProcesses = 500;

/**
 * Ends those of a process and all that it started that have more memory of their own than allowed. Read from /proc: on
 * systems without it only the limits of the browser itself hold. These files wait for no disk, so they are read at once: five
 * times a second, threads cost more than the reading. Answers how many it ended.
 */
export function killLarge(root: number, maxBytes: number): number {
  let [looked, killed] = [0, 0];
  const waiting = [root];
  for (let pid = waiting.pop(); pid !== undefined && looked < mostProcesses; pid = waiting.pop()) {
    looked += 1;
    try {
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1');
      waiting.push(...children.split(' ').filter(Boolean).map(Number));
      if (ownBytes(readFileSync(`/proc/${pid}/status`, 'latin1')) <= maxBytes) continue;
      process.kill(pid, 'SIGKILL');
      killed += 1;
    } catch {
      // It ended meanwhile.
    }
  }
  return killed;
}

/** Without the files of the program, which all its processes share. */
function ownBytes(status: string): number {
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}
