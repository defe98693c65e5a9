import { type ChildProcess, spawn } from 'node:child_process';
import {
  closeSync,
  existsSync,
  globSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { openConnection } from '../../packages/coordinator/src/redis/wire/connection.ts';
import { type Command, type Reply, ReplyError } from '../../packages/coordinator/src/redis/wire/resp.ts';

/** Where one server listens. */
export interface Place {
  host: string;
  port: number;
}

/** A `redis-server` of ours with a folder of its own. */
export interface ServerProcess extends Place {
  folder: string;
  readonly pid: number;
  /**
   * Sends a signal to this process only. Resolves when it has ended, or with SIGSTOP when all of it stands
   * still: what the kernel had begun for it is done by then.
   */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Starts it again over the same folder, after it was killed. Resolves when it answers. */
  restart(): Promise<void>;
  ask(...command: Command): Promise<Reply>;
  /** The same where the answer is text. */
  askText(...command: Command): Promise<string>;
  /** Makes its wall clock run this far from ours, from now on. Only where it was started for that. */
  shiftClock(seconds: number): void;
}

export interface ServerOptions extends Place {
  folder: string;
  /** By their names in redis.conf. */
  settings: Record<string, string>;
  /** Whether its wall clock can be shifted while it runs. */
  shiftableClock?: boolean;
  /** The server to run instead of `redis-server`. */
  program?: string;
}

const times = { connectMs: 2_000, answerMs: 10_000 };
const startMs = 10_000;
/** Linux ends a server whose parent was killed; it replaces itself, so the process id is the server's. */
export const dyingWithUs = process.platform === 'linux' ? ['setpriv', '--pdeathsig', 'KILL'] : [];

/** Asks once on a fresh connection; an error answer is thrown. */
export async function askServer(
  { host, port, password }: Place & { password?: string },
  ...command: Command
): Promise<Reply> {
  const secret = password === undefined ? {} : { password };
  const connection = await openConnection({ host, port, tls: false, ...secret }, times);
  try {
    const [reply] = await connection.pipeline([command]);
    if (reply instanceof ReplyError) throw new Error(`${command.join(' ')}: ${reply.text}`);
    return reply as Reply;
  } finally {
    connection.end('asked');
  }
}

/** Starts a server and waits until it answers. */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const { host, port, folder, shiftableClock = false } = options;
  const place: Place = { host, port };
  mkdirSync(folder, { recursive: true });
  const flags = Object.entries({ ...options.settings, port: String(port), bind: host, dir: folder });
  const launch: Launch = {
    place,
    args: flags.flatMap(([name, value]) => [`--${name}`, value]),
    log: join(folder, 'log'),
    program: options.program ?? 'redis-server',
    env: shiftableClock ? shiftable(folder) : {},
  };
  let child = await run(launch);
  return {
    ...place,
    folder,
    get pid() {
      return child.pid as number;
    },
    async kill(signal) {
      if (hasEnded(child)) return;
      const ended = new Promise<void>((done) => child.once('exit', () => done()));
      child.kill(signal);
      if (signal === 'SIGSTOP') await standsStill(child.pid as number);
      else if (signal !== 'SIGCONT') await ended;
    },
    async restart() {
      if (!hasEnded(child)) throw new Error(`the server on port ${place.port} still runs`);
      child = await run(launch);
    },
    ask: (...command) => askServer(place, ...command),
    async askText(...command) {
      const reply = await askServer(place, ...command);
      if (typeof reply !== 'string') throw new Error(`${command.join(' ')}: the answer is not text`);
      return reply;
    },
    shiftClock(seconds) {
      if (!shiftableClock) throw new Error('this server was started with the clock of the machine');
      writeFileSync(clockFile(folder), `${seconds < 0 ? '' : '+'}${seconds}`);
    },
  };
}

async function standsStill(pid: number): Promise<void> {
  const deadline = performance.now() + startMs;
  while (!tasksOf(pid).every((state) => state === 'T')) {
    if (performance.now() > deadline) throw new Error(`process ${pid} does not stop`);
    await new Promise((done) => setTimeout(done, 1));
  }
}

/** The letters by which Linux tells what each thread does; nothing on other systems. */
function tasksOf(pid: number): string[] {
  const folder = `/proc/${pid}/task`;
  if (!existsSync(folder)) return [];
  return readdirSync(folder).map(
    (task) => /^\d+ \(.*\) (\w)/.exec(readFileSync(join(folder, task, 'stat'), 'utf8'))?.[1] ?? '',
  );
}

interface Launch {
  program: string;
  place: Place;
  args: string[];
  log: string;
  env: Record<string, string>;
}

const clockFile = (folder: string): string => join(folder, 'clock');

/** What makes libfaketime shift the wall clock, and leave alone the one that only counts. */
function shiftable(folder: string): Record<string, string> {
  const library = globSync('/usr/lib/*/faketime/libfaketime.so.1')[0];
  if (library === undefined) throw new Error('libfaketime is missing: run scripts/setup');
  writeFileSync(clockFile(folder), '+0');
  return {
    // The allocator of the C library in front of the server's own, which asks for the time too early.
    LD_PRELOAD: `${library}:libc.so.6`,
    FAKETIME_TIMESTAMP_FILE: clockFile(folder),
    FAKETIME_NO_CACHE: '1',
    DONT_FAKE_MONOTONIC: '1',
  };
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

async function run({ place, args, log, env, program: server }: Launch): Promise<ChildProcess> {
  const output = openSync(log, 'a');
  const [program = '', ...rest] = [...dyingWithUs, server, ...args];
  const child = spawn(program, rest, { stdio: ['ignore', output, output], env: { ...process.env, ...env } });
  closeSync(output);
  const failed = new Promise<Error>((done) => {
    child.once('error', done);
    child.once('exit', (code) => done(new Error(`exit ${code}`)));
  });
  const deadline = performance.now() + startMs;
  for (;;) {
    const problem = await Promise.race([failed, answers(place, child.pid ?? 0)]);
    if (problem === undefined) return child;
    const isOver = hasEnded(child) || child.pid === undefined;
    if (!isOver && performance.now() < deadline) continue;
    if (!isOver) child.kill('SIGKILL');
    const said = existsSync(log) ? readFileSync(log, 'utf8').slice(-2_000) : '';
    throw new Error(`redis-server did not start: ${problem.message}; run scripts/setup\n${said}`);
  }
}

/** The problem, or undefined once it answers itself: neither while it loads, nor another one in its place. */
async function answers(place: Place, pid: number): Promise<Error | undefined> {
  try {
    await askServer(place, 'PING');
    const info = await askServer(place, 'INFO', 'server');
    if (typeof info === 'string' && info.includes(`process_id:${pid}\r\n`)) return undefined;
    throw new Error(`another server listens on ${place.host}:${place.port}`);
  } catch (error) {
    await new Promise((done) => setTimeout(done, 10));
    return error as Error;
  }
}

/** Ports nobody listens on, below those the system gives to outgoing connections. */
export async function freePorts(host: string, count: number): Promise<number[]> {
  const found = new Set<number>();
  for (let tries = 0; found.size < count && tries < 1_000; tries++) {
    const port = 12_000 + Math.floor(Math.random() * 18_000);
    if (!found.has(port) && (await isFree(host, port))) found.add(port);
  }
  if (found.size < count) throw new Error(`no ${count} free ports on ${host}`);
  return [...found];
}

function isFree(host: string, port: number): Promise<boolean> {
  return new Promise((done) => {
    const probe = createServer();
    probe.once('error', () => done(false));
    probe.listen(port, host, () => probe.close(() => done(true)));
  });
}
