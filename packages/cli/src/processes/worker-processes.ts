import {
  bodiesNotTaken,
  createLinkServer,
  createPauseBoard,
  type LinkServer,
  type LinkServerOptions,
  listedTokens,
  noRules,
  nothingElsewhere,
  workerId,
} from '@webfarer/coordinator';
import {
  type Clock,
  type CoordinatorLink,
  type CrawlId,
  type Pause,
  WebfarerError,
  type WebfarerEvent,
  type WorkerId,
  type WorkerLook,
} from '@webfarer/protocol';
import { allOver } from '@webfarer/protocol/crawl';
import { type LinkCrawl, type Orders, receiveFailure, type WorkerFrame } from '@webfarer/protocol/link';
import type { Metrics } from '@webfarer/protocol/metrics';
import type { ConnectWorker, InProcessLink, KeptCookies, OpenWorker, OpenWorkerLook } from '@webfarer/worker';
import type { WorkerProcess } from './fork-worker.ts';
import { type ProcessMetrics, reportProcesses } from './process-metrics.ts';
import type { ProcessSetup } from './process-setup.ts';
import { createWrittenSum, type Written } from './written-sum.ts';

export interface WorkerProcessesOptions {
  /** How many processes. */
  count: number;
  setup: Omit<ProcessSetup, 'process' | 'id' | 'isMeasured'>;
  /** Where their work is counted; undefined: nowhere. */
  metrics: Metrics | undefined;
  /** Joins them to the coordinator of this process, as one worker. */
  connect: ConnectWorker;
  clock: Clock;
  cookies: KeptCookies | undefined;
  /** What the savers had written before any of the processes began. */
  archive: Written;
  /** Hosts that have something queued. */
  hostsQueued: () => Promise<number>;
  /** A process is gone: nobody will come back with its leases. */
  releaseLeases: (worker: WorkerId) => Promise<unknown>;
  pauseChanged: (pause: Pause | undefined) => void;
  /** What happens to the processes as workers. */
  events: { publish(event: WebfarerEvent): number };
  /** A process was lost: one sentence for a person. */
  lost: (text: string) => void;
  startProcess: (setup: ProcessSetup) => WorkerProcess;
}

/** One that ends this often without having lived long in between ends by itself: starting it again is no help. */
export const MAX_RESTARTS = 5;
const LONG_LIFE_MS = 60_000;
/** One that was told to drop everything and does not is ended. */
const DROP_PATIENCE_MS = 5_000;
const SAVE_COOKIES_MS = 5_000;
/** That a process is alive is seen by its stream; one that reads a large page is not heard from for a while. */
const UNHURRIED_MS = 600_000;
const MANY_FRAMES = 1_000_000;

interface Member {
  readonly process: number;
  readonly id: WorkerId;
  child: WorkerProcess;
  alive: boolean;
  /** It has been heard from: its crawls are open. */
  isReady: boolean;
  /** It has said what it cannot continue for. */
  failed: boolean;
  startedAtMs: number;
  restarts: number;
  look: WorkerLook;
  /** Resolves when its crawls are open. */
  ready: PromiseWithResolvers<void>;
}

/**
 * A worker of several processes, each with the whole pipeline, joined to this one by the same link as a worker on
 * another machine. This process keeps the coordinator, the store and the file of cookies. One that dies is started
 * again.
 */
