import { readFileSync } from 'node:fs';
import { childrenOf } from '../prove/lab.ts';

/** Browsers that a process has started, and the tabs in them. */
export function browsersOf(pid: number): { browsers: number[]; tabs: number[] } {
  const isBrowser = (child: number): boolean => {
    const command = commandOf(child);
    // Where a script starts it, the script has the same arguments; parts of a browser say what they are.
    return / --remote-debugging-pipe/.test(command) && !/^\S*\/(?:da|ba)?sh | --type=/.test(command);
  };
  const browsers = treeOf(pid).filter(isBrowser);
  const tabs = browsers.flatMap(treeOf).filter((child) => commandOf(child).includes('--type=renderer'));
  return { browsers, tabs };
}

export interface ProcessWatch {
  /** False: it was gone already. */
  kill(pid: number): boolean;
  /** Most memory that the process and all it started had at once, pages that they share counted once per process. */
  peakMiB(): number;
  /** Of all processes that were ever seen below it, those that are still there. */
  left(): number;
  stop(): void;
}

const lookMs = 200;

/** Watches a process and everything below it, until it is stopped. */
export function watchProcesses(root: number): ProcessWatch {
  const seen = new Map<number, string>();
  let peak = 0;
  const look = (): void => {
    const pids = [root, ...treeOf(root)];
    for (const pid of pids) if (!seen.has(pid)) seen.set(pid, startOf(pid));
    peak = Math.max(
      peak,
      pids.reduce((sum, pid) => sum + ownMiB(pid), 0),
    );
  };
  const timer = setInterval(look, lookMs);
  const isThere = (pid: number): boolean => startOf(pid) !== '' && startOf(pid) === seen.get(pid);
  return {
    kill(pid) {
      look();
      try {
        return process.kill(pid, 'SIGKILL');
      } catch {
        return false;
      }
    },
    peakMiB: () => Math.round(peak),
    left: () => [...seen.keys()].filter(isThere).length,
    stop: () => clearInterval(timer),
  };
}

function treeOf(pid: number): number[] {
  return childrenOf(pid).flatMap((child) => [child, ...treeOf(child)]);
}

function commandOf(pid: number): string {
  return textOf(pid, 'cmdline').replaceAll('\0', ' ');
}

/** When it was started: a number that is given to another process has another. Empty where it is gone or a zombie. */
function startOf(pid: number): string {
  const stat = textOf(pid, 'stat');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' ? '' : (fields[19] ?? '');
}

function ownMiB(pid: number): number {
  return Number(/^RssAnon:\s+(\d+) kB/m.exec(textOf(pid, 'status'))?.[1] ?? 0) / 1024;
}

function textOf(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return '';
  }
}
