import { join } from 'node:path';
import type {
  Clock,
  CoordinatorLink,
  LeaseReport,
  PageRecord,
  Pause,
  WebfarerError,
  WorkerId,
  WorkerLook,
} from '@webfarer/protocol';
import type { LinkCrawl } from '@webfarer/protocol/link';
import {
  createLinkClient,
  createNetworkWatch,
  createSpool,
  createWorker,
  type LinkState,
  type Worker,
} from '@webfarer/worker';
import { version } from '../version.ts';
import type { WorkerConsent } from './worker-consent.ts';
import { writeLateIndexes } from './capture-index.ts';
import { createWorkerCrawls, type WorkerCrawl } from './worker-crawls.ts';

export interface WorkerServiceOptions {
  /** Coordinators to begin with; others are learned from them. */
  urls: readonly string[];
  token: string;
  id: WorkerId;
  /** Locked by us, so that nobody else with this identity is alive. */
  folder: string;
  folderOf: (crawl: LinkCrawl) => string;
  baseFolder: string;
  connections: number;
  /** Whether it makes the index of its captures. */
  indexed: boolean;
  clock: Clock;
  random: () => number;
  /** The link came, went or is being tried again. */
  changed: (state: LinkState) => void;
  crawls: (crawls: readonly LinkCrawl[]) => void;
  /** What the coordinators may decide about this machine; undefined: everything. */
  consent?: WorkerConsent | undefined;
}

export interface WorkerService {
  /** Resolves at the first welcome; until then it keeps trying. Rejects when it is refused. */
  start(): Promise<void>;
  /** Finishes what is in flight, reports, gives back the rest, says goodbye. `now`: drops what is in flight. */
  stop(options?: { now?: boolean }): Promise<void>;
  /** Resolves when it shall end: the coordinator says so, or everything is over. Rejects when it cannot go on. */
  readonly ended: Promise<'drain' | 'over'>;
  look(): WorkerServiceLook;
}

export interface WorkerServiceLook {
  link: LinkState;
  /** Requests under way. */
  inFlight: number;
  /** Outcomes that were reported and taken, in this process. */
  pages: number;
  pause: Pause | undefined;
}

function recordsIn({ settled }: LeaseReport): PageRecord[] {
  return settled.flatMap((one) => (one.kind === 'outcome' ? [one.record] : []));
}

function lookOf(worker: Worker): WorkerLook {
  const { inFlight, pause } = worker;
  return { inFlight, waiting: worker.waiting().slice(0, NAMED_WAITS), ...(pause ? { pause } : {}) };
}

/** The coordinator gives less where a crawl says so. */
const URLS_PER_LEASE = 50;
/** Longer than it takes to try all other coordinators once. */
const ALONE_MS = 3_000;
const TELL_MS = 1_000;
const NAMED_WAITS = 3;
const SAVE_COOKIES_MS = 5_000;
/** Links enter the queue so much later, and a crash repeats so much more: less than anybody notices. */
const GATHER_MS = 250;