export function openWorkerProcesses(options: WorkerProcessesOptions): OpenWorker {
  const { clock, count, setup, startProcess } = options;
  const board = createPauseBoard(options.pauseChanged);
  const sum = createWrittenSum(options.archive);
  const members: Member[] = [];
  const ended = Promise.withResolvers<'drain' | 'over'>();
  ended.promise.catch(() => undefined);
  const closing = new AbortController();
  const sinceMs = clock.now();
  const connections = setup.connections * count;
  let counts: ProcessMetrics | undefined;
  let joined: InProcessLink | undefined;
  let server: LinkServer | undefined;
  let crawls: readonly LinkCrawl[] = [];
  let started = false;
  let stopping = false;
  let pages = 0;
  /** What is being done about processes that were lost. */
  let repairs: Promise<unknown> = Promise.resolve();
  let changed = Promise.withResolvers<void>();

  const orders: Orders = {
    wake: () => server?.wake(),
    release: (crawl) => server?.tellAll({ type: 'release', crawl }),
    releaseHosts: (hosts) => server?.tellAll({ type: 'release', hosts }),
    water: (hosts) => void server?.water(hosts),
    crawls(list) {
      crawls = list;
      server?.tellAll({ type: 'crawls', crawls });
    },
    crawlNews: () => undefined,
    // The coordinator of this process has the folder, and deletes it.
    deleted: () => undefined,
    peers: () => undefined,
    switch: () => undefined,
    drain({ now }) {
      ended.resolve('drain');
      if (now) drop();
    },
  };

  /** The coordinator's link, on the way through which cookies are kept and pages counted. */
  function counted(link: CoordinatorLink): CoordinatorLink {
    return {
      ...link,
      async lease(request) {
        const member = members.find(({ id, alive }) => alive && id === request.worker);
        if (member) markReady(member);
        return await link.lease(request);
      },
      async report(reports) {
        for (const { cookies } of reports)
          if (cookies) for (const { url, lines } of cookies) options.cookies?.jar.store(url, lines);
        const answers = await link.report(reports);
        for (const [i, { settled }] of reports.entries())
          if (answers[i]?.ok) for (const { kind } of settled) if (kind === 'outcome') pages++;
        return answers;
      },
    };
  }

  function serve(link: CoordinatorLink): LinkServer {
    return createLinkServer({
      id: 'parent',
      version: setup.version,
      clock,
      link,
      tokens: listedTokens({ own: [], volunteer: [] }),
      crawls: listed(() => crawls),
      peers: () => [],
      hostsQueued: options.hostsQueued,
      releaseLeases: options.releaseLeases,
      bodies: bodiesNotTaken,
      own: undefined,
      grantedTo: () => Promise.resolve([]),
      deletedAmong: () => Promise.resolve([]),
      stillDry: () => undefined,
      elsewhere: () => nothingElsewhere,
      rules: noRules,
      resources: undefined,
      heard,
      limits: {
        heartbeatMs: UNHURRIED_MS,
        helloMs: UNHURRIED_MS,
        framesPerSecond: MANY_FRAMES,
        burst: MANY_FRAMES,
      },
      events: options.events,
    });
  }

  function heard(worker: WorkerId, frame: Extract<WorkerFrame, { type: 'look' | 'bye' }>): void {
    const member = members.find(({ id, alive }) => alive && id === worker);
    if (!member) return;
    if (frame.type === 'look') {
      sum.heard(member.process, frame.look.written);
      member.look = frame.look;
      board.set(member.id, frame.look.pause);
      markReady(member);
    } else if (frame.failure) {
      const error = receiveFailure(frame.failure);
      member.failed = true;
      member.ready.reject(error);
      if (started || member.isReady) ended.reject(error);
    }
    lookAgain();
  }

  /** Its crawls are open: it says how it is, or asks for work before it has come to that. */
  function markReady(member: Member): void {
    member.isReady = true;
    member.ready.resolve();
  }

  /** Whoever waits for the processes looks again at what they are doing, once. */
  function lookAgain(): void {
    changed.resolve();
    changed = Promise.withResolvers<void>();
  }

  /** Starts a process in the place of a member; resolves when its crawls are open. */
  async function launch(process: number, restarts: number): Promise<void> {
    await options.cookies?.save().catch(() => undefined);
    const id = workerId(setup.member, process);
    const child = startProcess({ ...setup, process, id, isMeasured: options.metrics !== undefined });
    child.onNews((news) => counts?.heard(process, news));
    const ready = Promise.withResolvers<void>();
    ready.promise.catch(() => undefined);
    const look: WorkerLook = { inFlight: 0, waiting: [], written: [] };
    const startedAtMs = clock.now();
    const state = { alive: true, isReady: false, failed: false };
    const member: Member = { process, id, child, ...state, startedAtMs, restarts, look, ready };
    sum.launched(process);
    members[process - 1] = member;
    repairs = Promise.all([repairs, child.ended.then((how) => gone(member, how))]);
    server?.accept(child.stream, `process ${process}`);
    await ready.promise;
  }

  async function gone(member: Member, how: string): Promise<void> {
    member.alive = false;
    counts?.gone(member.process);
    member.ready.reject(new WebfarerError('interrupted', `worker process ${member.process} ended (${how})`));
    board.set(member.id, undefined);
    member.look = { ...member.look, inFlight: 0, waiting: [] };
    // Should the disk refuse it, the leases run out by themselves.
    await options.releaseLeases(member.id).catch(() => undefined);
    lookAgain();
    if (stopping || member.failed) return;
    await replace(member, how).catch((error: unknown) => ended.reject(error));
  }

  async function replace({ process, startedAtMs, restarts: before }: Member, how: string): Promise<void> {
    const restarts = clock.now() - startedAtMs >= LONG_LIFE_MS ? 1 : before + 1;
    const what = `Worker process ${process} ended unexpectedly (${how}); its URLs are back in the queue`;
    if (restarts <= MAX_RESTARTS) {
      options.lost(`${what}. It is restarted (${restarts} of ${MAX_RESTARTS}).`);
      await launch(process, restarts).catch(unlessGone);
      return;
    }
    const left = members.filter(({ alive }) => alive).length;
    if (left === 0) throw allGone(how);
    options.lost(
      `${what}. It has ended ${restarts} times and is not restarted; ${left} of ${count} continue.`,
    );
  }

  function drain(now: boolean): void {
    for (const { id, alive } of members) if (alive) server?.tell(id, { type: 'drain', now });
  }

  function drop(): void {
    drain(true);
    for (const { child, alive } of members) {
      if (!alive) continue;
      const over = new AbortController();
      void child.ended.then(() => over.abort());
      clock.sleep(DROP_PATIENCE_MS, over.signal).then(
        () => child.kill(),
        () => undefined,
      );
    }
  }

  /** One that may not be connected yet could not be told to end. */
  function endUnready(): void {
    for (const { child, alive, isReady } of members) if (alive && !isReady) child.stream.destroy();
  }

  async function close(): Promise<void> {
    drain(false);
    endUnready();
    await Promise.all(members.map(({ child }) => child.ended));
    await repairs;
    await server?.stop();
    await options.cookies?.save().catch(() => undefined);
    counts?.end();
    joined?.leave();
  }

  async function keepCookies(): Promise<void> {
    while (!closing.signal.aborted) {
      await clock.sleep(SAVE_COOKIES_MS, closing.signal).catch(() => undefined);
      await options.cookies?.save().catch(() => undefined);
    }
  }

  function look(): WorkerLook {
    const looks = members.map((member) => member.look);
    const { pause } = board;
    return {
      inFlight: looks.reduce((total, { inFlight }) => total + inFlight, 0),
      waiting: looks.flatMap(({ waiting }) => waiting).sort((a, b) => a.dueInMs - b.dueInMs),
      written: crawls.map(({ id }) => ({ crawl: id, ...sum.total(), open: isOpen(id) })),
      ...(pause ? { pause } : {}),
    };
  }

  function isOpen(crawl: CrawlId): boolean {
    return members.some(
      ({ alive, look: { written } }) => alive && written.some((one) => one.crawl === crawl && one.open),
    );
  }

  /** To the processes it is over, until they are told of it again. */
  async function closeCrawl(crawl: CrawlId): Promise<void> {
    const told = crawls.map((one) => (one.id === crawl ? { ...one, state: 'finished' as const } : one));
    server?.tellAll({ type: 'crawls', crawls: told });
    while (isOpen(crawl)) await changed.promise;
  }

  function wholeLook(): OpenWorkerLook {
    const connected = joined !== undefined;
    const link = { connected, everConnected: connected, sinceMs, attempts: 0, outbox: 0 };
    return { ...look(), link, held: server?.load().hosts ?? 0, pages };
  }

  let stopped: Promise<void> | undefined;
  return {
    ended: ended.promise,
    async start() {
      const { metrics } = options;
      counts = metrics && reportProcesses({ metrics, look: wholeLook, connections });
      const id = workerId(setup.member);
      joined = options.connect({ ...toldOfAll, id, connections, orders, look, closeCrawl });
      server = serve(counted(joined.link));
      void keepCookies();
      await Promise.all(Array.from({ length: count }, (_, i) => launch(i + 1, 0).catch(unlessGone)));
      started = true;
    },
    async stop({ now = false } = {}) {
      stopping = true;
      closing.abort();
      if (now) drop();
      stopped ??= close();
      await stopped;
    },
    look: wholeLook,
    // A job with a login has one process.
    logins: () => [],
    tryLeftOut: () => undefined,
  };
}

const toldOfAll = { isToldAsLeased: false, keeps: () => [] };

/** Its processes are told of all crawls. */
function listed(crawls: () => readonly LinkCrawl[]): LinkServerOptions['crawls'] {
  return {
    crawls: () => [...crawls()],
    crawl: (id) => crawls().find((one) => one.id === id),
    isOver: () => allOver(crawls()),
  };
}

/** Gone while it was being made ready: its own end is dealt with. */
function unlessGone(error: unknown): void {
  if (!(error instanceof WebfarerError && error.code === 'interrupted')) throw error;
}

function allGone(how: string): WebfarerError {
  return new WebfarerError('internal', `all worker processes have ended, the last by ${how}`, {
    next: 'Nothing is lost: run the same command to resume. With --processes 1 the cause is easier to see.',
  });
}
