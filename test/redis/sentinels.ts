import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from './form-cluster.ts';
import { askServer, dyingWithUs, freePorts, type Place } from './server-process.ts';

export interface SentinelOptions {
  /** Monitored from the start. */
  primary: Place;
  /** How many follow it: the Sentinels are ready when they know all of them. */
  replicas: number;
  count?: number;
  /** Silence after which the primary is called down. */
  downAfterMs?: number;
  /** What the Sentinels themselves ask for. */
  password?: string;
}

export interface Sentinel extends Place {
  readonly pid: number;
  kill(signal: NodeJS.Signals): Promise<void>;
}

export interface Sentinels {
  name: string;
  all: Sentinel[];
  url: string;
  /** Where the primary is, as most of them say. */
  primary(): Promise<Place>;
  /** Asks one of them to replace the primary, which need not be down. */
  failover(): Promise<void>;
  stop(): Promise<void>;
}

const name = 'mymaster';
const readyMs = 30_000;

/** Real Sentinels on free ports of the loopback address. */
export async function startSentinels(options: SentinelOptions): Promise<Sentinels> {
  const { count = 3, primary, replicas, password } = options;
  const folder = mkdtempSync(join(tmpdir(), 'webfarer-sentinels-'));
  const ports = await freePorts('127.0.0.1', count);
  const all = ports.map((port) => start(options, port, join(folder, String(port))));
  const ask = async (place: Place, ...command: (string | number)[]) =>
    await askServer({ ...place, ...(password === undefined ? {} : { password }) }, ...command);
  const stop = async (): Promise<void> => {
    await Promise.all(all.map((sentinel) => sentinel.kill('SIGKILL')));
    rmSync(folder, { recursive: true, force: true });
  };
  const known = async (place: Place): Promise<boolean> => {
    const reply = await ask(place, 'SENTINEL', 'MASTER', name).catch(() => []);
    const words = Array.isArray(reply) ? reply.map(String) : [];
    const field = (of: string) => Number(words[words.indexOf(of) + 1]);
    return field('num-slaves') === replicas && field('num-other-sentinels') === count - 1;
  };
  try {
    for (const sentinel of all)
      await until(
        async () => await known(sentinel),
        'the Sentinels know each other and the replicas',
        readyMs,
      );
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    name,
    all,
    url: `redis+sentinel://${all.map(({ host, port }) => `${host}:${port}`).join(',')}/${name}`,
    async primary() {
      const answers = await Promise.all(
        all.map((sentinel) => ask(sentinel, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', name).catch(() => null)),
      );
      const places = answers.filter(Array.isArray).map((place) => place.map(String).join(':'));
      const most = places.find((place) => places.filter((other) => other === place).length > count / 2);
      const [host = '', port = ''] = (most ?? '').split(':');
      return host === '' ? primary : { host, port: Number(port) };
    },
    async failover() {
      await ask(all[0] as Sentinel, 'SENTINEL', 'FAILOVER', name);
    },
    stop,
  };
}

function start(
  { primary, count = 3, downAfterMs = 1_000, password }: SentinelOptions,
  port: number,
  folder: string,
) {
  mkdirSync(folder, { recursive: true });
  const config = join(folder, 'sentinel.conf');
  const lines = [
    `port ${port}`,
    'bind 127.0.0.1',
    'protected-mode no',
    `dir ${folder}`,
    `sentinel monitor ${name} ${primary.host} ${primary.port} ${Math.floor(count / 2) + 1}`,
    `sentinel down-after-milliseconds ${name} ${downAfterMs}`,
    `sentinel failover-timeout ${name} 5000`,
    `sentinel parallel-syncs ${name} 5`,
    ...(password === undefined ? [] : [`requirepass ${password}`, `sentinel sentinel-pass ${password}`]),
  ];
  writeFileSync(config, `${lines.join('\n')}\n`);
  const output = openSync(join(folder, 'log'), 'a');
  const words: string[] = [...dyingWithUs, 'redis-server', config, '--sentinel'];
  const [program = '', ...rest] = words;
  const child = spawn(program, rest, { stdio: ['ignore', output, output] });
  closeSync(output);
  return handle(child, { host: '127.0.0.1', port });
}

function handle(child: ChildProcess, place: Place): Sentinel {
  return {
    ...place,
    pid: child.pid as number,
    async kill(signal) {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = new Promise<void>((done) => child.once('exit', () => done()));
      child.kill(signal);
      if (signal !== 'SIGSTOP' && signal !== 'SIGCONT') await ended;
    },
  };
}
