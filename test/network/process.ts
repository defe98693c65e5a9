import { type ChildProcess, spawn } from 'node:child_process';
import { commandPath, until } from '../prove/lab.ts';

/** A process of the network under test, which may be killed, frozen and started again. */
export interface NetworkProcess {
  readonly name: string;
  /** Its data folder. */
  readonly folder: string;
  readonly pid: number | undefined;
  readonly running: boolean;
  /** The same command; resolves when it is at work. */
  start(): Promise<void>;
  /** As a power cut would: SIGKILL, then until it is gone. */
  kill(): Promise<void>;
  /** As an operator would: SIGTERM, then until it has ended by itself; kills it after the deadline and throws. */
  stop(withinMs?: number): Promise<number | string>;
  freeze(): void;
  thaw(): void;
  /** The exit code or signal of the life that is now, or was last. */
  ended(): Promise<number | string>;
  /** What it printed in all its lives. */
  output(): string;
}

/** A program that is not the product's own: the same for all, or by the name of a process at each of its starts. */
export type Program = string | ((name: string) => string | undefined);

export interface ProcessOptions {
  name: string;
  folder: string;
  /** May differ from life to life: a port that was found is kept. */
  words: () => string[];
  env?: Record<string, string>;
  command?: Program | undefined;
  /** The user it runs as, where it is not ours. */
  uid?: number | undefined;
  /** Answers whether it is at work, from what it printed in this life. */
  atWork: (printed: string) => boolean;
}

/** Machines that run proofs are busy. */
const START_MS = 120_000;
const STOP_MS = 60_000;
const MAX_OUTPUT = 100_000;

function programOf({ command, name }: ProcessOptions): string | undefined {
  return typeof command === 'function' ? command(name) : command;
}

export function networkProcess(options: ProcessOptions): NetworkProcess {
  let child: ChildProcess | undefined;
  let over: Promise<number | string> = Promise.resolve('never started');
  let alive = false;
  let all = '';

  const signal = (name: NodeJS.Signals) => {
    if (alive) child?.kill(name);
  };

  return {
    name: options.name,
    folder: options.folder,
    get pid() {
      return alive ? child?.pid : undefined;
    },
    get running() {
      return alive;
    },
    async start() {
      if (alive) throw new Error(`${options.name} runs already`);
      let printed = '';
      const born = spawn(process.execPath, [programOf(options) ?? commandPath, ...options.words()], {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, WEBFARER_STATE: `${options.folder}.state`, ...options.env },
        ...(options.uid === undefined ? {} : { uid: options.uid, gid: options.uid }),
      });
      const keep = (chunk: Buffer) => {
        printed = (printed + chunk.toString()).slice(-MAX_OUTPUT);
        all = (all + chunk.toString()).slice(-MAX_OUTPUT);
      };
      born.stdout.on('data', keep);
      born.stderr.on('data', keep);
      child = born;
      alive = true;
      over = new Promise((resolve) => {
        born.once('close', (code, how) => {
          if (child === born) alive = false;
          resolve(code ?? how ?? 'gone');
        });
      });
      await until(`${options.name} at work`, () => !alive || options.atWork(printed), START_MS);
      if (!alive && !options.atWork(printed))
        throw new Error(`${options.name} ended with ${await over}:\n${printed}`);
    },
    async kill() {
      signal('SIGKILL');
      await over;
    },
    async stop(withinMs = STOP_MS) {
      signal('SIGTERM');
      const late = new Promise<'late'>((resolve) => setTimeout(resolve, withinMs, 'late').unref());
      const how = await Promise.race([over, late]);
      if (how !== 'late') return how;
      signal('SIGKILL');
      await over;
      throw new Error(`${options.name} did not end within ${withinMs} ms:\n${all.slice(-5_000)}`);
    },
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    ended: () => over,
    output: () => all,
  };
}
