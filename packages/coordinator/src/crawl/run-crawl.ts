import {
  type CrawlSnapshot,
  type CrawlState,
  type HostKey,
  isStorageTrouble,
  type Pause,
  WebfarerError,
} from '@webfarer/protocol';
import { robotsToken } from '@webfarer/protocol/job';
import type { CatalogEntry } from '../catalog/catalog.ts';
import { placeOf } from '../folder/open-frontier.ts';
import { takeWanted, type WantedState } from '../folder/wanted-state.ts';
import { seedAll } from '../frontier/seed-all.ts';
import { hostRuling } from '../host-rules/host-ruling.ts';
import { ruledLink } from '../host-rules/ruled-link.ts';
import type { Upkeep } from '../maintenance/upkeep.ts';
import { createAwaitedLeases } from './awaited-leases.ts';
import type { Crawl, CrawlSummary } from './crawl.ts';
import { crawlHosts } from './crawl-hosts.ts';
import { createCrawlControl } from './crawl-control.ts';
import type { CrawlParts } from './crawl-parts.ts';
import { createCrawlProgress } from './crawl-progress.ts';
import { createScopeSweep } from './scope-sweep.ts';
import { composeSnapshot } from './crawl-snapshot.ts';
import { type CrawlSums, crawlSums } from './crawl-sums.ts';
import { urlsPerLease } from './job/crawl-settings.ts';
import { explainUrl } from './reading/explain.ts';
import { putJobInForce } from './job-in-force.ts';
import { createLeaseGate } from './lease-gate.ts';
import { createPauseBoard } from './pause-board.ts';
import { seedOffer } from './job/seeds.ts';
import { relinkStep } from './relinking.ts';
import { createSessionFile } from './session-file.ts';
import { createStallWatch } from './watch/stall-watch.ts';
import { summarize } from './crawl-summary.ts';
import { obeyWantedFile } from './wanted-file.ts';
import { watchWorkers } from './watch/worker-watch.ts';

const OVER: readonly CrawlState[] = ['finished', 'limited', 'stopped'];
/** Who may pause, for the board of pauses; workers have their ids. */
const STORE = 'store';
const RESULTS = 'results';
const WORKERS = 'workers';
const QUOTA = 'quota';
const OUTSIDE = 'not begun, or about to end';

/** A crawl as its coordinator sees it. */
export interface RunningCrawl extends Crawl, CrawlSums {
  /** A fault of ours: continuing would only hide it. */
  fail(error: unknown): void;
  /** It was left by a call, and not because of its end or what another process wants of it. */
  readonly left: boolean;
  /** Resolves when it runs, or has paused, as was wanted; or cannot begin, as `ended` says. */
  readonly begun: Promise<void>;
  /** It is about to end, whatever is asked of it. */
  readonly ending: boolean;
  /** Does what its entry in the catalog says: another process, or an operator, has changed it. */
  followEntry(entry: CatalogEntry): Promise<void>;
  /** A quota of its team is used up: no more leases until it is not. */
  hold(pause: Pause | undefined): void;
}

