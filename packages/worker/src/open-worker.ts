import {
  type DatedClock,
  type CoordinatorLink,
  type CrawlId,
  type LeaseReport,
  type PageRecord,
  type Pause,
  systemClock,
  type WorkerId,
  type WorkerLook,
} from '@webfarer/protocol';
import type { LoginUse } from '@webfarer/protocol/crawl';
import { frameBounds, type LinkCrawl, type Orders, sendFailure } from '@webfarer/protocol/link';
import type { JobIdentity } from '@webfarer/protocol/job';
import type { ResourceFrame } from '@webfarer/protocol/resources';
import { createMetrics, type Metrics } from '@webfarer/protocol/metrics';
import { boundRegexps, openResourceProbe } from '@webfarer/protocol/node';
import { openMachineBrowser } from './browser/open-machine-browser.ts';
import type { OpenCaptureStore } from './archive/redis/capture-store.ts';
import { createDiskFloor } from './disk/disk-floor.ts';
import { freeBytesOf } from './disk/storage-gate.ts';
import { createBlockingCrawls } from './crawls/blocking-crawls.ts';
import { type CaptureIndex, writeLateIndexes } from './crawls/capture-index.ts';
import type { WorkerConsent } from './crawls/consent.ts';
import type { Hooks } from './crawls/crawl-context.ts';
import { chosenFolders, ownCrawlFolders } from './crawls/crawl-folders.ts';
import { createKnownCrawls } from './crawls/known-crawls.ts';
import { createWorkerCrawls, type LeftCrawls } from './crawls/worker-crawls.ts';
import type { SigningKey } from './identity/signing-key.ts';
import type { Accounts } from './site-login/account.ts';
import type { LinkState } from './link/link-client.ts';
import { measuredRenderer } from './metrics/measured-renderer.ts';
import { reportWorker } from './metrics/report-worker.ts';
import { tellResources } from './resource-teller.ts';
import { noTracing, type Tracing } from './tracing/tracing.ts';
import { type LinkChoice, openWorkerLink } from './worker-link.ts';
import { createWorker, type Worker } from './worker.ts';

/** How pages are shown on this machine. */
export interface BrowserSettings {
  /** The program of the browser, or the ws: or http: address of one elsewhere; undefined: the program in the usual place. */
  browser: string | undefined;
  /** ADDRESS:PORT at which a browser elsewhere reaches this worker; undefined: on the loopback of this machine. */
  browserProxy: string | undefined;
  /** A variable of the environment whose text steps may type; undefined: it is not set. */
  typedText: (name: string) => string | undefined;
}

