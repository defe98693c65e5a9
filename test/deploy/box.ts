import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { until } from '../prove/lab.ts';

/**
 * A process as a container engine runs it: as a user without privileges, on a root file system that cannot be written,
 * with the folders it was given and nothing of our environment. The network is the one around it.
 */
export interface Box {
  readonly name: string;
  output(): string;
  /** Sends SIGTERM, as `docker stop` does, and answers how it ended and after how long. */
  stop(): Promise<{ code: number | string; ms: number }>;
  /** Waits until it printed this; throws where it ends before. */
  says(text: string): Promise<void>;
  ended: Promise<number | string>;
  kill(): void;
}

export interface BoxOptions {
  name: string;
  /** As in `USER`. */
  user: string;
  env: Record<string, string>;
  words: readonly string[];
  /** Inside → outside. */
  folders: Readonly<Record<string, string>>;
  /** Inside → outside, read-only. */
  files: Readonly<Record<string, string>>;
}

const START_MS = 60_000;
const STOP_MS = 120_000;

export function openBox({ name, user, env, words, folders, files }: BoxOptions): Box {
  const [uid = '', gid = uid] = user.split(':');
  const ids = ['--reuid', uid, '--regid', gid, '--clear-groups', '--no-new-privs', '--bounding-set', '-all'];
  const root = ['/usr', '/etc/ssl', '/etc/nsswitch.conf', '/etc/resolv.conf', '/etc/ld.so.cache'].flatMap(
    (path) => ['--ro-bind', path, path],
  );
  const links = ['bin', 'sbin', 'lib', 'lib64'].filter((path) => existsSync(`/usr/${path}`));
  const mounts = [
    ...root,
    ...links.flatMap((path) => ['--symlink', `usr/${path}`, `/${path}`]),
    ...Object.entries(folders).flatMap(([inside, outside]) => ['--bind', outside, inside]),
    ...Object.entries(files).flatMap(([inside, outside]) => ['--ro-bind', outside, inside]),
    '--tmpfs',
    '/tmp',
    '--proc',
    '/proc',
    '--dev',
    '/dev',
    '--remount-ro',
    '/',
  ];
  const settings = Object.entries(env).flatMap(([key, value]) => ['--setenv', key, value]);
  const box = [
    '--unshare-user',
    '--unshare-pid',
    '--as-pid-1',
    '--uid',
    uid,
    '--gid',
    gid,
    '--cap-drop',
    'ALL',
    '--clearenv',
    ...settings,
  ];
  const child = spawn('setpriv', [...ids, 'bwrap', ...mounts, ...box, '--info-fd', '3', '--', ...words], {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
  });
  let text = '';
  const keep = (chunk: Buffer) => {
    text = (text + chunk.toString()).slice(-5_000_000);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  const inside = processInside(child);
  const ended = new Promise<number | string>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'gone'));
  });
  let over: number | string | undefined;
  void ended.then((code) => (over = code));
  const kill = (): void => void inside.then((pid) => signalTo(pid, 'SIGKILL'));
  return {
    name,
    output: () => text,
    ended,
    kill,
    async says(expected) {
      await until(
        `${name} to say ${expected}`,
        () => text.includes(expected) || over !== undefined,
        START_MS,
      );
      if (!text.includes(expected)) throw new Error(`${name} ended with ${over}: ${text.slice(-1500)}`);
    },
    async stop() {
      const began = performance.now();
      signalTo(await inside, 'SIGTERM');
      await until(`${name} to stop`, () => over !== undefined, STOP_MS);
      return { code: over ?? 'gone', ms: Math.round(performance.now() - began) };
    },
  };
}

/** The first process inside: signals to the program around it would not reach it. */
function processInside(child: ChildProcess): Promise<number> {
  return new Promise((resolve, reject) => {
    let info = '';
    child.stdio[3]?.on('data', (chunk: Buffer) => {
      info += chunk.toString();
      const [, pid] = /"child-pid":\s*(\d+)/.exec(info) ?? [];
      if (pid !== undefined) resolve(Number(pid));
    });
    child.once('close', () => reject(new Error(`it did not start`)));
  });
}

function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended.
  }
}
