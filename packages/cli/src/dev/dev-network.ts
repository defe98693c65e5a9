import { join } from 'node:path';
import { makeFolder, writeDurably } from '@webfarer/protocol/node';
import { type NetworkStatus, readToken, readWorkerCard, type WorkerStatus } from '@webfarer/coordinator';
import type { Clock } from '@webfarer/protocol';
import { askStatus } from '../network/coordinator-at.ts';
import { type KeptProcess, keepProcess } from './kept-process.ts';
import { createStoreServers, type StoreServer } from './store-servers.ts';

export interface DevNetworkOptions {
  /** What follows `coordinator`: a job file or seeds, and their options. */
  words: readonly string[];
  store: string | undefined;
  /** A file that lists the servers of the store, if they can be killed too. */
  storeServers: string | undefined;
  folder: string;
  coordinators: number;
  workers: number;
  connections: number;
  clock: Clock;
  tell: (text: string) => void;
}

/** A process and what its network knows of it. */
export interface DevMember {
  role: 'coordinator' | 'worker';
  process: KeptProcess;
  folder: string;
  /** Of a coordinator: where it listens, the same in all its lives. */
  url(): string | undefined;
}

/** The network at one moment. */
export interface DevLook {
  /** What each coordinator says; those that do not answer are left out. */
  coordinators: Map<DevMember, NetworkStatus>;
  /** Each worker that a coordinator knows of, and which one. */
  workers: Map<DevMember, { at: DevMember; status: WorkerStatus }>;
  store: StoreServer[];
}

export interface DevNetwork {
  readonly members: readonly DevMember[];
  look(): Promise<DevLook>;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** When every coordinator has ended by itself: the crawl is over. */
  readonly over: Promise<unknown>;
}

const listening = /^Listening on (http:\/\/\S+)$/m;
const LOOK_MS = 50;

/** A whole small network on this machine, in which everything that dies is started again. */
export function createDevNetwork(options: DevNetworkOptions): DevNetwork {
  const { clock, tell, folder } = options;
  /** Not among the words of its processes, which everybody on the machine can read. */
  const storeFile = join(folder, 'store-address');
  const coordinators = Array.from({ length: options.coordinators }, (_, i) => coordinator(i + 1));
  const workers = Array.from({ length: options.workers }, (_, i) => worker(i + 1));
  const storeServers = createStoreServers(options.storeServers);
  const stopped = new AbortController();

  function coordinator(number: number): DevMember {
    const name = `coordinator-${number}`;
    const own = join(folder, name);
    let found: string | undefined;
    const url = () => (found ??= listening.exec(kept.output())?.[1]);
    const words = () => {
      const listen = url()?.replace('http://', '') ?? '127.0.0.1:0';
      const store = options.store === undefined ? [] : ['--store-file', storeFile];
      return ['coordinator', ...options.words, '--data', own, '--listen', listen, '--until-done', ...store];
    };
    const kept = keepProcess({ name, words, clock, tell });
    return { role: 'coordinator', folder: own, process: kept, url };
  }

  function worker(number: number): DevMember {
    const name = `worker-${number}`;
    const own = join(folder, name);
    const words = () => [
      'worker',
      ...coordinators.map((one) => one.url() ?? ''),
      '--token-file',
      join(folder, 'coordinator-1', 'worker.token'),
      '--out',
      own,
      '--connections',
      String(options.connections),
    ];
    const kept = keepProcess({ name, words, clock, tell });
    return { role: 'worker', folder: own, process: kept, url: () => undefined };
  }

  async function untilListening(member: DevMember): Promise<void> {
    while (member.url() === undefined && member.process.state !== 'over' && !stopped.signal.aborted)
      await clock.sleep(LOOK_MS, stopped.signal).catch(() => undefined);
  }

  async function statusOf(member: DevMember): Promise<NetworkStatus | undefined> {
    const url = member.url();
    if (url === undefined || !['running', 'ending'].includes(member.process.state)) return undefined;
    const token = await readToken(join(member.folder, 'operator.token')).catch(() => undefined);
    return token === undefined ? undefined : await askStatus(url, token).catch(() => undefined);
  }

  return {
    members: [...coordinators, ...workers],
    async look() {
      const all = await Promise.all(coordinators.map(statusOf));
      const store = await storeServers.read();
      const look: DevLook = { coordinators: new Map(), workers: new Map(), store };
      for (const [i, status] of all.entries())
        if (status) look.coordinators.set(coordinators[i] as DevMember, status);
      for (const member of workers) {
        const id = (await readWorkerCard(member.folder))?.id;
        for (const [at, status] of look.coordinators) {
          const found = status.workers.find(({ worker: known }) => known === id);
          if (found) look.workers.set(member, { at, status: found });
        }
      }
      return look;
    },
    async start() {
      if (options.store !== undefined) {
        await makeFolder(folder);
        await writeDurably(storeFile, `${options.store}\n`, { mode: 0o600 });
      }
      // The first begins the crawl, the others join it.
      for (const member of coordinators) {
        member.process.start();
        await untilListening(member);
      }
      if (!stopped.signal.aborted) for (const { process } of workers) process.start();
    },
    async stop() {
      stopped.abort();
      await Promise.all(workers.map(({ process }) => process.stop()));
      await Promise.all(coordinators.map(({ process }) => process.stop()));
    },
    over: Promise.all(coordinators.map(({ process }) => process.over)),
  };
}