export interface OpenWorkerOptions extends Partial<BrowserSettings> {
  /** How it is linked to its coordinator: in this process, or over the network. */
  link: LinkChoice;
  /** Unique among the workers of its coordinators; `worker` when absent. */
  id?: WorkerId;
  /** Of the software. */
  version: string;
  /** Where it keeps what it must not lose, and whose disk must not run full. No other process of this id uses it. */
  folder: string;
  /**
   * Where bodies of a crawl are saved; by default a folder inside its own, which it erases when a coordinator says that
   * the crawl was deleted.
   */
  folderOf?: (crawl: LinkCrawl) => string;
  /** Called when that folder exists, before anything is saved there. */
  prepareFolder?: (folder: string, crawl: LinkCrawl) => Promise<void>;
  /** Where modules and files that a job names are looked for; its own folder when absent. */
  baseFolder?: string;
  /** Hosts fetched from at the same time. */
  connections?: number;
  /**
   * Space to leave free on the disk of its folder. A crawl whose `limits.minFree` is more is left out while there is less than that.
   * Absent: 50 MB in a network; elsewhere as much as its crawls ask for.
   */
  minFreeBytes?: number | undefined;
  clock?: DatedClock;
  random?: () => number;
  /** Its captures among those of others; undefined: there are no others. */
  member?: string | undefined;
  /** Which of several processes that share a folder this is, counted from 1. */
  process?: number | undefined;
  /** Whether it makes the index of its captures: where the coordinator has not its records in the same folder. */
  indexed?: boolean;
  /** What the coordinators may decide about this machine; undefined: everything. */
  consent?: WorkerConsent | undefined;
  /** The key it signs requests with where a job says so; absent: it works on no such job. */
  signingKey?: (identity: JobIdentity) => SigningKey | undefined;
  /** The accounts that jobs with a login are read with; absent: it works on no such job. */
  accounts?: Accounts | undefined;
  /**
   * Other crawls come: one that this machine cannot work on is left out, and tried again later. Else it fails with the
   * reason. Absent: as a worker of a network does.
   */
  leavesOut?: boolean;
  /**
   * A crawl whose pages block the event loop again and again is paused while other crawls are open here. Else that is only
   * told. Absent: as a worker of a network does.
   */
  pausesBlocking?: boolean;
  /** Where its work is counted; absent: nobody reads it. */
  metrics?: Metrics | undefined;
  /** The server that captures go to where a job says redis; absent: it works on no such job. */
  captureStore?: OpenCaptureStore | undefined;
  /** Follows the life of URLs; absent: nobody does. */
  tracing?: Tracing | undefined;
  /** The link came, went or is being tried again. */
  changed?: (state: LinkState) => void;
  /** The crawls that it knows, and whether all crawls of the coordinator are over. */
  crawls?: (crawls: readonly LinkCrawl[], isOver: boolean) => void;
  /** It cannot work on a crawl, and works on the others. It tries again when the job changes, and now and then. */
  unable?: (crawl: LinkCrawl, error: unknown) => void;
  /** It has paused by itself, or resumed. */
  pauseChanged?: (pause: Pause | undefined) => void;
}

/** A worker with all its parts. */
export interface OpenWorker {
  /**
   * Resolves when a coordinator is there and the crawls it told of are open; until then it keeps trying. Rejects when
   * it is refused, and in the process of the coordinator when it can work on none of the crawls.
   */
  start(): Promise<void>;
  /** Finishes what is in flight, reports, gives back the rest, says goodbye. `now`: drops what is in flight. */
  stop(options?: { now?: boolean }): Promise<void>;
  /** Resolves when it shall end: the coordinator says so, or every crawl is over. Rejects when it cannot continue. */
  readonly ended: Promise<'drain' | 'over'>;
  look(): OpenWorkerLook;
  /** How its crawls fare with accounts of this machine. */
  logins(): LoginUse[];
  /** Crawls that it left out are tried again soon: what they lacked may be there now. */
  tryLeftOut(): void;
}

export interface OpenWorkerLook extends WorkerLook {
  link: LinkState;
  /** Hosts it holds. */
  held: number;
  /** Outcomes that were reported and accepted, in this process. */
  pages: number;
}

/** As many as a local crawl has. */
const USUAL_CONNECTIONS = 20;
const USUAL_FREE_BYTES = 50_000_000;
/** Longer than it takes to try all other coordinators once. */
const ALONE_MS = 3_000;
/** Often enough for a person who watches; a parent process is told sooner, because that costs next to nothing. */
const TELL_MS = { network: 1_000, parent: 250, 'in-process': 1_000 };
const NAMED_WAITS = 3;
const SAVE_COOKIES_MS = 5_000;
/** Others fetch what a worker cannot save for longer than that. */
const PATIENCE_MS = 10_000;
/** Over a network: links enter the queue this much later, and a crash repeats this much more. */
const GATHER_MS = 250;

