import {
  type DatedClock,
  type CoordinatorLink,
  type CrawlId,
  type HostLease,
  isStorageTrouble,
  type Pause,
  type WorkerId,
  type WorkerLook,
} from '@webfarer/protocol';
import type { Metrics } from '@webfarer/protocol/metrics';
import { fitsHost } from '@webfarer/protocol/url';
import type { WorkableCrawl } from './context/context.ts';
import type { Renderer } from './browser/rendering.ts';
import { createRobotsFiles } from './fetch/robots-files.ts';
import type { NetworkWatch } from './egress/network-watch.ts';
import { type HeldLease, holdLease, renewLeases } from './session/held-lease.ts';
import { runHostSession } from './session/host-session.ts';
import { createQuarantine } from './session/quarantine.ts';
import { createReporter, type PendingReport } from './session/reporter.ts';
import { createChallengedHosts } from './session/challenged-hosts.ts';
import { createAnsweredHosts } from './session/answered-hosts.ts';
import { createServerErrors } from './session/server-errors.ts';
import type { Tracing } from './tracing/tracing.ts';
import { createTurnstile } from './turnstile/turnstile.ts';
import { createUrlRests } from './session/url-rests.ts';
import { createCrawlGates } from './disk/crawl-gates.ts';
import { createStorageGate, freeBytesOf } from './disk/storage-gate.ts';

export interface WorkerOptions {
  id: WorkerId;
  link: CoordinatorLink;
  clock: DatedClock;
  /** The crawls this worker can work on; a lease of any other is given back. */
  crawl: (crawl: CrawlId) => WorkableCrawl | undefined;
  /** Whether pages of it may be begun. One that is about to be opened anew only finishes what it has. */
  mayBegin: (crawl: CrawlId) => boolean;
  /** Resolves when a crawl that it was just told of is open, or cannot be opened; undefined: it is not about to be. */
  opening: (crawl: CrawlId) => Promise<void> | undefined;
  /** Crawls that this worker cannot work on for a while; undefined: none. */
  without: () => readonly CrawlId[] | undefined;
  /** Hosts worked on at the same time. */
  connections: number;
  /** Undefined: there is no browser on this machine. */
  renderer: Renderer | undefined;
  metrics: Metrics;
  tracing: Tracing;
  /** URLs to take with one lease. */
  urlsPerHost: () => number;
  folder: string;
  /** Space to leave free on the disk of the worker, whatever it works on. */
  minFreeBytes: () => number;
  /** Called with reports of a crawl before they are sent, when what they point at is on disk. */
  noted: (crawl: CrawlId, reports: readonly PendingReport[]) => Promise<void>;
  /**
   * For how long captures of a crawl that cannot be saved are tried again before it is `failed`; undefined: for as long as it
   * takes. Others are not held up meanwhile.
   */
  patienceMs: number | undefined;
  /** Reports that end no lease are gathered for so long, where there are many; see the reporter. */
  gatherMs?: number;
  random: () => number;
  /** Told when the worker stands still by itself, and when it goes on. */
  pauseChanged: (pause: Pause | undefined) => void;
  /** A fault of ours, not of the web, the network or the disk: continuing would only hide it. */
  failed: (error: unknown, crawl: CrawlId | undefined) => void;
}

/** A client that fetches: takes host leases, works through them, reports, asks for more. */
export interface Worker {
  start(): void;
  /** Something may be due that was not when it last asked. */
  wake(): void;
  /** Finishes what is in flight of this crawl, or of all, and gives back the rest, then asks for work again. */
  release(crawl: CrawlId | undefined): void;
  /** The same for hosts that fit one of these patterns: other rules hold for them now. */
  releaseHosts(patterns: readonly string[]): void;
  /** The same; resolves when nothing of the crawl is left here and all of it is reported. */
  leave(crawl: CrawlId): Promise<void>;
  /**
   * Gives back this many hosts, those whose next request is furthest away first: others are idle. A request in flight
   * is finished. Answers how many it will be.
   */
  giveBack(hosts: number): number;
  /** Finishes what is in flight, gives the rest back, waits until all is durable. `now` drops what is in flight. */
  stop(options?: { now?: boolean }): Promise<void>;
  readonly inFlight: number;
  /** Hosts it holds. */
  readonly held: number;
  /** Those of them that must pause before their next request, soonest first. */
  waiting(): WorkerLook['waiting'];
  readonly pause: Pause | undefined;
  /** Crawls whose captures cannot be saved at this moment. */
  unable(): NonNullable<WorkerLook['unable']>;
}

