import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { openConnection } from '../../packages/coordinator/src/frontier/redis/connection.ts';
import { type Command, type Reply, ReplyError } from '../../packages/coordinator/src/frontier/redis/resp.ts';

/** Where one server listens. */
export interface Place {
  host: string;
  port: number;
}

/** A `redis-server` of ours with a folder of its own. */
export interface ServerProcess extends Place {
  folder: string;
  readonly pid: number;
  /** Sends a signal to this process only; resolves when it has ended, for signals that end it. */
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Starts it again over the same folder, after it was killed. Resolves when it answers. */
  restart(): Promise<void>;
  ask(...command: Command): Promise<Reply>;
  /** The same where the answer is text. */
  askText(...command: Command): Promise<string>;
}

const times = { connectMs: 2_000, answerMs: 10_000 };
const startMs = 10_000;
/** Linux ends a server whose parent was killed; it replaces itself, so the process id is the server's. */
const dyingWithUs = process.platform === 'linux' ? ['setpriv', '--pdeathsig', 'KILL'] : [];

/** Asks once on a fresh connection; an error answer is thrown. */
export async function askServer({ host, port }: Place, ...command: Command): Promise<Reply> {
  const connection = await openConnection({ host, port, tls: false }, times);
  try {
    const [reply] = await connection.pipeline([command]);
    if (reply instanceof ReplyError) throw new Error(`${command.join(' ')}: ${reply.text}`);
    return reply as Reply;
  } finally {
    connection.end('asked');
  }
}

/** Starts a server and waits until it answers. */
export async function startServer(
  place: Place,
  folder: string,
  settings: Record<string, string>,
): Promise<ServerProcess> {
  mkdirSync(folder, { recursive: true });
  const log = join(folder, 'log');
  const flags = Object.entries({ ...settings, port: String(place.port), bind: place.host, dir: folder });
  const args = flags.flatMap(([name, value]) => [`--${name}`, value]);
  let child = await run(args, log, place);
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
      if (signal !== 'SIGSTOP' && signal !== 'SIGCONT') await ended;
    },
    async restart() {
      if (!hasEnded(child)) throw new Error(`the server on port ${place.port} still runs`);
      child = await run(args, log, place);
    },
    ask: (...command) => askServer(place, ...command),
    async askText(...command) {
      const reply = await askServer(place, ...command);
      if (typeof reply !== 'string') throw new Error(`${command.join(' ')}: the answer is not text`);
      return reply;
    },
  };
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

async function run(args: string[], log: string, place: Place): Promise<ChildProcess> {
  const output = openSync(log, 'a');
  const [program = '', ...rest] = [...dyingWithUs, 'redis-server', ...args];
  const child = spawn(program, rest, { stdio: ['ignore', output, output] });
  closeSync(output);
  const failed = new Promise<Error>((done) => {
    child.once('error', done);
    child.once('exit', (code) => done(new Error(`exit ${code}`)));
  });
  const deadline = performance.now() + startMs;
  for (;;) {
    const problem = await Promise.race([failed, answers(place)]);
    if (problem === undefined) return child;
    const isOver = hasEnded(child) || child.pid === undefined;
    if (!isOver && performance.now() < deadline) continue;
    if (!isOver) child.kill('SIGKILL');
    const said = existsSync(log) ? readFileSync(log, 'utf8').slice(-2_000) : '';
    throw new Error(`redis-server did not start: ${problem.message}; run scripts/setup\n${said}`);
  }
}

/** The problem, or undefined once it answers (a server that still loads its data does not). */
async function answers(place: Place): Promise<Error | undefined> {
  try {
    await askServer(place, 'PING');
    return undefined;
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
