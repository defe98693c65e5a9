import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** A command with a deadline. */
export interface Step {
  name: string;
  limitSeconds: number;
  command: readonly string[];
}

export interface Ran {
  /** 124 where the deadline passed. */
  status: number;
  wall: number;
  /** Spent computing, all processes together: the rest is waiting, where others can compute. */
  cpu: number;
  /** Everything that it printed. */
  log: string;
}

export type RunStep = (step: Step) => Promise<Ran>;

export const timedOut = 124;

// Only a shell tells the CPU time of a process and all that it waited for.
const script =
  'TIMEFORMAT="%U %S"; { time timeout --kill-after=10 "$LIMIT" "$@" >"$LOG" 2>&1; } 2>"$LOG.cpu"';

/** Runs steps in the root of the project, with their output in a folder of logs. */
export function stepRunner({ root, logs }: { root: string; logs: string }): RunStep {
  return ({ name, limitSeconds, command }) =>
    new Promise((done, fail) => {
      const log = join(logs, `${name.replaceAll(' ', '-')}.log`);
      // allow(time): seconds of real processes.
      const began = performance.now();
      const child = spawn('bash', ['-c', script, 'step', ...command], {
        cwd: root,
        env: { ...process.env, LIMIT: String(limitSeconds), LOG: log },
        stdio: ['ignore', 'inherit', 'inherit'],
      });
      child.once('error', fail);
      child.once('close', (code) => {
        const wall = Math.round((performance.now() - began) / 100) / 10;
        done({ status: code ?? 1, wall, cpu: cpuOf(`${log}.cpu`), log: textOf(log) });
      });
    });
}

function cpuOf(file: string): number {
  const times = textOf(file).trim().split(/\s+/).map(Number);
  rmSync(file, { force: true });
  const [user = 0, system = 0] = times;
  return Math.round((user + system) * 10) / 10;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** The end of a log, short enough for the names of other failures to be seen below it. */
export function endOf(log: string): string[] {
  const lines = plain(log).trimEnd().split('\n');
  return lines.slice(-15).map((line) => `        ${line.slice(0, 400)}`);
}

/** Without colors. */
export function plain(text: string): string {
  // oxlint-disable-next-line no-control-regex -- colors begin with a control character
  return text.replace(/\u001b\[[0-9;]*m/g, '');
}
