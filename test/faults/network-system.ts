import { join } from 'node:path';
import { readFolder } from '../../packages/coordinator/src/crawl/reading/folder-reader.ts';
import type { JobInput } from '@webfarer/protocol';
import type { FakeWeb } from '../fake-web/server.ts';
import { judge } from '../judge/judge.ts';
import { startNetwork } from '../network/launcher.ts';
import { writeJob } from '../prove/lab.ts';
import { diskAt } from '../prove/loop-disk.ts';
import { freePorts } from '../redis/server-process.ts';
import { type RedisServers, startRedis } from '../redis/servers.ts';
import { faultJob } from './fault-job.ts';
import { type NetworkPart, networkPart } from './network-part.ts';
import { type FaultProxy, startFaultProxy } from './proxy.ts';
import { storePart } from './store-part.ts';
import type { PartDisk, System } from './system.ts';

export interface NetworkSystemOptions {
  fake: FakeWeb;
  /** A cluster of three shards with a replica each, one server, or SQLite in the only coordinator's folder. */
  store: 'cluster' | 'server' | 'sqlite';
  /** By default three on a store. */
  coordinators?: number;
  workers: number;
  under: string;
  /** Workers reach every coordinator through a proxy only. */
  proxies?: boolean;
  /** The program, where it is not the product's own. */
  command?: string;
  /** The first coordinator and the first worker run as this user. */
  firstUser?: number;
  /** The address of the n-th server of the store: for a network where they can be told apart. */
  hostOf?: (n: number) => string;
  gapMs?: number;
  /** Begin on all hosts at once. */
  wide?: boolean;
  /** The first coordinator and the first worker have their folders on small disks. Needs root. */
  smallDisks?: boolean | undefined;
  /** Half of the hosts, for quick forms. */
  few?: boolean | undefined;
  /** Results of a group that stay in the store; by default as many as the product keeps there. */
  backlog?: number | undefined;
  /** Where captures go, if not to the disks of the workers. */
  save?: NonNullable<JobInput['save']>;
}

/** Hosts that each worker fetches from at the same time: few, so that all workers are needed. */
const connections = 12;
const manyConnections = 200;
const lastWords = 2_000;
const coordinatorsOnStore = 3;
/** Room for those that join. */
const mostCoordinators = 40;

