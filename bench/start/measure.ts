import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import type { Readable } from 'node:stream';

/** What a start takes: CPU milliseconds of all threads, and modules of JavaScript that Node loaded from files. */
export interface Start {
  cpuMs: number;
  modules: number;
}

export interface Started {
  words: readonly string[];
  env: Record<string, string>;
  cwd: string;
}

/** Writes the CPU time of the process to descriptor 3 when it ends. */
const atTheEnd = `
import { writeSync } from 'node:fs';
process.on('exit', () => { const { user, system } = process.cpuUsage(); writeSync(3, String((user + system) / 1000)); });`;

/** Writes a point to descriptor 3 for every module. */
const counting = `
import { writeSync } from 'node:fs';
import { registerHooks } from 'node:module';
registerHooks({ load(url, context, next) { if (url.startsWith('file:')) writeSync(3, '.'); return next(url, context); } });`;

type Watch = typeof atTheEnd | typeof counting | undefined;

function start({ words, env, cwd }: Started, watch: Watch): { child: ChildProcess; told: Promise<string> } {
  const watching =
    watch === undefined ? [] : ['--import', `data:text/javascript,${encodeURIComponent(watch)}`];
  const child = spawn(process.execPath, [...watching, ...words], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  const errors = text(child.stdio[2] as Readable);
  const told = text(child.stdio[3] as Readable);
  void errors.then((said) => {
    if (child.exitCode !== 0 && child.exitCode !== null)
      console.error(`${words.join(' ')}: exit ${child.exitCode}: ${said.trim()}`);
  });
  return { child, told };
}

async function text(stream: Readable): Promise<string> {
  let all = '';
  for await (const chunk of stream) all += String(chunk);
  return all;
}

/** CPU of a command from its start to its end. */
export async function wholeCpu(started: Started): Promise<number> {
  const { child, told } = start(started, atTheEnd);
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  const cpuMs = Number(await told);
  if (code !== 0 || !(cpuMs > 0)) throw new Error(`${started.words.join(' ')} ended with ${code}`);
  return cpuMs;
}

export async function wholeModules(started: Started): Promise<number> {
  const { told } = start(started, counting);
  return (await told).length;
}

/** A process that counts its modules is stopped, not killed: Node keeps compiled code for the next start when it exits. */
const STOP_MS = 20_000;

/** Until something has been reached. Its exit before that is an error. */
async function until(
  started: Started,
  { watch, reached }: { watch: Watch; reached: (signal: AbortSignal) => Promise<void> },
): Promise<{ cpuMs: number; told: string }> {
  const { child, told } = start(started, watch);
  const over = new AbortController();
  const ended = new Promise<never>((_, reject) =>
    child.once('exit', (code) => reject(new Error(`${started.words.join(' ')} ended with ${code}`))),
  );
  ended.catch(() => undefined);
  try {
    await Promise.race([reached(over.signal), ended]);
    const cpuMs = threadsCpuMs(child.pid ?? 0);
    child.kill(watch === undefined ? 'SIGKILL' : 'SIGTERM');
    const killed = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    const text = await told;
    clearTimeout(killed);
    return { cpuMs, told: text };
  } finally {
    over.abort();
    child.kill('SIGKILL');
  }
}

const cpuUntil = async (started: Started, reached: (signal: AbortSignal) => Promise<void>) =>
  (await until(started, { watch: undefined, reached })).cpuMs;

const modulesUntil = async (started: Started, reached: (signal: AbortSignal) => Promise<void>) =>
  (await until(started, { watch: counting, reached })).told.length;

/** CPU milliseconds of all live threads, to the nanosecond: ticks of 10 ms would be too coarse. */
function threadsCpuMs(pid: number): number {
  const spent = readdirSync(`/proc/${pid}/task`).map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
  );
  return spent.reduce((sum, ns) => sum + ns, 0) / 1e6;
}

/** A site whose first request tells that a crawl has begun. */
export async function openSite(): Promise<{
  port: number;
  cpuToFirstRequest(started: Started): Promise<number>;
  modulesToFirstRequest(started: Started): Promise<number>;
  close(): void;
}> {
  let came: () => void = () => undefined;
  const server = createServer((_request, response) => {
    came();
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const firstRequest = () =>
    new Promise<void>((resolve) => {
      came = resolve;
    });
  return {
    port: (server.address() as AddressInfo).port,
    cpuToFirstRequest: (started) => cpuUntil(started, firstRequest),
    modulesToFirstRequest: (started) => modulesUntil(started, firstRequest),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

const LOOK_EVERY_MS = 5;

/** Tried from outside until a connection is accepted: attempts before that cost the process nothing. */
const listening = (port: number) => async (signal: AbortSignal) => {
  while (!signal.aborted) {
    if (await accepts(port)) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
};

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

export const cpuToListening = (started: Started, port: number): Promise<number> =>
  cpuUntil(started, listening(port));

export const modulesToListening = (started: Started, port: number): Promise<number> =>
  modulesUntil(started, listening(port));
