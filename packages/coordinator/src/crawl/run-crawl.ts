import {
  type Clock,
  type CrawlSnapshot,
  type CrawlState,
  type HostKey,
  type Job,
  type Pause,
  systemClock,
  type Url,
  WebfarerError,
} from '@webfarer/protocol';
import { stallOf } from '@webfarer/protocol/crawl';
import { resolveJob, robotsToken, withoutSecrets } from '@webfarer/protocol/job';
import type { LinkCrawl } from '@webfarer/protocol/link';
import { createScope } from '@webfarer/protocol/url';
import type { CalmReads } from '../frontier/calm-reads.ts';
import type { EventBus } from '../events/event-bus.ts';
import type { FolderLock } from '../folder/folder-lock.ts';
import { type Manifest, writeManifest } from '../folder/manifest.ts';
import { type FolderFrontier, placeOf, readFrontier } from '../folder/open-frontier.ts';
import type { PreviousFolder } from '../folder/previous-folder.ts';
import type { GivenStore } from '../folder/store-password.ts';
import { takeWanted } from '../folder/wanted-state.ts';
import type { RecordFilter } from '../frontier/frontier.ts';
import { seedAll } from '../frontier/seed-all.ts';
import { hostRuling } from '../host-rules/host-ruling.ts';
import type { HostRules } from '../host-rules/host-rules.ts';
import { ruledLink } from '../host-rules/ruled-link.ts';
import type { BodyIntake } from '../link/bodies.ts';
import type { CrawlRouter } from '../link/crawl-router.ts';
import type { WorkerPool } from '../link/worker-pool.ts';
import type { Upkeep } from '../maintenance/upkeep.ts';
import type { JoinedStore } from '../store/join-store.ts';
import { compareJobs } from './compare-jobs.ts';
import type { Crawl, CrawlEdit, CrawlEnding, CrawlSummary } from './crawl.ts';
import { crawlHosts } from './crawl-hosts.ts';
import { createCrawlControl } from './crawl-control.ts';
import { createCrawlProgress } from './crawl-progress.ts';
import { frontierCrawl, jobForWorkers, revisionOf, urlsPerLease } from './crawl-settings.ts';
import { explainUrl } from './explain.ts';
import { lateResults } from './late-results.ts';
import { createPauseBoard } from './pause-board.ts';
import { seedOffer, type Seed } from './seeds.ts';
import { createStallWatch } from './stall-watch.ts';
import { unfetchedSeeds } from './unfetched-seeds.ts';
import { watchWorkers } from './worker-watch.ts';

/** What a crawl runs on: its folder and store, and the workers and the link of its coordinator. */
export interface CrawlParts {
  manifest: Manifest;
  job: Job;
  folder: string;
  clock: Clock;
  events: EventBus;
  frontier: FolderFrontier;
  reads: CalmReads;
  /** The store, where others may work on the same crawl. */
  shared: JoinedStore | undefined;
  lock: FolderLock;
  /** The crawl that this one is a recrawl of. */
  previous: PreviousFolder | undefined;
  offers: { url: Url; kind: Seed['kind'] }[];
  router: CrawlRouter;
  pool: WorkerPool;
  upkeep: Upkeep;
  /** What holds for hosts in all crawls. */
  rules: HostRules;
  /** Where bodies go that workers send here. */
  intake: CrawlIntake;
  /** Workers come from other machines: a crawl without any has paused, and so has one whose disk is nearly full. */
  network: { othersServe: () => boolean; expectsWorker: boolean } | undefined;
  /** Frees what an earlier session in this folder left behind. */
  releaseOwn: () => Promise<void>;
  /** Whether another coordinator of the store takes part. */
  othersTakePart: () => Promise<boolean>;
  /** Hands its workers over to other coordinators, where this was the last crawl here. */
  retire: (over: boolean, signal: AbortSignal) => Promise<void>;
  /** Keeps a change of the job where those who join the crawl find it. */
  keepJob: (input: unknown) => Promise<void>;
  /** Writes what a person opens after a crawl; undefined where a stop left no time for it. */
  conclude: (ending: CrawlEnding) => Promise<Manifest['outputs'] | undefined>;
  /** Saves what else belongs to a session, every few seconds. */
  given: GivenStore | undefined;
  closed: () => Promise<void>;
}

