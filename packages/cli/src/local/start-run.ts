import {
  calmReads,
  createCoordinator,
  createCrawlDesk,
  createEventBus,
  createStallWatch,
  type EventBus,
  explainUrl,
  type FolderFrontier,
  type FolderLock,
  type HostLedger,
  type Manifest,
  memberOf,
  type PreviousFolder,
  readFrontier,
  type Results,
  seedAll,
  seedOffer,
  takeWanted,
  unfetchedSeeds,
  writeManifest,
} from '@webfarer/coordinator';
import type { JoinedStore } from '@webfarer/coordinator/redis';
import {
  type Clock,
  type CrawlSnapshot,
  type CrawlState,
  type Job,
  systemClock,
  type Url,
} from '@webfarer/protocol';
import { stallOf } from '@webfarer/protocol/crawl';
import { robotsToken } from '@webfarer/protocol/job';
import { createScope } from '@webfarer/protocol/url';
import type { Egress, Hooks } from '@webfarer/worker';
import { givenStoreFor } from '../given-secrets.ts';
import { absentCount } from '../absent-results.ts';
import type { CrawlRun, Summary } from '../crawl-run.ts';
import { frontierCrawl } from './crawl-parts.ts';
import { openCrew, type OpenCrewOptions } from './open-crew.ts';
import type { Crew } from './crew.ts';
import { createRun } from './create-run.ts';
import { writeOutputsAside } from './outputs-aside.ts';
import { onlyItems, writeOutputs } from './outputs.ts';
import { workerId } from '../processes/worker-id.ts';
import { createPauseBoard } from '../processes/pause-board.ts';

export interface StartOptions {
  manifest: Manifest;
  job: Job;
  folder: string;
  baseFolder: string;
  clock: Clock;
  fetch: Egress;
  /** Certificate authorities to trust as well, PEM. */
  ca: string | undefined;
  frontier: FolderFrontier;
  /** The store, where others may work on the same crawl. */
  shared: JoinedStore | undefined;
  /** Worker processes of this folder in its last session. */
  workersBefore: number;
  lock: FolderLock;
  /** Closed with the crawl. */
  ledger: HostLedger | undefined;
  /** The crawl that this one is a recrawl of. */
  previous: PreviousFolder | undefined;
  hooks: Hooks;
  /** Of the coordinator that this crawl is part of; a bus of its own when absent. */
  events: EventBus | undefined;
  offers: { url: Url; kind: 'page' | 'sitemap' }[];
  fresh: boolean;
  /** Who fetches; the worker or workers of this machine when absent. */
  crew?: (options: OpenCrewOptions) => Promise<Crew>;
}

/** How often `crawl.json` says where the crawl stands, so that a crash loses little of its running time. */
const SAVE_SESSION_MS = 5_000;
/** Who may stand still, for the board of pauses. */
const CREW = 1;
const STORE = 0;
const RESULTS = 2;

