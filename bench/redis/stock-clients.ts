import { createRequire } from 'node:module';
import { join } from 'node:path';
import { openStore } from '../../packages/coordinator/src/redis.ts';
import { ReplyError } from '../../packages/coordinator/src/redis/wire/resp.ts';
import { systemClock } from '../../packages/protocol/src/index.ts';

/** A client as a frontier would use it: a write counts when WAIT, right behind it, says that a replica has it. */
export interface Client {
  /** Appends to a list. Answers how many replicas have it; rejects where that is unknown. */
  append(key: string, value: string): Promise<number>;
  /** Some appends and a WAIT for nothing in one pipeline. */
  pipeline(key: string, values: readonly string[]): Promise<void>;
  close(): Promise<void>;
}

export interface Target {
  /** All nodes; one of them is enough. */
  ports: readonly number[];
  isCluster: boolean;
  replicas: number;
}

export type Open = (target: Target) => Promise<Client>;

/** How long WAIT waits. */
const waitMs = 100;

/** What is used of ioredis and iovalkey, which are alike. */
interface IoRedis {
  rpush(key: string, value: string): Promise<number>;
  wait(replicas: number, ms: number): Promise<number>;
  pipeline(): IoPipeline;
  on(event: 'error', listener: () => void): void;
  connect(): Promise<void>;
  disconnect(): void;
}
interface IoPipeline {
  rpush(key: string, value: string): IoPipeline;
  wait(replicas: number, ms: number): IoPipeline;
  exec(): Promise<[Error | null, unknown][] | null>;
}
type IoModule = {
  Redis: new (options: Record<string, unknown>) => IoRedis;
  Cluster: new (nodes: { host: string; port: number }[], options: Record<string, unknown>) => IoRedis;
};

/** What is used of node-redis. */
interface NodeRedis {
  connect(): Promise<unknown>;
  on(event: 'error', listener: () => void): void;
  sendCommand(...args: unknown[]): Promise<unknown>;
  destroy(): void;
}
interface NodeRedisModule {
  createClient(options: Record<string, unknown>): NodeRedis;
  createCluster(options: Record<string, unknown>): NodeRedis;
}

/** Retries, offline queues and redirections are off: what the client cannot do by itself is up to its caller. */
const ioOptions = {
  lazyConnect: true,
  retryStrategy: null,
  maxRetriesPerRequest: 0,
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  commandTimeout: 2_000,
};

export function openers(folder: string): Record<string, Open> {
  const load = createRequire(join(folder, 'package.json'));
  return {
    ours,
    ioredis: (target) => io(load('ioredis') as IoModule, target, 'one pipeline'),
    'ioredis, WAIT apart': (target) => io(load('ioredis') as IoModule, target, 'apart'),
    iovalkey: (target) => io(load('iovalkey') as IoModule, target, 'one pipeline'),
    'node-redis': (target) => nodeRedis(load('redis') as NodeRedisModule, target),
  };
}

async function ours({ ports, replicas }: Target): Promise<Client> {
  const url = `redis://${ports.map((port) => `127.0.0.1:${port}`).join(',')}`;
  const store = await openStore({ url, replicas, clock: systemClock() });
  const run = async (calls: Parameters<typeof store.run>[0], deadlineMs = 2_000) => {
    for (const reply of await store.run(calls, { deadlineMs }))
      if (reply instanceof ReplyError) throw new Error(reply.text);
  };
  return {
    async append(key, value) {
      await run([{ key, args: ['RPUSH', key, value] }]);
      return replicas;
    },
    pipeline: (key, values) => run(values.map((value) => ({ key, args: ['RPUSH', key, value] }))),
    close: () => store.close(),
  };
}

async function io(module: IoModule, target: Target, how: 'one pipeline' | 'apart'): Promise<Client> {
  const nodes = target.ports.map((port) => ({ host: '127.0.0.1', port }));
  const off = {
    maxRedirections: 0,
    retryDelayOnFailover: 0,
    retryDelayOnClusterDown: 0,
    clusterRetryStrategy: null,
  };
  const client = target.isCluster
    ? new module.Cluster(nodes, {
        ...off,
        lazyConnect: true,
        enableOfflineQueue: false,
        redisOptions: ioOptions,
      })
    : new module.Redis({ ...nodes[0], ...ioOptions });
  client.on('error', () => undefined);
  await client.connect();
  const batch = async (
    key: string,
    values: readonly string[],
    replicas: number,
    ms: number,
  ): Promise<number> => {
    const pipeline = client.pipeline();
    for (const value of values) pipeline.rpush(key, value);
    const answers = (await pipeline.wait(replicas, ms).exec()) ?? [];
    for (const [error] of answers) if (error) throw error;
    return Number(answers.at(-1)?.[1]);
  };
  return {
    async append(key, value) {
      if (how === 'one pipeline') return await batch(key, [value], target.replicas, waitMs);
      await client.rpush(key, value);
      return await client.wait(target.replicas, waitMs);
    },
    pipeline: async (key, values) => void (await batch(key, values, 0, 1)),
    close: () => Promise.resolve(client.disconnect()),
  };
}

async function nodeRedis(module: NodeRedisModule, target: Target): Promise<Client> {
  const urls = target.ports.map((port) => `redis://127.0.0.1:${port}`);
  const socket = { reconnectStrategy: false };
  const client = target.isCluster
    ? module.createCluster({
        rootNodes: urls.map((url) => ({ url })),
        maxCommandRedirections: 0,
        defaults: { socket, disableOfflineQueue: true },
      })
    : module.createClient({ url: urls[0], socket, disableOfflineQueue: true });
  client.on('error', () => undefined);
  await client.connect();
  // By the key, so that both reach one node; commands of one turn of the event loop share a write.
  const send = (key: string, ...words: string[]) =>
    target.isCluster ? client.sendCommand(key, false, words) : client.sendCommand(words);
  const batch = async (
    key: string,
    values: readonly string[],
    replicas: number,
    ms: number,
  ): Promise<number> => {
    const sent = values.map((value) => send(key, 'RPUSH', key, value));
    const all = await Promise.all([...sent, send(key, 'WAIT', String(replicas), String(ms))]);
    return Number(all.at(-1));
  };
  return {
    append: (key, value) => batch(key, [value], target.replicas, waitMs),
    pipeline: async (key, values) => void (await batch(key, values, 0, 1)),
    close: () => Promise.resolve(client.destroy()),
  };
}