/** Where a crawl keeps the bodies that workers send to its coordinator. */
export interface CrawlIntake extends BodyIntake {
  stop(): Promise<void>;
  written(): { files: number; bytes: number };
}

/** How often `crawl.json` says where the crawl stands, so that a crash loses little of its running time. */
const SAVE_SESSION_MS = 5_000;
/** How often the folder is looked at for what an operator wants. */
const LOOK_MS = 500;
/** Workers finish what is in flight before a coordinator stops; one that takes longer keeps its report. */
const FINISH_PATIENCE_MS = 20_000;
const OWN_PATIENCE_MS = 1_000;
const GIVEN_BACK_LOOK_MS = 50;
const OVER: readonly CrawlState[] = ['finished', 'limited', 'stopped'];
/** Who may pause, for the board of pauses; workers have their ids. */
const STORE = 'store';
const RESULTS = 'results';
const WORKERS = 'workers';

/** A crawl as its coordinator sees it. */
export interface RunningCrawl extends Crawl {
  /** A fault of ours: continuing would only hide it. */
  fail(error: unknown): void;
  /** Hosts that have something queued. */
  hostsQueued(): Promise<number>;
}

/** Opens the crawl in its frontier and runs it until it is over. */
export async function runCrawl(parts: CrawlParts): Promise<RunningCrawl> {
  const { manifest, folder, clock, events, frontier, reads, shared, router, pool } = parts;
  const crawl = manifest.id;
  const seeds = parts.offers.map(({ url }) => url);
  const agentToken = robotsToken(manifest.userAgent);
  let { job } = parts;
  let scope = createScope(job, seeds);
  /** By the nonce of the catalog, where it is kept in a store: a deleted crawl is not opened again. */
  const settingsOf = (wanted: Job) => ({
    ...frontierCrawl(crawl, wanted, manifest.ownCode ?? false),
    ...(manifest.nonce === undefined ? {} : { nonce: manifest.nonce }),
  });
  const nonce = await frontier.openCrawl(settingsOf(job));
  await parts.releaseOwn();

  const progress = createCrawlProgress({
    crawl,
    name: job.name,
    frontier: reads,
    clock,
    agentToken,
    events,
    elapsedBeforeMs: manifest.session.elapsedMs,
    job: () => job,
  });
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => undefined);
  const over = Promise.withResolvers<CrawlState>();
  const ended = new AbortController();
  const dropped = new AbortController();
  const control = createCrawlControl({
    crawl,
    frontier,
    clock,
    progress,
    shared: shared !== undefined,
    previous: parts.previous?.crawl,
    giveBack: () => pool.release(crawl),
    stirred: () => reads.stir(),
  });
  const ruling = hostRuling(parts.rules, () => job);
  const outdated = (host: HostKey) => pool.releaseHosts([host]);
  /** A process that died may have had requests in flight until then. */
  let diedAtMs = manifest.session.elapsedMs > 0 ? clock.now() : Number.NEGATIVE_INFINITY;
  const someDied = () => {
    diedAtMs = clock.now();
  };
  let revision = revisionOf({ nonce, job: jobForWorkers(job), seeds, userAgent: manifest.userAgent });
  const about = (): LinkCrawl => ({
    id: crawl,
    revision,
    job: jobForWorkers(job),
    seeds,
    userAgent: manifest.userAgent,
    urlsPerHost: urlsPerLease(job),
    state: progress.state,
  });
  /** None where it was deleted: others that share out workers need not fail over it. */
  const hostsQueued = async () =>
    await reads.totals(crawl).then(
      (totals) => totals.hostsQueued,
      (error: unknown) => {
        if (error instanceof WebfarerError && error.code === 'not-found') return 0;
        throw error;
      },
    );
  const place = router.serve({
    about,
    link: ruledLink({ link: control.link, crawl, clock, ruling, outdated, diedAtMs: () => diedAtMs }),
    bodies: parts.intake,
    shared: shared !== undefined,
    hostsQueued,
    place: placeOf(shared?.frontier ?? frontier, someDied),
  });

  const stallWatch = createStallWatch({
    clock,
    snapshot: () => snapshot(),
    changed(stall) {
      events.publish(stall ? { type: 'crawl-stalled', crawl, stall } : { type: 'crawl-moving', crawl });
      // A look from outside, by `status`, finds it there.
      void saveSession().catch(() => undefined);
    },
  });
  const pauses = createPauseBoard((pause) => {
    events.publish(pause ? { type: 'crawl-paused', crawl, pause } : { type: 'crawl-resumed', crawl });
    if (pause) stallWatch.paused(pause);
  });
  const whileRunning = (source: string) => (pause: Pause | undefined) => {
    if (!ended.signal.aborted) pauses.set(source, pause);
  };
  shared?.watch.onChange(whileRunning(STORE));
  shared?.frontier.onBacklog(whileRunning(RESULTS));
  const unwatch = [
    pool.onChange((change) => {
      if (change.type === 'pause') pauses.set(change.worker, change.pause);
    }),
    events.listen(['crawl-state'], (event) => {
      if (event.crawl !== crawl) return;
      pool.announce();
      // Workers that found nothing to do while it was paused do not ask again by themselves for a while.
      if (event.state === 'running') pool.wake();
      if (OVER.includes(event.state)) over.resolve(event.state);
    }),
  ];
  const workers = parts.network
    ? watchWorkers({
        ...parts.network,
        pool,
        clock,
        folder,
        shared: shared !== undefined,
        minFreeBytes: () => job.limits.minFreeBytes,
        changed: (pause) => pauses.set(WORKERS, pause),
        rest: () => place.rest(),
        start: () => place.start(),
      })
    : undefined;

  /** Leases of this crawl whose holders are connected here and can still bring something. */
  function awaited(): number {
    if (place.held().size === 0) return 0;
    const connected = pool.connected();
    let count = 0;
    for (const worker of place.held().values()) if (worker !== undefined && connected.has(worker)) count++;
    return count;
  }

  const snapshot = async (): Promise<CrawlSnapshot> => {
    workers?.look();
    const now = await progress.snapshot();
    const { waiting: held, inFlight: all, hands, written } = pool.look(crawl);
    const isAlone = router.crawls().length === 1;
    const inFlight = isAlone ? all : Math.min(all, place.held().size);
    const { limitedBy } = control;
    const isAbandoned = parts.network !== undefined && !shared && awaited() === 0 && inFlight === 0;
    const abandoned = isAbandoned ? now.balance.leased : 0;
    const { pause } = pauses;
    const kept = parts.intake.written();
    // The store knows only that a held host is held; who holds it knows until when.
    const waiting = [...held, ...now.waiting.filter(({ why }) => why !== 'held')];
    const seen: CrawlSnapshot = {
      ...now,
      waiting: waiting.sort((a, b) => a.dueInMs - b.dueInMs).slice(0, 3),
      inFlight,
      archive: { files: written.files + kept.files, bytes: written.bytes + kept.bytes },
      hands,
      ...(abandoned > 0 ? { abandoned } : {}),
      ...(limitedBy ? { limitedBy } : {}),
      ...(pause ? { pause } : {}),
    };
    const stall = stallOf(seen);
    return stall ? { ...seen, stall } : seen;
  };

  async function saveSession(): Promise<void> {
    const { limitedBy } = control;
    manifest.session = {
      state: progress.state,
      updatedAtMs: Math.round(clock.now()),
      elapsedMs: Math.round(progress.elapsedMs()),
      balance: await reads.balance(crawl),
      ...(limitedBy ? { limitedBy } : {}),
      ...(stallWatch.stall ? { stall: stallWatch.stall } : {}),
    };
    // On a full disk the crawl itself waits; where it stood is only a convenience.
    await writeManifest(folder, manifest).catch(() => undefined);
  }

  let began = false;
  let kept: ReturnType<Upkeep['keep']> | undefined;

  const isOver = async () =>
    (await frontier.state(crawl)) === 'finished' && (await frontier.balance(crawl)).queued === 0;

  /** A coordinator that comes back must not resume what somebody paused at another one. */
  async function isPausedByOthers(): Promise<boolean> {
    return (
      shared !== undefined && (await frontier.state(crawl)) === 'paused' && (await parts.othersTakePart())
    );
  }

  async function begin(): Promise<void> {
    if (await isOver()) return progress.setState('finished');
    // What was wanted of an earlier process is not meant for this one.
    await takeWanted(folder);
    began = true;
    if (await isPausedByOthers()) progress.setState('paused');
    else await control.setState('running');
    await seedAll(
      frontier,
      crawl,
      parts.offers.map(({ url, kind }) => seedOffer(url, kind)),
    );
    kept = parts.upkeep.keep({
      async look() {
        await control.look();
        if (shared || parts.network) pool.wake();
      },
      failed: failure.reject,
    });
    pool.announce();
    if (workers) workers.start();
    else place.start();
    pool.wake();
    stallWatch.start();
  }

  async function whenGivenBack(): Promise<void> {
    // A worker of this process has let go of the crawl: only a lease that was on its way to it may still come back.
    const isRemote = pool.all().some(({ worker }) => !pool.isInside(worker));
    const untilMs = clock.now() + (isRemote ? FINISH_PATIENCE_MS : OWN_PATIENCE_MS);
    while (awaited() > 0 && clock.now() < untilMs && !dropped.signal.aborted)
      await clock.sleep(GIVEN_BACK_LOOK_MS, dropped.signal).catch(() => undefined);
  }

  async function stopAll(): Promise<void> {
    await stallWatch.stop();
    await parts.retire(progress.state === 'finished' || progress.state === 'limited', dropped.signal);
    await workers?.stop();
    place.rest();
    // Of a crawl that is finished nothing is out any more, whatever was heard of last.
    if (progress.state !== 'finished' && awaited() > 0) pool.release(crawl);
    await pool.closeCrawl(crawl);
    if (progress.state !== 'finished') await whenGivenBack();
    await place.close();
    await parts.intake.stop();
    await kept?.end();
  }

  async function end(state: CrawlState): Promise<CrawlSummary> {
    const { pause } = pauses;
    await stopAll();
    if (state === 'stopped' && progress.state !== 'finished') {
      // Others continue with a crawl that is shared.
      if (shared) progress.setState('stopped');
      else await control.setState('stopped');
    }
    reads.forget();
    // What cannot be written now stays in the store.
    await shared?.frontier.drain().catch(() => undefined);
    const last = await snapshot();
    const { limitedBy } = control;
    if (began || manifest.outputs === undefined) {
      const ending = { crawl, folder, job, snapshot: last, stopped: state === 'stopped', clock };
      const outputs = await parts.conclude(ending).catch((error: unknown) => {
        if (pause?.cause === 'disk') return {};
        throw error;
      });
      if (outputs) manifest.outputs = outputs;
      else delete manifest.outputs;
    }
    if (began) await saveSession();
    return {
      state: progress.state,
      folder,
      snapshot: last,
      balance: last.balance,
      ...(limitedBy ? { limitedBy } : {}),
      ...(pause ? { pause } : {}),
      unfetchedSeeds: await unfetchedSeeds(frontier.results, { crawl, seeds, balance: last.balance }),
      ...lateResults(crawl, () =>
        readFrontier({ folder, manifest }, { clock: systemClock(), given: parts.given }),
      ),
    };
  }

  async function keepSession(): Promise<void> {
    while (!ended.signal.aborted) {
      await clock.sleep(SAVE_SESSION_MS, ended.signal).catch(() => undefined);
      if (!ended.signal.aborted) await saveSession().catch(() => undefined);
    }
  }

  async function obey(): Promise<void> {
    while (!ended.signal.aborted) {
      const wanted = await takeWanted(folder).catch(() => undefined);
      if (wanted === 'stopped') over.resolve('stopped');
      // A store that does not answer cannot be told; the operator sees that nothing changed and asks again.
      else if (wanted !== undefined) await control.setState(wanted).catch(() => undefined);
      await clock.sleep(LOOK_MS, ended.signal).catch(() => undefined);
    }
  }

  async function live(): Promise<CrawlSummary> {
    let keeping: Promise<unknown> | undefined;
    try {
      await begin();
      keeping = Promise.all([keepSession(), obey()]);
      const state = await Promise.race([over.promise, failure.promise]);
      return await end(state);
    } catch (error) {
      dropped.abort();
      await stopAll().catch(() => undefined);
      throw error;
    } finally {
      ended.abort();
      for (const stop of unwatch) stop();
      await keeping;
      await parts.previous?.close();
      await parts.closed();
      parts.lock.release();
    }
  }
  const summary = live();
  // Errors reach whoever awaits the end; nobody awaiting must not end the process.
  summary.catch(() => undefined);

  async function edit({ input, rescope = false }: CrawlEdit): Promise<void> {
    const next = { ...resolveJob(input), ...(job.store ? { store: job.store } : {}) };
    compareJobs(job, next, { rescope, where: `${folder} holds another crawl: ${manifest.name}` });
    await frontier.openCrawl(settingsOf(next));
    await parts.keepJob(input);
    job = next;
    scope = createScope(job, seeds);
    manifest.job = withoutSecrets(input);
    revision = revisionOf({ nonce, job: jobForWorkers(job), seeds, userAgent: manifest.userAgent });
    await writeManifest(folder, manifest);
    pool.announce();
    pool.wake();
  }

  return {
    id: crawl,
    name: manifest.name,
    folder,
    get job() {
      return job;
    },
    seeds,
    userAgent: manifest.userAgent,
    get urlsPerHost() {
      return urlsPerLease(job);
    },
    get state() {
      return progress.state;
    },
    snapshot: () => (ended.signal.aborted ? summary.then((last) => last.snapshot) : snapshot()),
    follow(after) {
      const follower = events.follow({ crawl, ...(after === undefined ? {} : { after }) });
      void summary.catch(() => undefined).then(() => follower.close());
      return follower;
    },
    pause: () => control.setState('paused'),
    resume: () => control.setState('running'),
    async stop({ now = false } = {}) {
      if (now) dropped.abort();
      over.resolve('stopped');
      await summary.catch(() => undefined);
    },
    async retry(filter: RecordFilter) {
      const count = await frontier.retry(crawl, filter);
      pool.wake();
      return count;
    },
    edit,
    explain: (url) =>
      explainUrl(url, {
        crawl,
        job,
        scope,
        agentToken,
        frontier,
        ruling,
        // Where others fetch as well, a held host may be theirs.
        held: shared || parts.network ? undefined : async () => pool.look(crawl).waiting,
      }),
    hosts: async (limit) =>
      crawlHosts(
        { held: pool.look(crawl).waiting, waiting: await frontier.waiting(crawl, limit) },
        ruling,
      ).slice(0, limit),
    ended: summary,
    fail: failure.reject,
    hostsQueued,
  };
}
