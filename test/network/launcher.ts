import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { NetworkStatus } from '@webfarer/coordinator';
import { type NetworkProcess, networkProcess, type Program } from './process.ts';

export interface NetworkOptions {
  /** The job, as a file; absent: coordinators wait for crawls. */
  job?: string;
  /** Where the folders of all processes go. */
  under: string;
  coordinators?: number;
  workers?: number;
  /** Hosts that each worker fetches from at the same time. */
  connections?: number;
  /** A store for all coordinators; without it there is one, with SQLite. */
  store?: string;
  /** More words for each coordinator, such as `--with-worker`. */
  coordinatorWords?: string[];
  workerWords?: string[];
  /** The coordinator ends with the crawl; else it serves until it is stopped. */
  untilDone?: boolean;
  command?: Program;
  /** The user that a process runs as, where it is not ours. */
  userOf?: (role: 'coordinator' | 'worker', number: number) => number | undefined;
  /** Where the n-th coordinator listens, and how others are told to reach it; by default a free port. */
  placeOf?: (number: number) => { listen: string; advertise: string };
}

export interface CoordinatorProcess extends NetworkProcess {
  /** Where it listens; the same in all its lives. */
  url(): string;
  status(): Promise<NetworkStatus>;
}

/** A network of real processes on this machine. Everything in it may be killed, frozen and started again. */
export interface Network {
  readonly coordinators: CoordinatorProcess[];
  readonly workers: NetworkProcess[];
  /** `withoutJob`: it learns from the store what is crawled. */
  addCoordinator(options?: { withoutJob: boolean }): Promise<CoordinatorProcess>;
  /** Knows all coordinators, or only the ones given. */
  addWorker(options?: {
    urls?: string[];
    words?: string[];
    env?: Record<string, string>;
  }): Promise<NetworkProcess>;
  /** Kills what is left. */
  end(): Promise<void>;
}

export async function startNetwork(options: NetworkOptions): Promise<Network> {
  const coordinators: CoordinatorProcess[] = [];
  const workers: NetworkProcess[] = [];
  const network: Network = {
    coordinators,
    workers,
    async addCoordinator({ withoutJob } = { withoutJob: false }) {
      const job = withoutJob || options.job === undefined ? [] : [options.job];
      const coordinator = coordinatorProcess(options, { number: coordinators.length + 1, job });
      coordinators.push(coordinator);
      await coordinator.start();
      return coordinator;
    },
    async addWorker({ urls = coordinators.map((one) => one.url()), words = [], env = {} } = {}) {
      const first = coordinators[0] as CoordinatorProcess;
      const worker = workerProcess(options, workers.length + 1, {
        urls,
        words,
        env,
        token: first.folder,
      });
      workers.push(worker);
      await worker.start();
      return worker;
    },
    async end() {
      await Promise.all([...workers, ...coordinators].map((one) => one.kill()));
    },
  };
  try {
    for (let n = 0; n < (options.coordinators ?? 1); n++) await network.addCoordinator();
    await Promise.all(Array.from({ length: options.workers ?? 1 }, () => network.addWorker()));
    return network;
  } catch (error) {
    await network.end();
    throw error;
  }
}

const listening = /^Listening on (http:\/\/\S+)$/m;

function coordinatorProcess(
  options: NetworkOptions,
  { number, job }: { number: number; job: string[] },
): CoordinatorProcess {
  const folder = join(options.under, `coordinator-${number}`);
  const place = options.placeOf?.(number);
  let url: string | undefined;
  const found = () => {
    url ??= listening.exec(own.output())?.[1];
    if (url === undefined) throw new Error(`coordinator ${number} has not said where it listens`);
    return url;
  };
  const own = networkProcess({
    name: `coordinator-${number}`,
    folder,
    command: options.command,
    uid: options.userOf?.('coordinator', number),
    words: () => [
      'coordinator',
      ...job,
      '--data',
      folder,
      '--listen',
      place?.listen ?? (url === undefined ? '127.0.0.1:0' : url.replace('http://', '')),
      ...(place ? ['--advertise', place.advertise] : []),
      ...(options.store === undefined ? [] : ['--store', options.store]),
      ...(options.untilDone ? ['--until-done'] : []),
      ...(options.coordinatorWords ?? []),
    ],
    atWork: (printed) => listening.test(printed),
  });
  // What changes from life to life is looked up in the process itself.
  return Object.assign(Object.create(own) as NetworkProcess, {
    url: found,
    async start() {
      await own.start();
      found();
    },
    async status() {
      const token = (await readFile(join(folder, 'operator.token'), 'utf8')).trim();
      const where = place ? `http://${place.listen}` : found();
      const answer = await fetch(`${where}/status`, { headers: { authorization: `Bearer ${token}` } });
      if (!answer.ok) throw new Error(`status answered ${answer.status}`);
      return (await answer.json()) as NetworkStatus;
    },
  });
}

function workerProcess(
  options: NetworkOptions,
  number: number,
  {
    urls,
    words,
    env,
    token,
  }: { urls: string[]; words: string[]; env: Record<string, string>; token: string },
): NetworkProcess {
  const folder = join(options.under, `worker-${number}`);
  return networkProcess({
    name: `worker-${number}`,
    folder,
    env,
    command: options.command,
    uid: options.userOf?.('worker', number),
    words: () => [
      'worker',
      ...urls,
      '--token-file',
      join(token, 'worker.token'),
      '--out',
      folder,
      // The fake web, and scrapers of proofs; asked for where the coordinator has another address.
      '--allow-private',
      '127.0.0.0/8',
      '--allow-modules',
      ...(options.connections === undefined ? [] : ['--connections', String(options.connections)]),
      ...(options.workerWords ?? []),
      ...words,
    ],
    // Not that it is linked: a coordinator may be away on purpose.
    atWork: (printed) => /^ {2}worker \S+/m.test(printed),
  });
}
