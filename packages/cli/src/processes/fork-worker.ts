import { type ChildProcess, spawn } from 'node:child_process';
import { extname, join } from 'node:path';
import type { Duplex } from 'node:stream';
import type { GivenKey } from '../secrets/given-secrets.ts';
import type { ProcessNews } from './forwarded-metrics.ts';
import { LINK_FD, type ProcessSetup, type StartedSetup } from './process-setup.ts';

/** A process that was started, and how it ends. */
export interface WorkerProcess {
  /** Carries the link. It ends by itself when this is closed. */
  stream: Duplex;
  /** Resolves when the process is gone and its last frame has been read, with how it went: `SIGKILL`, `exit 1`. */
  ended: Promise<string>;
  /** Called with what it counts, where that is asked for. */
  onNews(heard: (news: ProcessNews) => void): void;
  kill(): void;
}

/** The source as it is, or what was built of it. */
const entry = join(import.meta.dirname, `worker-main${extname(import.meta.filename)}`);
/**
 * MiB of each half of the young generation. Pages make much short-lived garbage; with Node's 16 it is moved around
 * more often than it is worth.
 */
const SEMI_SPACE_MIB = 32;

// allow(state): the processes of this process, which its exit must end
const alive = new Set<ChildProcess>();

/** Whatever ends this process in an orderly way takes even a worker with it that hears nothing any more. */
function killAll(): void {
  for (const child of alive) child.kill('SIGKILL');
}

/** The key goes through its standard input, where no other user of the machine sees it. */
export function forkWorker(setup: ProcessSetup, key: GivenKey | undefined): WorkerProcess {
  const own = process.execArgv.filter((arg) => !arg.startsWith('--inspect'));
  const words = JSON.stringify({ ...setup, keyOnStdin: key !== undefined } satisfies StartedSetup);
  const args = [...own, `--max-semi-space-size=${SEMI_SPACE_MIB}`, entry, words];
  const input = key ? 'pipe' : 'ignore';
  const child = spawn(process.execPath, args, { stdio: [input, 'inherit', 'inherit', 'pipe', 'ipc'] });
  // One that is gone before it read its key is reported by its end.
  child.stdin?.on('error', () => undefined);
  if (key) child.stdin?.end(JSON.stringify(key));
  const stream = child.stdio[LINK_FD] as Duplex;
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => {
      if (child.pid === undefined) resolve(error.message);
    });
    child.once('exit', (code, signal) => resolve(signal ?? `exit ${code}`));
  });
  const closed = new Promise<void>((resolve) => {
    if (child.pid === undefined) resolve();
    stream.once('close', resolve);
  });
  // What it counted last may be on its way when it is gone already.
  const silent = new Promise<void>((resolve) => {
    if (child.pid === undefined) resolve();
    child.once('disconnect', resolve);
  });
  if (alive.size === 0) process.once('exit', killAll);
  alive.add(child);
  return {
    stream,
    ended: exited.then(async (how) => {
      alive.delete(child);
      if (alive.size === 0) process.off('exit', killAll);
      await Promise.all([closed, silent]);
      return how;
    }),
    onNews: (heard) => void child.on('message', (news) => heard(news as unknown as ProcessNews)),
    kill: () => void child.kill('SIGKILL'),
  };
}
