import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { JobInput } from '@webfarer/protocol';
import { type Network, startNetwork } from '../../test/network/launcher.ts';
import { until } from '../../test/prove/lab.ts';
import { type RedisServers, startRedis } from '../../test/redis/servers.ts';
import { commandsOf } from '../cost/redis-commands.ts';
import { treeCpuMs } from '../cost/tree-cpu.ts';
import { type Inside, socketOf } from './looked-at-program.ts';

export type StoreKind = 'redis' | 'cluster' | 'sqlite';

/** What the parts of a network have used since they began, and what they hold now. */
export interface Look {
  atMs: number;
  coordinatorCpuMs: number;
  storeCpuMs: number;
  commands: number;
}

/** What is held, summed over all coordinators. */
export interface Held {
  storeBytes: number;
  heapBytes: number;
  outsideBytes: number;
  residentMiB: number;
  fileHandles: number;
  timers: number;
}

/** Real coordinators with one worker beside them, and their store. */
export interface Parts {
  look(): Promise<Look>;
  held(): Promise<Held>;
  /** Asks the first coordinator; throws where that does not answer with success. */
  ask(method: string, path: string, body?: unknown): Promise<unknown>;
  create(job: JobInput): Promise<void>;
  /** Stops the first coordinator and starts it again; answers how long that took to be ready. */
  restart(): Promise<{ readyMs: number; cpuMs: number }>;
  stop(): Promise<void>;
}

const shapes = {
  redis: {},
  cluster: { primaries: 3, replicasEach: 1 },
};

export async function startParts(
  kind: StoreKind,
  { under, coordinators }: { under: string; coordinators: number },
): Promise<Parts> {
  const sockets = join(under, 's');
  mkdirSync(sockets, { recursive: true });
  process.env['OPEN_CRAWLS_SOCKETS'] = sockets;
  const servers = kind === 'sqlite' ? undefined : await startRedis(shapes[kind]);
  let network: Network | undefined;
  try {
    network = await startNetwork({
      under,
      command: join(import.meta.dirname, 'looked-at-program.ts'),
      coordinators,
      workers: 1,
      ...(servers ? { store: servers.url } : {}),
    });
    return partsOf({ network, servers, sockets });
  } catch (error) {
    await network?.end();
    await servers?.stop();
    throw error;
  }
}

interface All {
  network: Network;
  servers: RedisServers | undefined;
  sockets: string;
}

function partsOf({ network, servers, sockets }: All): Parts {
  const { coordinators } = network;
  const [first] = coordinators;
  if (!first) throw new Error('there is no coordinator');
  const nodes = servers?.nodes ?? [];
  const pids = () => coordinators.map(({ pid }) => pid ?? 0);

  async function ask(method: string, path: string, body?: unknown): Promise<unknown> {
    const token = readFileSync(join(first?.folder ?? '', 'operator.token'), 'utf8').trim();
    const answer = await fetch(`${first?.url()}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    const said = await answer.text();
    return said === '' ? undefined : JSON.parse(said);
  }

  return {
    ask,
    async look() {
      const commands = await Promise.all(nodes.map(commandsOf));
      return {
        atMs: performance.now(),
        coordinatorCpuMs: sum(pids().map(treeCpuMs)),
        storeCpuMs: sum(nodes.map(({ pid }) => treeCpuMs(pid))),
        commands: sum(commands),
      };
    },
    async held() {
      const insides = await Promise.all(pids().map((pid) => insideOf(socketOf(sockets, pid))));
      const memory = await Promise.all(nodes.map((node) => node.askText('INFO', 'memory')));
      const used = memory.map((info) => Number(/^used_memory:(\d+)/m.exec(info)?.[1] ?? 0));
      return {
        // Without a store every crawl has files of its own.
        storeBytes: servers ? sum(used) : sum(coordinators.map(({ folder }) => bytesUnder(folder))),
        heapBytes: sum(insides.map(({ heapBytes }) => heapBytes)),
        outsideBytes: sum(insides.map(({ outsideBytes }) => outsideBytes)),
        residentMiB: sum(pids().map(residentMiB)),
        fileHandles: sum(pids().map((pid) => readdirSync(`/proc/${pid}/fd`).length)),
        timers: sum(insides.map(({ timers }) => timers)),
      };
    },
    create: async (job) => void (await ask('POST', '/v1/crawls', { job })),
    async restart() {
      await first.stop();
      const startedMs = performance.now();
      await first.start();
      const isReady = () =>
        fetch(`${first.url()}/ready`).then(
          ({ ok }) => ok,
          () => false,
        );
      await until('the coordinator to be ready', isReady, 600_000);
      return { readyMs: performance.now() - startedMs, cpuMs: treeCpuMs(first.pid ?? 0) };
    },
    async stop() {
      await network.end();
      await servers?.stop();
      delete process.env['OPEN_CRAWLS_SOCKETS'];
    },
  };
}

async function insideOf(path: string): Promise<Inside> {
  return JSON.parse(await text(connect(path))) as Inside;
}

function residentMiB(pid: number): number {
  const [, kiB] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
  return Number(kiB ?? 0) / 1_024;
}

function bytesUnder(folder: string): number {
  return sum(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => statSync(join(parentPath, name), { throwIfNoEntry: false })?.size ?? 0),
  );
}

export function sum(numbers: number[]): number {
  return numbers.reduce((all, one) => all + one, 0);
}