/** With nothing due and nothing promised, look again this often: the safety net, not the engine. */
const IDLE_LOOK_MS = 1_000;
/** How often leases are looked over for renewal; they last many times as long. */
const RENEW_LOOK_MS = 500;
/** For how long it is tried to save what was fetched while everything else waits. */
const ALONE_SAVE_MS = 1_000;
/** A lease that cannot be worked on is held for this long, give or take half, so that it is not leased again at once. */
const ALONE_PAUSE_MS = 1_000;
/** A lease waits for its crawl to be opened no longer: others can use the connection. */
const OPEN_MS = 2_000;
/** One for all: building an error for each would cost more than the wait is worth. */
const awakened = new Error('awake');

export function createWorker(options: WorkerOptions): Worker {
  const { clock, link } = options;
  const sessions = new Map<HeldLease, Promise<void>>();
  /** Aborted to end work softly: nothing new is started. Renewed after each pause. */
  let halt = new AbortController();
  /** Aborted to end work at once: requests in flight are dropped. */
  const drop = new AbortController();
  let stopping = false;
  let offline: Pause | undefined;
  let loop: Promise<void> | undefined;
  let kick = new AbortController();
  const ending = new AbortController();
  let fetching = 0;
  const serverErrors = createServerErrors();
  const answeredHosts = createAnsweredHosts();
  const challenged = createChallengedHosts();
  const urlRests = createUrlRests(clock);
  const largePages = createTurnstile(1);
  const robotsFiles = createRobotsFiles();
  const quarantine = createQuarantine({ clock, sessions, halt: () => halt.abort(), gates: () => gates });

  const wake = () => {
    kick.abort(awakened);
    kick = new AbortController();
  };
  /** Alone, a crawl whose captures cannot be saved is all there is to do. */
  const pauseNow = () =>
    offline ?? storage.pause ?? (options.patienceMs === undefined ? gates.pause : undefined);
  const tellPause = () => options.pauseChanged(pauseNow());

  const storage = createStorageGate({
    freeBytes: freeBytesOf,
    folder: options.folder,
    minFreeBytes: options.minFreeBytes,
    clock,
    signal: drop.signal,
    changed: () => {
      if (storage.pause) halt.abort();
      tellPause();
    },
  });
  const gates = createCrawlGates({
    clock,
    worker: storage,
    patienceMs: (crawl) => patienceOf(options, quarantine.aloneIn === crawl),
    signal: drop.signal,
    changed(crawl) {
      if (gates.held().has(crawl)) for (const held of heldOf(crawl)) held.lose();
      tellPause();
      wake();
    },
    gaveUp: (crawl, error) => options.failed(error, crawl),
  });
  const reporter = createReporter({
    link,
    clock,
    storage,
    signal: drop.signal,
    tracing: options.tracing,
    secure: (crawl, reports) => gates.of(crawl).attempt(() => secureAll(crawl, reports, options)),
    committed: wake,
    ...(options.gatherMs === undefined ? {} : { gatherMs: options.gatherMs }),
  });

  const without = () => withHeld(options.without(), gates.held());
  function heldOf(crawl: CrawlId): HeldLease[] {
    return [...sessions.keys()].filter((held) => held.ref.crawl === crawl);
  }

  /** Gives a lease back unopened. Its host was asked for nothing, so that its pause does not begin. */
  async function refuse({ ref, lease, lost }: HeldLease, later: boolean): Promise<void> {
    if (later) await rest(clock, AbortSignal.any([lost, halt.signal, drop.signal]), aloneMs(options));
    const news = { endedAtMs: null, gapMs: 0, why: 'alone', health: 'none' } as const;
    await reporter.add({ ...ref, part: lease.part, settled: [], close: true, news });
  }

  /** A worker may be told of a crawl together with its first lease. */
  async function crawlOf(held: HeldLease): Promise<WorkableCrawl | undefined> {
    const { crawl } = held.ref;
    const now = () => (options.mayBegin(crawl) ? options.crawl(crawl) : undefined);
    if (!now()) await soon(options.opening(crawl), { clock, until: [held.lost, halt.signal, drop.signal] });
    return now();
  }

  async function workOn(held: HeldLease): Promise<void> {
    const crawl = await crawlOf(held);
    // A coordinator that gives it nevertheless is not asked for it again at once.
    if (!crawl || gates.held().has(held.lease.crawl))
      return await refuse(held, without()?.includes(held.lease.crawl) ?? false);
    if (!(await crawl.ready())) return await refuse(held, true);
    const { context, fetch, network } = crawl;
    for (const { url, lines } of held.lease.cookies ?? []) context.cookies?.store(url, lines);
    const admitted = await quarantine.admit(held, context.job.fetch.retries.poisonAfter);
    if (admitted === 'no') return await refuse(held, true);
    // The others were halted for it, and have ended.
    if (admitted === 'alone' && !stopping && !offline && !storage.pause) halt = new AbortController();
    await runHostSession(held, context, {
      worker: options.id,
      link,
      clock,
      fetch,
      renderer: options.renderer,
      network,
      reporter,
      serverErrors,
      answeredHosts,
      challenged,
      urlRests,
      storage: gates.of(held.lease.crawl),
      largePages,
      robotsFiles,
      metrics: options.metrics,
      tracing: options.tracing,
      halt: halt.signal,
      drop: drop.signal,
      wentOffline: (text) => wentOffline(text, network),
      inFlight: (change) => {
        fetching += change;
      },
    });
  }

  function begin(lease: HostLease, askedAtMs: number): void {
    const held = holdLease(lease, askedAtMs);
    const session = workOn(held)
      .catch((error: unknown) => troubled(error, lease.crawl))
      .then(() => {
        sessions.delete(held);
        quarantine.leave(held);
        wake();
      });
    sessions.set(held, session);
  }

  /** A full disk or a busy file pass by themselves: nothing was changed, the same is tried again. */
  function troubled(error: unknown, crawl?: CrawlId): void {
    if (!isStorageTrouble(error) && !drop.signal.aborted) options.failed(error, crawl);
  }

  function wentOffline(text: string, network: NetworkWatch): void {
    if (offline || stopping) return;
    offline = { cause: 'no-network', text, retryInMs: network.retryMs };
    halt.abort();
    tellPause();
    void network
      .waitUntilOnline(drop.signal)
      .catch(() => undefined)
      .then(() => {
        offline = undefined;
        tellPause();
        wake();
      });
  }

  async function work(): Promise<void> {
    while (!stopping) {
      const next = kick.signal;
      let waitMs = IDLE_LOOK_MS;
      const free = freeConnections(options.connections, sessions.keys(), gates.held());
      if (free > 0 && !offline && !quarantine.closed && (await storage.hasRoom())) {
        if (halt.signal.aborted && !stopping) halt = new AbortController();
        const askedAtMs = clock.now();
        try {
          const leftOut = without();
          const wish = { worker: options.id, hosts: free, urlsPerHost: options.urlsPerHost() };
          const answer = await options.tracing.run(
            'webfarer.lease',
            () => ({}),
            async (span) => {
              const granted = await link.lease({ ...wish, ...(leftOut ? { without: leftOut } : {}) });
              span.set({ 'webfarer.hosts': granted.leases.length });
              return granted;
            },
          );
          for (const lease of answer.leases) begin(lease, askedAtMs);
          if (answer.nextDueMs !== null) waitMs = Math.min(waitMs, Math.max(1, answer.nextDueMs));
        } catch (error) {
          troubled(error);
        }
      }
      if (!stopping) await rest(clock, next, waitMs);
    }
  }

  async function renew(): Promise<void> {
    while (!stopping || sessions.size > 0) {
      const due = [...sessions.keys()].filter((held) => held.renewalDue(clock.now()));
      if (due.length > 0) await renewLeases({ link, clock }, due);
      await rest(clock, stopping ? kick.signal : ending.signal, RENEW_LOOK_MS);
    }
  }

  return {
    get inFlight() {
      return fetching;
    },
    get held() {
      return sessions.size;
    },
    waiting: () => waitsOf(sessions.keys(), clock.now()),
    get pause() {
      return pauseNow();
    },
    unable: () => (options.patienceMs === undefined ? [] : gates.troubles()),
    wake,
    release(crawl) {
      if (crawl === undefined) halt.abort();
      else for (const held of heldOf(crawl)) held.lose();
      wake();
    },
    releaseHosts(patterns) {
      for (const held of sessions.keys())
        if (patterns.some((pattern) => fitsHost(pattern, held.ref.host))) held.lose();
      wake();
    },
    async leave(crawl) {
      const own = heldOf(crawl);
      for (const held of own) held.lose();
      await Promise.all(own.map(async (held) => await sessions.get(held)));
      gates.forget(crawl);
    },
    giveBack(hosts) {
      const given = furthestFrom(sessions.keys(), clock.now()).slice(0, Math.max(0, hosts));
      for (const held of given) held.lose();
      return given.length;
    },
    start() {
      loop ??= Promise.all([work(), renew()]).then(() => undefined);
    },
    async stop({ now = false } = {}) {
      stopping = true;
      ending.abort(awakened);
      halt.abort();
      if (now) drop.abort(new Error('stopped'));
      wake();
      await Promise.all(sessions.values());
      await reporter.drain().catch(() => undefined);
      if (!drop.signal.aborted) drop.abort(new Error('stopped'));
      await loop;
    },
  };
}

