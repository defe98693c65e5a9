import { readFileSync } from 'node:fs';

/** Bounds the walk, whatever a browser starts. */
const mostProcesses = 500;

/** Of memory of their own, in bytes. */
export interface MemoryBounds {
  process: number;
  /** A process and all that it started, together. */
  tree: number;
}

/**
 * Ends those of a process and all that it started that have more memory of their own than allowed, and the largest where
 * all together have. Read from /proc: on systems without it only the limits of the browser itself hold. These files wait for no disk,
 * so they are read at once: five times a second, threads cost more than the reading. Answers how many it ended.
 */
export function killLarge(root: number, most: MemoryBounds): number {
  const sizes = sizesBelow(root);
  const large = [...sizes].filter(([, bytes]) => bytes > most.process).map(([pid]) => pid);
  const total = [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
  const [largest] = [...sizes].toSorted(([, a], [, b]) => b - a).map(([pid]) => pid);
  if (large.length === 0 && total > most.tree && largest !== undefined) large.push(largest);
  return large.filter(end).length;
}

function sizesBelow(root: number): Map<number, number> {
  const sizes = new Map<number, number>();
  const waiting = [root];
  for (let pid = waiting.pop(); pid !== undefined && sizes.size < mostProcesses; pid = waiting.pop()) {
    try {
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'latin1');
      waiting.push(...children.split(' ').filter(Boolean).map(Number));
      sizes.set(pid, ownBytes(readFileSync(`/proc/${pid}/status`, 'latin1')));
    } catch {
      // It ended meanwhile.
    }
  }
  return sizes;
}

function end(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch {
    // It ended meanwhile.
    return false;
  }
}

/** Without the files of the program, which all its processes share. */
function ownBytes(status: string): number {
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}