/** The only wiring of a worker: its crawls, its way to the web, its savers, its link. */
export function openWorker(options: OpenWorkerOptions): OpenWorker {
  boundRegexps();
  const { folder, baseFolder = folder, connections = USUAL_CONNECTIONS, version } = options;
  const { id = 'worker' as WorkerId, clock = systemClock(), browser, browserProxy, process } = options;
  const { random = Math.random } = options; // allow(chance): what a program that has no other wish gets
  const isShared = options.link.kind === 'network';
  const { metrics = createMetrics({ clock }), leavesOut = isShared, pausesBlocking = isShared } = options;
  const counts = reportWorker({ metrics, look: lookAll, connections });
  const shows = openMachineBrowser({ browser, browserProxy, process }, clock);
  const renderer = shows.renderer && measuredRenderer(shows.renderer, metrics);
  const ended = Promise.withResolvers<'drain' | 'over'>();
  ended.promise.catch(() => undefined);
  const closing = new AbortController();
  let worker: Worker | undefined;
  const known = createKnownCrawls();
  let taking: Promise<void> = Promise.resolve();
  let stopping = false;
  let fault: { error: unknown } | undefined;
  let pages = 0;
  const folders = options.folderOf ? chosenFolders(options.folderOf) : ownCrawlFolders(folder);

  function failed(error: unknown): void {
    fault ??= { error };
    ended.reject(error);
  }

  const orders: Orders = {
    wake: () => worker?.wake(),
    release: (crawl) => worker?.release(crawl),
    releaseHosts: (patterns) => worker?.releaseHosts(patterns),
    water: (hosts) => void worker?.giveBack(hosts),
    crawls: (list) => take(known.replace(list)),
    crawlNews: (news) => take(known.change(news)),
    deleted(nonces) {
      // What cannot be erased now is asked about again with the next connection.
      void crawls.erase(nonces).catch(() => undefined);
    },
    peers: endIfOver,
    // The link follows it, where there is more than one coordinator.
    switch: () => undefined,
    drain({ now }) {
      ended.resolve('drain');
      if (now) void stopWorkers({ now });
    },
  };
  const way = openWorkerLink({
    ...options,
    id,
    clock,
    random,
    connections,
    choice: options.link,
    orders,
    worker: { isToldAsLeased: leavesOut, look, keeps: folders.nonces, closeCrawl: (c) => crawls.close(c) },
    knows: known.ids,
    changed(state) {
      options.changed?.(state);
      if (!state.connected) void endIfLeftAlone();
    },
    refused: failed,
  });
  const crawls = createWorkerCrawls({
    version,
    folders,
    prepareFolder: options.prepareFolder ?? (() => Promise.resolve()),
    baseFolder,
    member: options.member,
    process: options.process,
    indexed: options.indexed ?? false,
    consent: options.consent,
    spool: way.spool,
    askSecrets: way.askSecrets,
    hooks: hooksOf(options.link),
    signingKey: options.signingKey ?? (() => undefined),
    accounts: options.accounts,
    browser: shows.check,
    typedText: options.typedText ?? (() => undefined),
    captureStore: options.captureStore,
    clock,
    metrics,
    blocked: (crawl, block) => blocking.add(crawl, block),
    // Other crawls come to a coordinator elsewhere; here a person waits for this one.
    withoutAny: leavesOut ? 'wait' : 'fail',
    unable: (crawl, error) => options.unable?.(crawl, error),
    leave: async (crawl) => await worker?.leave(crawl),
    check: (crawl) => floor.check(crawl),
    changed: adopted,
  });

  const floor = createDiskFloor({
    folder,
    minFreeBytes: options.minFreeBytes ?? (isShared ? USUAL_FREE_BYTES : undefined),
    freeBytes: freeBytesOf,
    crawls: () => crawls.all(),
    giveUp,
  });
  const blocking = createBlockingCrawls({
    clock,
    pauses: pausesBlocking,
    open: () => crawls.all().length,
    pause: giveUp,
  });

  function giveUp(crawl: CrawlId, error: unknown, forMs?: number): void {
    void crawls.giveUp(crawl, error, forMs).then(() => tellLook({ exactly: true }), failed);
  }

  /**
   * A coordinator announces a crawl before it leases any of its URLs. Of one that is known by another revision nothing more is
   * begun from then on: what is in flight is finished by the old one, and the crawl is opened anew.
   */
  function take(left?: LeftCrawls): void {
    const list = known.list();
    // Before anything takes time: whoever said so may be gone in a moment.
    options.crawls?.(list, known.isOver());
    counts.told(list);
    const adopting = stopping ? Promise.resolve() : crawls.adopt(list, left);
    taking = Promise.all([taking, adopting.then(adopted)]).then(() => undefined, failed);
  }

  function adopted(): void {
    if ((leavesOut || crawls.all().length > 0) && !worker && !stopping) worker = startWorker();
    else worker?.wake();
    // Says that these crawls are open, or closed, by now.
    tellLook({ exactly: true });
    endIfOver();
  }

  /** Other coordinators of the store may have work: this one will send us there. */
  function endIfOver(): void {
    if (known.isOver() && way.alone()) ended.resolve('over');
  }

  /** Its coordinator is gone after its crawl, and no other one is found. */
  async function endIfLeftAlone(): Promise<void> {
    if (!known.isOver()) return;
    await clock.sleep(ALONE_MS, closing.signal).catch(() => undefined);
    if (known.isOver() && !way.state().connected) ended.resolve('over');
  }

  /** One for all crawls: how many hosts it has at a time is a matter of this machine. */
  function startWorker(): Worker {
    const most = (of: (crawl: LinkCrawl) => number) =>
      Math.max(1, ...crawls.all().map(({ about }) => of(about)));
    const made = createWorker({
      id,
      random,
      link: countingLink(way.link, {
        indexOf: (crawl) => crawls.get(crawl)?.index,
        accepted(report) {
          pages += outcomesIn(report);
          counts.accepted(report);
        },
      }),
      clock,
      crawl: (crawl) => crawls.get(crawl),
      mayBegin: (crawl) => crawls.mayBegin(crawl),
      opening: (crawl) => crawls.opening(crawl),
      without: () => crawls.absent(),
      connections,
      renderer,
      metrics,
      tracing: options.tracing ?? noTracing,
      // The coordinator gives less where a crawl says so.
      urlsPerHost: () => (leavesOut ? frameBounds.urlsPerHost : most(({ urlsPerHost }) => urlsPerHost)),
      folder,
      minFreeBytes: () => floor.minFreeBytes(),
      noted: async (crawl, reports) => await crawls.get(crawl)?.index?.note(reports.flatMap(recordsIn)),
      patienceMs: leavesOut ? PATIENCE_MS : undefined,
      ...(options.link.kind === 'network' ? { gatherMs: GATHER_MS } : {}),
      failed(error, crawl) {
        if (crawl === undefined || !leavesOut) return failed(error);
        giveUp(crawl, error);
      },
      pauseChanged(pause) {
        options.pauseChanged?.(pause);
        tellLook({ exactly: true });
      },
    });
    made.start();
    return made;
  }

  /** So that the coordinator can say what a crawl waits for. */
  async function keepTelling(): Promise<void> {
    while (!closing.signal.aborted) {
      await clock.sleep(TELL_MS[options.link.kind], closing.signal).catch(() => undefined);
      if (closing.signal.aborted) return;
      if (worker) tellLook({ exactly: false });
      await floor.look();
      if (crawls.retryDue()) take();
    }
  }

  async function keepCookies(): Promise<void> {
    while (!closing.signal.aborted) {
      await clock.sleep(SAVE_COOKIES_MS, closing.signal).catch(() => undefined);
      await crawls.saveCookies();
    }
  }

  async function stopWorkers(how: { now?: boolean }): Promise<void> {
    await worker?.stop(how);
  }

  function look(): WorkerLook {
    const { inFlight = 0, pause } = worker ?? {};
    const left = crawls.unable() ?? [];
    const held = (worker?.unable() ?? []).filter(({ crawl }) => left.every((one) => one.crawl !== crawl));
    const unable = [...left, ...held];
    const told = blocking.told();
    return {
      inFlight,
      waiting: worker?.waiting() ?? [],
      written: crawls.written(),
      ...(unable.length > 0 ? { unable } : {}),
      ...(told ? { blocking: told } : {}),
      ...(pause ? { pause } : {}),
    };
  }

  function lookAll(): OpenWorkerLook {
    return { ...look(), link: way.state(), held: worker?.held ?? 0, pages };
  }

  function tellLook(how: { exactly: boolean }): void {
    way.tellLook(briefly(look()), how);
  }

  let stopped: Promise<void> | undefined;
  async function close(how: { now?: boolean }): Promise<void> {
    await stopWorkers(how);
    await taking;
    await crawls.closeAll();
    await shows.close();
    tellLook({ exactly: true });
    await way.stop(fault && sendFailure(fault.error));
    counts.end();
  }

  return {
    ended: ended.promise,
    async start() {
      await folders.begin();
      if (options.indexed) await writeLateIndexes(folder);
      void keepCookies();
      void keepTelling();
      void tellResources({
        clock,
        way,
        openProbe: () => openResourceProbe({ clock, folders: () => [folder] }),
        about: () => usedBy(worker, connections, way.state()),
        signal: closing.signal,
      });
      await way.start();
      await taking;
      if (fault) throw fault.error;
    },
    async stop(how = {}) {
      stopping = true;
      closing.abort();
      // A second call may hurry the first, but everything is closed once.
      if (how.now) void stopWorkers(how);
      stopped ??= close(how);
      await stopped;
    },
    look: lookAll,
    logins: () => crawls.logins(),
    tryLeftOut: () => crawls.retryNow(),
  };
}