/** Opens the crawl in its frontier and runs it until it is over. */
export async function runCrawl(parts: CrawlParts): Promise<RunningCrawl> {
  const { manifest, folder, clock, events, frontier, reads, shared, router, pool, given } = parts;
  const crawl = manifest.id;
  const seeds = parts.offers.map(({ url }) => url);
  const agentToken = robotsToken(manifest.userAgent);
  const inForce = await putJobInForce({
    manifest,
    folder,
    job: parts.job,
    seeds,
    entry: parts.entry,
    resolve: parts.resolve,
    clock,
    openCrawl: (settings) => frontier.openCrawl(settings),
    changed(how) {
      pool.announce();
      pool.wake();
      sweep.kick(how);
    },
  });
  const sweep = createScopeSweep({
    crawl,
    frontier,
    scope: () => inForce.scope,
    entry: parts.entry,
    clock,
    claim: shared && ((forMs) => shared.frontier.claim(`rescope:${crawl}`, forMs)),
    queued: () => pool.wake(),
    failed: (error) => failure.reject(error),
  });
  await parts.releaseOwn();

  const progress = createCrawlProgress({
    crawl,
    name: manifest.name,
    frontier: reads,
    clock,
    agentToken,
    events,
    elapsedBeforeMs: manifest.session.elapsedMs,
    job: () => inForce.job,
  });
  const failure = Promise.withResolvers<never>();
  failure.promise.catch(() => undefined);
  const over = Promise.withResolvers<CrawlState>();
  let isEnding = false;
  function endAs(state: CrawlState): void {
    isEnding = true;
    over.resolve(state);
  }
  const ended = new AbortController();
  const dropped = new AbortController();
  const control = createCrawlControl({
    crawl,
    frontier,
    clock,
    progress,
    shared: shared !== undefined,
    isSweeping: () => sweep.isBusy,
    previous: parts.previous?.crawl,
    giveBack: () => pool.release(crawl),
    stirred: () => reads.stir(),
  });
  const ruling = hostRuling(parts.rules, () => inForce.job);
  const outdated = (host: HostKey) => pool.releaseHosts([host]);
  /** A process that died may have had requests in flight until then. */
  let diedAtMs = manifest.session.elapsedMs > 0 ? clock.now() : Number.NEGATIVE_INFINITY;
  const someDied = () => {
    diedAtMs = clock.now();
  };
  const sums = crawlSums(crawl, reads);
  const place = router.serve({
    about: () => inForce.about(progress.state),
    link: ruledLink({ link: control.link, crawl, clock, ruling, outdated, diedAtMs: () => diedAtMs }),
    bodies: parts.intake,
    shared: shared !== undefined,
    hostsQueued: () => sums.hostsQueued(),
    place: placeOf(shared?.frontier ?? frontier, someDied),
  });

  const gate = createLeaseGate(place, OUTSIDE);
  const stallWatch = createStallWatch({
    clock,
    snapshot: () => snapshot(),
    changed(stall) {
      events.publish(stall ? { type: 'crawl-stalled', crawl, stall } : { type: 'crawl-moving', crawl });
      // A look from outside, by `status`, finds it there.
      void session.save().catch(() => undefined);
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
      if (OVER.includes(event.state)) endAs(event.state);
    }),
  ];
  const workers = parts.network
    ? watchWorkers({
        ...parts.network,
        pool,
        clock,
        folder,
        shared: shared !== undefined,
        minFreeBytes: () => inForce.job.limits.minFreeBytes,
        changed: (pause) => pauses.set(WORKERS, pause),
        rest: () => gate.close(WORKERS),
        start: () => gate.open(WORKERS),
      })
    : undefined;

  const leases = createAwaitedLeases(crawl, pool, clock);

  const snapshot = async (): Promise<CrawlSnapshot> => {
    workers?.look();
    return composeSnapshot({
      now: await progress.snapshot(),
      look: pool.look(crawl),
      held: pool.leases(crawl).out,
      isAlone: place.isAlone(),
      isAbandoned: (inFlight) =>
        parts.network !== undefined && !shared && leases.count() === 0 && inFlight === 0,
      kept: parts.intake.written(),
      limitedBy: control.limitedBy,
      pause: pauses.pause,
    });
  };

  const session = createSessionFile({
    manifest,
    folder,
    clock,
    now: () => ({
      state: progress.state,
      elapsedMs: progress.elapsedMs(),
      limitedBy: control.limitedBy,
      stall: stallWatch.stall,
    }),
    balance: () => reads.balance(crawl),
  });

  let began = false;
  const begun = Promise.withResolvers<void>();
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
    // A change of the scope since may bring URLs back.
    if (await isOver()) await sweep.finish();
    if (await isOver()) return progress.setState('finished');
    // What was wanted of an earlier process is not meant for this one.
    await takeWanted(folder);
    began = true;
    if (parts.wanted === 'paused') await control.setState('paused');
    else if (parts.wanted === 'asked' && (await isPausedByOthers())) progress.setState('paused');
    else {
      if (parts.wanted === 'asked') await parts.entry.want('running');
      await control.setState('running');
    }
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
    sweep.kick({ isRescoped: false });
    pool.announce();
    workers?.start();
    gate.open(OUTSIDE);
    pool.wake();
    stallWatch.start();
  }

  async function stopAll(): Promise<void> {
    await stallWatch.stop();
    await sweep.stop();
    await parts.retire(progress.state === 'finished' || progress.state === 'limited', dropped.signal);
    await workers?.stop();
    gate.close(OUTSIDE);
    // Of a crawl that is finished nothing is out any more, whatever was heard of last.
    if (progress.state !== 'finished' && leases.count() > 0) pool.release(crawl);
    await pool.closeCrawl(crawl);
    if (progress.state !== 'finished') await leases.given(dropped.signal);
    await place.close();
    await parts.intake.stop();
    await kept?.end();
  }

  /** Before what is in flight is waited for: by then an operator may have resumed the crawl at another coordinator. */
  async function stopInStore(): Promise<void> {
    await parts.entry.want('stopped');
    if (!shared || progress.state === 'finished') return;
    await frontier.setState(crawl, 'stopped');
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
      const ending = { crawl, folder, job: inForce.job, snapshot: last, stopped: state === 'stopped', clock };
      const outputs = await parts.conclude(ending).catch((error: unknown) => {
        if (pause?.cause === 'disk') return {};
        throw error;
      });
      if (outputs) manifest.outputs = outputs;
      else delete manifest.outputs;
    }
    if (began) await session.save();
    const summary = await summarize({ manifest, folder, frontier, seeds, last, limitedBy, pause, given });
    // A store that does not answer is told with the next start, which finds that the crawl is over.
    const how = { id: crawl, name: manifest.name, job: inForce.job, summary };
    await parts.sayOver(how).catch(ignoreStorageTrouble);
    return summary;
  }

  async function obey(wanted: WantedState): Promise<void> {
    if (wanted === 'stopped') {
      await stopInStore().catch(ignoreStorageTrouble);
      return endAs('stopped');
    }
    await steer(wanted);
  }

  /** An order that comes while the crawl is being begun is carried out after that; one that comes too late is not. */
  async function steer(wanted: 'running' | 'paused'): Promise<void> {
    await parts.entry.want(wanted);
    await begun.promise;
    if (!isEnding) await control.setState(wanted);
  }

  async function live(): Promise<CrawlSummary> {
    let keeping: Promise<unknown> | undefined;
    try {
      await begin();
      begun.resolve();
      keeping = Promise.all([
        session.keep(ended.signal),
        obeyWantedFile({ folder, clock, obey }, ended.signal),
      ]);
      const state = await Promise.race([over.promise, failure.promise]);
      return await end(state);
    } catch (error) {
      dropped.abort();
      await stopAll().catch(() => undefined);
      throw error;
    } finally {
      begun.resolve();
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

  async function followEntry(entry: CatalogEntry): Promise<void> {
    await begun.promise;
    if (!isEnding) await inForce.follow(entry);
    if (isEnding) return;
    const { wanted } = entry;
    // Whoever stopped it has told the store.
    if (wanted === 'stopped') endAs('stopped');
    if ((wanted === 'paused' || wanted === 'running') && wanted !== progress.state)
      await control.setState(wanted);
  }

  let left = false;
  async function leave({ now = false }: { now?: boolean } = {}): Promise<void> {
    if (now) dropped.abort();
    left = true;
    endAs('stopped');
    await summary.catch(() => undefined);
  }

  return {
    id: crawl,
    name: manifest.name,
    folder,
    get job() {
      return inForce.job;
    },
    seeds,
    userAgent: manifest.userAgent,
    get urlsPerHost() {
      return urlsPerLease(inForce.job);
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
    pause: () => steer('paused'),
    async resume() {
      if (ended.signal.aborted)
        throw new WebfarerError('usage', `the crawl ${manifest.name} has ended`, {
          next: 'Resume it by its name, at its coordinator.',
        });
      await steer('running');
    },
    async stop(how) {
      await stopInStore();
      await leave(how);
    },
    leave,
    async retry(step) {
      const answer = await frontier.retry(crawl, step);
      pool.wake();
      return answer;
    },
    drop: (step) => frontier.drop(crawl, step, 'dropped'),
    async relink(after) {
      const { job, scope } = inForce;
      const answer = await relinkStep({ frontier, crawl, job, scope, after });
      pool.wake();
      return answer;
    },
    edit: (change) => inForce.edit(change),
    followEntry,
    get ending() {
      return isEnding;
    },
    get left() {
      return left;
    },
    explain: (url) =>
      explainUrl(url, {
        crawl,
        job: inForce.job,
        scope: inForce.scope,
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
    begun: begun.promise,
    fail(error) {
      isEnding = true;
      failure.reject(error);
    },
    ...sums,
    hold(pause) {
      if (ended.signal.aborted) return;
      if (pause && gate.close(QUOTA)) pool.release(crawl);
      if (!pause && gate.open(QUOTA)) pool.wake();
      pauses.set(QUOTA, pause);
    },
  };
}

function ignoreStorageTrouble(error: unknown): void {
  if (!isStorageTrouble(error)) throw error;
}
