import { type ChildProcess, fork } from 'node:child_process';
import { extname, join } from 'node:path';
import type { Port } from './wire.ts';

/** A process that was started, and how it ends. */
export interface WorkerProcess {
  port: Port;
  /** Resolves when the process is gone and its last message has been read, with how it went: `SIGKILL`, `exit 1`. */
  ended: Promise<string>;
  /** Closes the channel, upon which it ends by itself. */
  disconnect(): void;
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

export function forkWorker(): WorkerProcess {
  const own = process.execArgv.filter((arg) => !arg.startsWith('--inspect'));
  const child = fork(entry, {
    execArgv: [...own, `--max-semi-space-size=${SEMI_SPACE_MIB}`],
    // Bytes stay bytes on the way.
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const exited = new Promise<string>((resolve) => {
    child.once('error', (error) => {
      if (child.pid === undefined) resolve(error.message);
    });
    child.once('exit', (code, signal) => resolve(signal ?? `exit ${code}`));
  });
  const closed = new Promise<void>((resolve) => {
    if (!child.connected || child.pid === undefined) resolve();
    child.once('disconnect', resolve);
  });
  if (alive.size === 0) process.once('exit', killAll);
  alive.add(child);
  return {
    port: {
      send(message) {
        if (child.connected) child.send(message as object, undefined, undefined, () => {});
      },
      onMessage: (listener) => void child.on('message', listener),
      onClose: (listener) => void closed.then(listener),
    },
    ended: exited.then(async (how) => {
      alive.delete(child);
      if (alive.size === 0) process.off('exit', killAll);
      await closed;
      return how;
    }),
    disconnect() {
      if (child.connected) child.disconnect();
    },
    kill: () => void child.kill('SIGKILL'),
  };
}