/** Joins coordinator and crew: a network of one, or of a few processes. */
export async function startRun(options: StartOptions): Promise<{ run: CrawlRun }> {
  const { manifest, job, folder, clock, fetch, frontier, shared } = options;
  const crawl = manifest.id;
  const seeds = options.offers.map((offer) => offer.url);
  const scope = createScope(job, seeds);
  const agentToken = robotsToken(manifest.userAgent);

  const nonce = await frontier.openCrawl(frontierCrawl(crawl, job, options.hooks));
  await releaseOwn(options);
  const reads = shared
    ? calmReads(shared.frontier, clock)
    : { ...frontier, forget: () => undefined, stir: () => undefined };
  const failure = Promise.withResolvers<never>();
  // Only whoever runs the crawl hears of it; before that nobody is listening yet.
  failure.promise.catch(() => undefined);
  const failed = (error: unknown) => failure.reject(error);
  const events = options.events ?? createEventBus({ clock, failed });
  const desk = createCrawlDesk({
    crawl,
    name: job.name,
    frontier: reads,
    clock,
    events,
    agentToken,
    elapsedBeforeMs: manifest.session.elapsedMs,
    pageLimit: job.limits.pages,
    ...(job.limits.durationMs === undefined ? {} : { durationLimitMs: job.limits.durationMs }),
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
  shared?.watch.onChange((trouble) => pauses.set(STORE, trouble));
  shared?.frontier.onBacklog((pause) => pauses.set(RESULTS, pause));
  const coordinator = createCoordinator({
    frontier,
    clock,
    desks: [desk],
    shared: shared !== undefined,
    ...(options.previous ? { previous: new Map([[crawl, options.previous.crawl]]) } : {}),
    failed,
    giveBack: () => crew.release(),
    stirred: () => reads.stir(),
    ...(shared || options.crew ? { upkept: () => crew.wake() } : {}),
  });
  const isOver = async () =>
    (await frontier.state(crawl)) === 'finished' && (await frontier.balance(crawl)).queued === 0;
  const crew = await (options.crew ?? openCrew)({
    ...options,
    reads,
    idle: await isOver(),
    crawl,
    nonce,
    seeds,
    link: coordinator.link,
    failed,
    desk,
    events,
    pauseChanged: (pause) => pauses.set(CREW, pause),
  });

  const snapshot = async () => {
    const now = await desk.snapshot();
    const { waiting: held, inFlight, archive, othersAreGone, hands } = await crew.look();
    const limitedBy = coordinator.limitedBy(crawl);
    const abandoned = othersAreGone && inFlight === 0 ? now.balance.leased : 0;
    const { pause } = pauses;
    // The store knows only that a held host is held; who holds it knows until when.
    const waiting = [...held, ...now.waiting.filter(({ why }) => why !== 'held')];
    const seen: CrawlSnapshot = {
      ...now,
      waiting: waiting.sort((a, b) => a.dueInMs - b.dueInMs).slice(0, 3),
      inFlight,
      archive,
      ...(hands ? { hands } : {}),
      ...(abandoned > 0 ? { abandoned } : {}),
      ...(limitedBy ? { limitedBy } : {}),
      ...(pause ? { pause } : {}),
    };
    const stall = stallOf(seen);
    return stall ? { ...seen, stall } : seen;
  };

  async function saveSession(): Promise<void> {
    const limitedBy = coordinator.limitedBy(crawl);
    manifest.session = {
      state: desk.state,
      updatedAtMs: Math.round(clock.now()),
      elapsedMs: Math.round(desk.elapsedMs()),
      balance: await reads.balance(crawl),
      ...(limitedBy ? { limitedBy } : {}),
      ...(stallWatch.stall ? { stall: stallWatch.stall } : {}),
    };
    // On a full disk the crawl itself waits; where it stood is only a convenience.
    await writeManifest(folder, manifest).catch(() => undefined);
  }

  /** A coordinator that comes back must not go on with what somebody paused at another one. */
  async function isPausedByOthers(): Promise<boolean> {
    if (!shared || (await frontier.state(crawl)) !== 'paused') return false;
    return (await shared.membership.list()).some(({ id }) => id !== manifest.network?.member);
  }

  let began = false;
  async function begin(): Promise<void> {
    if (await isOver()) return desk.setState('finished');
    // What was wanted of an earlier process is not meant for this one.
    await takeWanted(folder);
    began = true;
    if (await isPausedByOthers()) desk.setState('paused');
    else await coordinator.setState(crawl, 'running');
    await seedAll(
      frontier,
      crawl,
      options.offers.map(({ url, kind }) => seedOffer(url, kind)),
    );
    coordinator.start();
    crew.start();
    stallWatch.start();
  }

  async function stopAll(): Promise<void> {
    await stallWatch.stop();
    try {
      await crew.stop();
    } finally {
      await coordinator.stop();
      await fetch.close();
    }
  }

  async function end(state: CrawlState): Promise<Summary> {
    const { pause } = pauses;
    await stopAll();
    if (state === 'stopped' && desk.state !== 'finished') {
      // Others go on with a crawl that is shared.
      if (shared) desk.setState('stopped');
      else await coordinator.setState(crawl, 'stopped');
    }
    reads.forget();
    // What cannot be written now stays in the store.
    await shared?.frontier.drain().catch(() => undefined);
    const last = await snapshot();
    const limitedBy = coordinator.limitedBy(crawl);
    if (began || manifest.outputs === undefined) {
      const outputs = await writeAll(options, last, state === 'stopped').catch((error: unknown) => {
        if (pause?.cause === 'disk') return {};
        throw error;
      });
      if (outputs) manifest.outputs = outputs;
      else delete manifest.outputs;
    }
    if (began) await saveSession();
    return {
      state: desk.state,
      folder,
      snapshot: last,
      balance: last.balance,
      ...(limitedBy ? { limitedBy } : {}),
      ...(pause ? { pause } : {}),
      unfetchedSeeds: await unfetchedSeeds(frontier.results, { crawl, seeds, balance: last.balance }),
      items: later(options, (results) => onlyItems(results, crawl)),
      records: later(options, (results) => results.records(crawl)),
    };
  }

  const run = createRun({
    crawl,
    events,
    clock,
    snapshot,
    begin,
    end,
    failure: failure.promise,
    abandon: stopAll,
    setState: (state) => coordinator.setState(crawl, state),
    drop: () => crew.drop(),
    saveSession,
    saveEveryMs: SAVE_SESSION_MS,
    takeWanted: () => takeWanted(folder),
    explain: (url) =>
      explainUrl(url, {
        crawl,
        job,
        scope,
        agentToken,
        frontier,
        // Where others fetch as well, a held host may be theirs.
        ...(shared || options.crew ? {} : { held: async () => (await crew.look()).waiting }),
      }),
    async close() {
      await frontier.close();
      await options.previous?.close();
      options.ledger?.close();
      options.lock.release();
    },
  });
  // Wrapped: a run is awaitable itself, and returning it bare would wait for its end.
  return { run };
}

/** Above this a report takes long enough to be noticed by those who wait for an answer of this process. */
const MANY_RECORDS = 1_000;
/** A crawl that is stopped on the way writes its outputs if that is quick: at its end they are written anew anyway. */
const STOP_OUTPUTS_MS = 5_000;

/** Undefined where a stop left no time for it. */
async function writeAll(
  { folder, manifest, job, frontier, clock }: StartOptions,
  snapshot: CrawlSnapshot,
  stopped: boolean,
): Promise<Manifest['outputs'] | undefined> {
  const crawl = manifest.id;
  const about = {
    folder,
    crawl,
    job,
    snapshot,
    member: memberOf(manifest),
    hasItems: snapshot.items > 0,
    absent: absentCount(await frontier.kept?.(crawl)),
  };
  const { done, failed, refused } = snapshot.balance;
  if (done + failed + refused < MANY_RECORDS)
    return await writeOutputs({ ...about, results: frontier.results });
  const late = new AbortController();
  const finished = new AbortController();
  if (stopped)
    clock.sleep(STOP_OUTPUTS_MS, finished.signal).then(
      () => late.abort(),
      () => undefined,
    );
  // The password of a store is in the job, not in the manifest.
  const store = manifest.store && job.store ? { store: { ...manifest.store, ...job.store } } : {};
  try {
    return await writeOutputsAside(
      { ...about, place: { folder, manifest: { ...manifest, ...store } } },
      late.signal,
    );
  } finally {
    finished.abort();
  }
}

/**
 * Frees what an earlier session in this folder left: the lock says that it is dead. Of a crawl that others work on
 * only its own leases: those of workers on other machines may be alive, and those of the dead run out by themselves.
 */
async function releaseOwn({ frontier, manifest, job, workersBefore, crew }: StartOptions): Promise<void> {
  const member = memberOf(manifest);
  if (member === undefined) return void (await frontier.releaseAll());
  // Workers could not renew while it was away. What its own had finished may still be in its outbox: that is delivered
  // first, then the rest is freed.
  if (crew) return void (await frontier.owner?.renewAll());
  const count = Math.max(job.processes, workersBefore);
  await frontier.releaseAll(workerId(member));
  for (let process = 1; count > 1 && process <= count; process++)
    await frontier.releaseAll(workerId(member, process));
}

/** Reads from the folder when iterated: the crawl itself is closed by then. */
function later<T>(
  { folder, manifest }: StartOptions,
  read: (results: Results) => AsyncIterable<T>,
): AsyncIterable<T> {
  return {
    async *[Symbol.asyncIterator]() {
      const reader = await readFrontier({ folder, manifest }, { clock: systemClock(), given: givenStoreFor });
      try {
        yield* read(reader.results);
      } finally {
        await reader.close();
      }
    },
  };
}