/**
 * Until the time is over or the signal comes. Not by a race with a promise: one that outlives many waits would keep something of
 * each of them.
 */
async function rest(clock: DatedClock, event: AbortSignal, ms: number): Promise<void> {
  await clock.sleep(ms, event).catch(() => undefined);
}

const aloneMs = ({ random }: Pick<WorkerOptions, 'random'>) => ALONE_PAUSE_MS * (0.5 + random());

function waitsOf(sessions: Iterable<HeldLease>, now: number): WorkerLook['waiting'] {
  const waits: WorkerLook['waiting'] = [];
  for (const { pause, ref } of sessions) {
    if (!pause) continue;
    const { crawl, host } = ref;
    const dueInMs = Math.max(0, pause.untilMs - now);
    const { why, detail, left } = pause;
    const wait = { crawl, host, queued: left, dueInMs, why, dead: false };
    waits.push(detail === undefined ? wait : { ...wait, detail });
  }
  return waits.sort((a, b) => a.dueInMs - b.dueInMs);
}

/** Those whose next request is furthest away first. */
function furthestFrom(sessions: Iterable<HeldLease>, now: number): HeldLease[] {
  const nextAtMs = (held: HeldLease) => held.pause?.untilMs ?? now;
  const kept = [...sessions].filter(({ lost }) => !lost.aborted);
  return kept.sort((a, b) => nextAtMs(b) - nextAtMs(a));
}

