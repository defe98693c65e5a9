import type { ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '../prove/lab.ts';
import type { Part, Role } from './system.ts';

/** A process that was started, and what it printed last. */
export interface Started {
  child: ChildProcess;
  ended: Promise<number | string>;
  output(): string;
}

export interface ProcessPart extends Part {
  /** It ended by itself, with this code or signal. */
  readonly fate: number | string | undefined;
  output(): string;
}

const goneMs = 10_000;

/** A process that can be struck, and started again by the same command. */
export function processPart(name: string, role: Role, start: () => Started): ProcessPart {
  let run = start();
  let struck = false;
  let fate: number | string | undefined;
  watch();

  function watch(): void {
    const own = run;
    void own.ended.then((code) => {
      if (own === run && !struck) fate = code;
    });
  }

  const isRunning = (): boolean => run.child.exitCode === null && run.child.signalCode === null;

  return {
    name,
    role,
    get alive() {
      return isRunning();
    },
    get fate() {
      return fate;
    },
    output: () => run.output(),
    async kill() {
      struck = true;
      run.child.kill('SIGKILL');
      await run.ended;
    },
    restart() {
      if (isRunning()) throw new Error(`${name} still runs`);
      struck = false;
      fate = undefined;
      run = start();
      watch();
      return Promise.resolve();
    },
    async leave() {
      struck = true;
      run.child.kill('SIGTERM');
      await until(`${name} to leave`, () => !isRunning(), goneMs * 3);
    },
    async freeze() {
      run.child.kill('SIGSTOP');
      await until(
        `${name} to stand still`,
        () => !isRunning() || standsStill(run.child.pid as number),
        goneMs,
      );
    },
    thaw: () => void run.child.kill('SIGCONT'),
  };
}

/** Whether all threads of a process are stopped, as Linux tells it. */
function standsStill(pid: number): boolean {
  const folder = `/proc/${pid}/task`;
  if (!existsSync(folder)) return true;
  return readdirSync(folder).every((task) => {
    try {
      return /^\d+ \(.*\) [Tt]/.test(readFileSync(join(folder, task, 'stat'), 'utf8'));
    } catch {
      return true;
    }
  });
}