interface CountingOptions {
  indexOf: (crawl: CrawlId) => CaptureIndex | undefined;
  accepted: (report: LeaseReport) => void;
}

/** Counts what is accepted, and takes back the notes about what is not. */
function countingLink(link: CoordinatorLink, { indexOf, accepted }: CountingOptions): CoordinatorLink {
  return {
    ...link,
    async report(reports) {
      const answers = await link.report(reports);
      for (const [i, report] of reports.entries()) {
        if (answers[i]?.ok) accepted(report);
        else await indexOf(report.crawl)?.takeBack(recordsIn(report));
      }
      return answers;
    },
  };
}

function usedBy(
  worker: Worker | undefined,
  connections: number,
  { outbox }: LinkState,
): Pick<ResourceFrame, 'downloads' | 'queues'> {
  const { inFlight = 0, held = 0 } = worker ?? {};
  return {
    downloads: { now: inFlight, most: connections },
    queues: { outbox, held, pausing: worker?.waiting().length ?? 0 },
  };
}

/** What a coordinator is told: of many hosts that wait, those that matter, and as many crawls as a frame takes. */
function briefly({ waiting, written, unable, blocking, ...rest }: WorkerLook): WorkerLook {
  const most = frameBounds.crawls;
  return {
    ...rest,
    waiting: waiting.slice(0, NAMED_WAITS),
    written: written.slice(-most),
    ...(unable ? { unable: unable.slice(0, most) } : {}),
    ...(blocking ? { blocking: blocking.slice(0, most) } : {}),
  };
}

const noHooks: Hooks = {};

function hooksOf(choice: LinkChoice): (crawl: LinkCrawl) => Hooks {
  return (choice.kind === 'in-process' ? choice.hooks : undefined) ?? (() => noHooks);
}

function recordsIn({ settled }: Pick<LeaseReport, 'settled'>): PageRecord[] {
  return settled.flatMap((one) => (one.kind === 'outcome' ? [one.record] : []));
}

function outcomesIn({ settled }: LeaseReport): number {
  let count = 0;
  for (const { kind } of settled) if (kind === 'outcome') count++;
  return count;
}