/** Waits for a crawl to be opened, but not for long, and not beyond these signals. */
async function soon(
  opening: Promise<void> | undefined,
  { clock, until }: { clock: DatedClock; until: AbortSignal[] },
): Promise<void> {
  if (!opening) return;
  const over = new AbortController();
  await Promise.race([opening, rest(clock, AbortSignal.any([over.signal, ...until]), OPEN_MS)]);
  over.abort(awakened);
}

async function secureAll(
  crawl: CrawlId,
  reports: readonly PendingReport[],
  options: Pick<WorkerOptions, 'crawl' | 'noted'>,
): Promise<void> {
  const { savers = [] } = options.crawl(crawl)?.context ?? {};
  await Promise.all(savers.map((saver) => saver.sync()));
  await options.noted(crawl, reports);
}

/** For how long it is tried to save what was fetched of a crawl. */
function patienceOf({ patienceMs }: Pick<WorkerOptions, 'patienceMs'>, isAlone: boolean): number | undefined {
  return patienceMs !== undefined && isAlone ? ALONE_SAVE_MS : patienceMs;
}

function withHeld(
  left: readonly CrawlId[] | undefined,
  held: ReadonlySet<CrawlId>,
): readonly CrawlId[] | undefined {
  return held.size === 0 ? left : [...new Set([...(left ?? []), ...held])];
}

/** Sessions that only wait until something can be saved leave their connections to others; so many at most. */
function freeConnections(most: number, sessions: Iterable<HeldLease>, held: ReadonlySet<CrawlId>): number {
  let working = 0;
  let parked = 0;
  for (const { ref } of sessions)
    if (held.has(ref.crawl)) parked++;
    else working++;
  return most - working - Math.max(0, parked - most);
}
