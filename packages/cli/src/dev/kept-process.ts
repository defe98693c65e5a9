import { type ChildProcess, spawn } from 'node:child_process';
import { extname, join } from 'node:path';
import type { Clock } from '@webfarer/protocol';

/** A process that is shown under a key. */
export interface ShownProcess {
  readonly name: string;
  readonly pid: number | undefined;
  /** How often it was started. */
  readonly lives: number;
  readonly state: 'running' | 'frozen' | 'starting again' | 'ending' | 'over';
  kill(): void;
  /** Freezes or resumes it. */
  freeze(): void;
}

/** A process that is started again whenever it ends otherwise than well. */
export interface KeptProcess extends ShownProcess {
  start(): void;
  /** Asks it to end; kills it when it takes too long. */
  stop(): Promise<void>;
  /** Resolves when it has ended well, or was stopped. */
  readonly over: Promise<void>;
  /** The last lines that it printed in this life. */
  output(): string;
}

export interface KeptProcessOptions {
  name: string;
  /** The words behind `webfarer`, for the life that begins. */
  words: () => string[];
  clock: Clock;
  /** One sentence for a person. */
  tell: (text: string) => void;
}

/** Windows has no signals that stop and continue a process; sending one throws. */
export const canFreeze = (platform: NodeJS.Platform = process.platform): boolean => platform !== 'win32';

const AGAIN_MS = 1_000;
const STOP_MS = 30_000;
const MAX_OUTPUT = 20_000;
/** One that cannot even begin is not tried for ever. */
const MAX_FAILURES = 5;
/** The source as it is, or what was built of it. */
const entry = join(import.meta.dirname, `../bin${extname(import.meta.filename)}`);

// allow(state): the processes of this process, which its exit must end
const alive = new Set<ChildProcess>();

/** Whatever ends this process in an orderly way takes all of them with it. */
function killAll(): void {
  for (const child of alive) child.kill('SIGKILL');
}

export function keepProcess({ name, words, clock, tell }: KeptProcessOptions): KeptProcess {
  const over = Promise.withResolvers<void>();
  let child: ChildProcess | undefined;
  let state: KeptProcess['state'] = 'starting again';
  let output = '';
  let lives = 0;
  let failures = 0;
  let stopping = false;

  function start(): void {
    const born = spawn(process.execPath, [entry, ...words()], { stdio: ['ignore', 'pipe', 'pipe'] });
    child = born;
    if (alive.size === 0) process.once('exit', killAll);
    alive.add(born);
    state = 'running';
    output = '';
    lives++;
    const keep = (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-MAX_OUTPUT);
    };
    born.stdout.on('data', keep);
    born.stderr.on('data', keep);
    born.once('close', (code, signal) => {
      alive.delete(born);
      if (alive.size === 0) process.off('exit', killAll);
      void ended(code, signal);
    });
  }

  async function ended(code: number | null, signal: string | null): Promise<void> {
    child = undefined;
    failures = signal === null && code !== 0 ? failures + 1 : 0;
    if (stopping || code === 0 || failures >= MAX_FAILURES) {
      state = 'over';
      if (failures > 0 && !stopping) tell(`${name} cannot continue: ${lastLine(output)}`);
      return over.resolve();
    }
    state = 'starting again';
    // A kill was told of by who did it.
    if (signal !== 'SIGKILL') tell(`${name} ended (${signal ?? `exit ${code}`}); it is restarted`);
    await clock.sleep(AGAIN_MS);
    if (stopping) over.resolve();
    else start();
  }

  return {
    name,
    get pid() {
      return child?.pid;
    },
    get lives() {
      return lives;
    },
    get state() {
      return state;
    },
    start,
    kill: () => void child?.kill('SIGKILL'),
    freeze() {
      if (!child) return;
      child.kill(state === 'frozen' ? 'SIGCONT' : 'SIGSTOP');
      state = state === 'frozen' ? 'running' : 'frozen';
    },
    async stop() {
      stopping = true;
      if (!child) return over.resolve();
      state = 'ending';
      if (canFreeze()) child.kill('SIGCONT');
      child.kill('SIGTERM');
      const ready = new AbortController();
      void over.promise.then(() => ready.abort());
      await clock.sleep(STOP_MS, ready.signal).then(
        () => child?.kill('SIGKILL'),
        () => undefined,
      );
      await over.promise;
    },
    over: over.promise,
    output: () => output,
  };
}

function lastLine(text: string): string {
  return text.trimEnd().split('\n').at(-1)?.trim() ?? '';
}