/** Three coordinators on a store, or one with SQLite, and some workers, all at work on one crawl. */
export async function startNetworkSystem(options: NetworkSystemOptions): Promise<System> {
  const { fake, under, command, firstUser } = options;
  const store = await startStore(options);
  const { job, expect, gapMs } = faultJob(fake, options);
  const file = join(under, 'job.json');
  // A store keeps crawls by their names; each of ours begins anew.
  const disks = options.smallDisks ? firstDisks(under) : [];
  const { save, backlog } = options;
  const name = `lab-${Math.random().toString(36).slice(2)}`;
  await writeJob(file, {
    ...job,
    name,
    ...(save ? { save } : {}),
    ...(store ? { store: { url: store.url, insecure: true, ...(backlog ? { backlog } : {}) } } : {}),
  });
  const places = await placesOf(options.proxies === true);
  const starting = startNetwork({
    job: file,
    under,
    connections: options.wide ? manyConnections : connections,
    workers: 0,
    coordinators: store ? (options.coordinators ?? coordinatorsOnStore) : 1,
    untilDone: true,
    ...(command === undefined ? {} : { command }),
    ...(firstUser === undefined ? {} : { userOf: (_, n) => (n === 1 ? firstUser : undefined) }),
    placeOf: (n) => places.of(n),
  });
  const network = await starting.catch((error: unknown) => {
    for (const disk of disks) disk.unmount();
    throw error;
  });
  const coordinators = network.coordinators.map((one) => networkPart(one, 'coordinator'));
  const workers: NetworkPart[] = [];
  const addWorker = async (): Promise<void> => {
    workers.push(networkPart(await network.addWorker(), 'worker'));
  };
  for (let n = 0; n < options.workers; n++) await addWorker();
  const everybody = (): NetworkPart[] => [...coordinators, ...workers];

  return {
    fake,
    store,
    proxies: places.proxies,
    disks,
    coordinatorPorts: () => coordinators.map((_, n) => places.portOf(n + 1)),
    parts(role) {
      if (role === 'worker') return workers;
      return role === 'coordinator' ? coordinators : (store?.nodes.map((node) => storePart(node)) ?? []);
    },
    async join(role) {
      if (role === 'worker') return await addWorker();
      coordinators.push(networkPart(await network.addCoordinator(), 'coordinator'));
    },
    isOver: () => Promise.resolve(coordinators.every(({ fate, left }) => fate === 0 || left)),
    problem() {
      const ill = everybody().find(({ fate }) => fate !== undefined && fate !== 0);
      return ill && `${ill.name} ended with ${ill.fate}:\n${ill.output()}`;
    },
    said: () =>
      everybody()
        .map(({ name, alive, fate, output }) => {
          const how = alive ? 'runs' : `ended with ${fate ?? 'nothing that counts'}`;
          return `--- ${name}, which ${how}\n${output().slice(-lastWords)}`;
        })
        .join('\n'),
    async judge() {
      const reader = await readFolder(join(under, 'coordinator-1'));
      try {
        const judgement = await judge({
          web: fake.web,
          expect,
          log: await fake.log(),
          records: reader.results.records(reader.crawl),
          gapMs,
          hostPages: fake.web.hostBudget(),
          balance: await reader.balance(),
        });
        return { ...judgement, drained: (await reader.kept())?.records ?? 0 };
      } finally {
        await reader.close();
      }
    },
    async stop() {
      for (const part of everybody()) part.thaw();
      await network.end();
      await Promise.all(places.proxies.map((proxy) => proxy.stop()));
      await store?.stop();
      for (const disk of disks) disk.unmount();
    },
  };
}

/** Holds what a crawl writes, and `minFree` of the lab job besides. */
const diskMB = 160;

function firstDisks(under: string): (PartDisk & { unmount(): void })[] {
  return ['coordinator-1', 'worker-1'].map((name) => {
    const { path, unmount } = diskAt(join(under, name), join(under, `${name}.img`), diskMB);
    return { name, path, unmount };
  });
}

/** A new one for each crawl: a store remembers robots.txt, and servers that failed over. */
async function startStore({ store, hostOf }: NetworkSystemOptions): Promise<RedisServers | undefined> {
  if (store === 'sqlite') return undefined;
  const size = store === 'cluster' ? { primaries: 3, replicasEach: 1, nodeTimeoutMs: 700 } : {};
  return await startRedis({ ...size, ...(hostOf ? { host: hostOf } : {}) });
}

interface Places {
  proxies: FaultProxy[];
  portOf(coordinator: number): number;
  of(coordinator: number): { listen: string; advertise: string };
}

/** A port for each coordinator that may come, and where wished a proxy in front of the first ones. */
async function placesOf(withProxies: boolean): Promise<Places> {
  const ports = await freePorts('127.0.0.1', mostCoordinators);
  const proxied = withProxies ? ports.slice(0, coordinatorsOnStore) : [];
  const proxies = await Promise.all(
    proxied.map((port) => startFaultProxy({ to: { host: '127.0.0.1', port } })),
  );
  const portOf = (n: number): number => {
    const port = ports[n - 1];
    if (port === undefined) throw new Error(`no place for ${n} coordinators`);
    return port;
  };
  return {
    proxies,
    portOf,
    of: (n) => ({
      listen: `127.0.0.1:${portOf(n)}`,
      advertise: `http://${proxies[n - 1]?.address ?? `127.0.0.1:${portOf(n)}`}`,
    }),
  };
}