/** A client of coordinators: the same worker as in a local crawl, linked over the network. */
export function createWorkerService(options: WorkerServiceOptions): WorkerService {
  const { clock, id } = options;
  const spool = createSpool(options.folder);
  const crawls = createWorkerCrawls({ ...options, member: id, spool });
  const ended = Promise.withResolvers<'drain' | 'over'>();
  ended.promise.catch(() => undefined);
  const closing = new AbortController();
  let worker: Worker | undefined;
  let latest: readonly LinkCrawl[] = [];
  let taking: Promise<void> = Promise.resolve();
  /** Workers by older revisions that have not ended yet. */
  const retired = new Set<Worker>();
  let stopping = false;
  let pages = 0;

  const failed = (error: unknown) => ended.reject(error);
  const client = createLinkClient({
    urls: options.urls,
    token: options.token,
    worker: id,
    version,
    connections: options.connections,
    fresh: true,
    clock,
    random: options.random,
    spool,
    outboxFile: join(options.folder, 'outbox.jsonl'),
    on: {
      welcome: (welcome) => take(welcome.crawls),
      crawls: take,
      peers: endIfOver,
      water: (hosts) => void worker?.giveBack(hosts),
      pause: () => worker?.release(),
      resume: () => worker?.wake(),
      drain: () => ended.resolve('drain'),
      moreDue: () => worker?.wake(),
      changed(state) {
        options.changed(state);
        if (!state.connected) void endIfLeftAlone();
      },
      refused: (error: WebfarerError) => failed(error),
    },
  });

  const counted: CoordinatorLink = {
    ...client.link,
    async report(reports) {
      for (const report of reports) await crawls.get(report.crawl)?.index?.note(recordsIn(report));
      const answers = await client.link.report(reports);
      for (const [i, report] of reports.entries()) {
        const records = recordsIn(report);
        if (answers[i]?.ok) pages += records.length;
        else await crawls.get(report.crawl)?.index?.takeBack(records);
      }
      return answers;
    },
  };

  /**
   * A coordinator announces a crawl before it leases any of its URLs. A worker that knows another revision then takes no
   * more leases: it finishes what is in flight by the old revision, and a new worker replaces it.
   */
  function take(list: readonly LinkCrawl[]): void {
    // Before anything takes time: whoever said so may be gone in a moment.
    options.crawls(list);
    latest = list;
    if (crawls.differ(list)) void retire();
    taking = taking.then(() => adopt(list)).catch(failed);
  }

  async function adopt(list: readonly LinkCrawl[]): Promise<void> {
    if (crawls.differ(list)) await retire();
    await crawls.adopt(list);
    const [first] = crawls.all();
    // Of lists that wait their turn only the last is to be worked by.
    if (first && !worker && !stopping && list === latest) {
      worker = workerFor(first);
      worker.start();
    } else worker?.wake();
    endIfOver();
  }

  async function retire(): Promise<void> {
    if (worker) retired.add(worker);
    worker = undefined;
    await Promise.all(Array.from(retired, (old) => old.stop()));
    retired.clear();
  }

  /** Other coordinators of the store may have work: this one will send us there. */
  function endIfOver(): void {
    const { coordinator } = client.state();
    if (crawls.over && client.peers().every(({ id: peer }) => peer === coordinator)) ended.resolve('over');
  }

  /** Its coordinator is gone after its crawl, and no other one is found. */
  async function endIfLeftAlone(): Promise<void> {
    if (!crawls.over) return;
    await clock.sleep(ALONE_MS, closing.signal).catch(() => undefined);
    if (crawls.over && !client.state().connected) ended.resolve('over');
  }

  /** One worker for all crawls: how many hosts it has at a time is a matter of this machine. */
  function workerFor({ about, fetch }: WorkerCrawl): Worker {
    const { allowPrivate } = about.job.fetch;
    return createWorker({
      id,
      link: counted,
      clock,
      fetch,
      network: createNetworkWatch({ clock, egress: fetch, allowPrivate }),
      context: (crawl) => crawls.get(crawl)?.context,
      connections: options.connections,
      urlsPerHost: URLS_PER_LEASE,
      folder: options.folder,
      minFreeBytes: about.job.limits.minFreeBytes,
      gatherMs: GATHER_MS,
      failed,
      pauseChanged: () => undefined,
    });
  }

  /** Once a second, so that the coordinator can say what a crawl waits for. */
  async function keepTelling(): Promise<void> {
    while (!closing.signal.aborted) {
      await clock.sleep(TELL_MS, closing.signal).catch(() => undefined);
      if (worker && !closing.signal.aborted) client.tellLook(lookOf(worker));
    }
  }

  async function keepCookies(): Promise<void> {
    while (!closing.signal.aborted) {
      await clock.sleep(SAVE_COOKIES_MS, closing.signal).catch(() => undefined);
      await crawls.saveCookies();
    }
  }

  async function stopWorkers(how: { now?: boolean }): Promise<void> {
    const all = worker ? [worker, ...retired] : [...retired];
    await Promise.all(all.map((one) => one.stop(how)));
  }

  let stopped: Promise<void> | undefined;
  async function close(how: { now?: boolean }): Promise<void> {
    await stopWorkers(how);
    await client.stop();
    await taking;
    await crawls.close();
    await spool.close();
  }

  return {
    ended: ended.promise,
    async start() {
      if (options.indexed) await writeLateIndexes(options.folder);
      void keepCookies();
      void keepTelling();
      await client.start();
    },
    async stop(how = {}) {
      stopping = true;
      closing.abort();
      // A second call may hurry the first, but everything is closed once.
      if (how.now) void stopWorkers(how);
      stopped ??= close(how);
      await stopped;
    },
    look: () => ({ link: client.state(), inFlight: worker?.inFlight ?? 0, pages, pause: worker?.pause }),
  };
}
