import type { Clock, CrawlSnapshot, HostKey, Job } from '@webfarer/protocol';
import { robotsToken } from '@webfarer/protocol/job';
import { tellCookiesLeftOut } from '../events/cookie-news.ts';
import { placeOf } from '../folder/open-frontier.ts';
import type { WorkerPool } from '../link/worker-pool.ts';
import { hostRuling } from '../host-rules/host-ruling.ts';
import { ruledLink } from '../host-rules/ruled-link.ts';
import { createCountSampler } from './count-sampler.ts';
import { createCrawlControl } from './crawl-control.ts';
import { createEndDecision } from './end-decision.ts';
import { crawlHosts } from './crawl-hosts.ts';
import { liveCrawl, notRunning } from './crawl-life.ts';
import type { CrawlParts } from './crawl-parts.ts';
import { type CrawlProgress, createCrawlProgress } from './crawl-progress.ts';
import { composeSnapshot } from './crawl-snapshot.ts';
import { steerCrawl } from './crawl-steering.ts';
import { crawlSums } from './crawl-sums.ts';
import { watchCrawl } from './crawl-watches.ts';
import { urlsPerLease } from './job/crawl-settings.ts';
import { putJobInForce } from './job-in-force.ts';
import { createHostSampler, type HostSampler } from './host-sampler.ts';
import { createLeaseGate } from './lease-gate.ts';
import { explainUrl } from './reading/explain.ts';
import { relinkStep } from './relinking.ts';
import type { RunningCrawl } from './running-crawl.ts';
import { createScopeSweep, type SweepDuty } from './scope-sweep.ts';
import { createSessionFile } from './session-file.ts';
import { obeyWantedFile } from './wanted-file.ts';
import { watchAbandoned } from './watch/abandoned-leases.ts';
import { calmSnapshots } from './watch/calm-snapshot.ts';
import { type CrawlPace, createCrawlPace } from './watch/crawl-pace.ts';

/** A quota of its team is used up. */
const QUOTA = 'quota';

/** Pauses of duties: they lose no more than this. */
const SLEEPS = {
  session: { resting: 900_000, waiting: 20_000 },
  wanted: { resting: 3_000, waiting: 500 },
  toldOfOrders: { resting: 600_000, waiting: 20_000 },
};

/** Opens the crawl in its frontier and runs it until it is over. */
export async function runCrawl(parts: CrawlParts): Promise<RunningCrawl> {
  const { manifest, file, clock, events, frontier, reads, shared, router, pool } = parts;
  const crawl = manifest.id;
  const seeds = parts.offers.map(({ url }) => url);
  const inForce = await putJobInForce({
    manifest,
    file,
    job: parts.job,
    seeds,
    entry: parts.entry,
    resolve: parts.resolve,
    clock,
    openCrawl: (settings) => frontier.openCrawl(settings),
    changed(how) {
      pace.stir();
      pool.announce(crawl);
      pool.wake();
      sweep.kick(how);
    },
  });
  const end = createEndDecision();
  const pace = paceOf(parts, () => ({ limits: inForce.job.limits, progress }));
  const sweep = createScopeSweep({
    crawl,
    frontier,
    scope: () => inForce.scope,
    entry: parts.entry,
    clock,
    duty: sweepDuty(parts),
    queued: () => pool.wake(),
    failed: (error) => end.fail(error),
  });
  await parts.releaseOwn();
  const begun = Promise.withResolvers<void>();
  const hostSampler = samplerOfHosts(parts);
  const progress = createCrawlProgress({
    crawl,
    name: manifest.name,
    frontier: { ...reads, keepTime: (...ran) => frontier.keepTime(...ran) },
    clock,
    agentToken: robotsToken(manifest.userAgent),
    events,
    elapsedBeforeMs: manifest.session.elapsedMs,
    job: () => inForce.job,
    saw: [hostSampler.saw, tellCookiesLeftOut(crawl, events)],
  });
  const control = createCrawlControl({
    crawl,
    frontier,
    clock,
    progress,
    shared: shared !== undefined,
    wishes: () => steering,
    isSweeping: () => sweep.isBusy,
    previous: parts.previous?.crawl,
    giveBack: () => pool.release(crawl),
    stirred(of) {
      reads.stir(of);
      pace.stir();
    },
  });
  const ruling = hostRuling(parts.rules, () => inForce.job);
  const outdated = (host: HostKey) => pool.releaseHosts([host]);
  /** A process that died may have had requests in flight until then. */
  let diedAtMs = manifest.session.elapsedMs > 0 ? clock.now() : Number.NEGATIVE_INFINITY;
  const someDied = () => void (diedAtMs = clock.now());
  const sums = crawlSums(crawl, reads, pace);
  const place = router.serve({
    about: () => inForce.about(progress.state),
    link: ruledLink({ link: control.link, crawl, clock, ruling, outdated, diedAtMs: () => diedAtMs }),
    bodies: parts.intake,
    shared: shared !== undefined,
    dueInMs: () => pace.due(frontier.dueInMs(crawl)),
    hostsQueued: () => sums.hostsQueued(),
    place: placeOf(shared?.frontier ?? frontier, someDied),
  });
  const gate = createLeaseGate(place, notRunning);
  const watches = watchCrawl({
    ...parts,
    crawl,
    gate,
    pace,
    minFreeBytes: () => inForce.job.limits.minFreeBytes,
    snapshot: () => calmSnapshot(),
    // A look from outside, by `status`, finds it there.
    stallChanged: () => void session.save().catch(() => undefined),
    hold: (isHeld) => progress.hold(isHeld),
    end,
  });
  const calmSnapshot = calmSnapshots(snapshot, { pace, clock, progress, watches });
  const abandoned = watchAbandoned({ ...parts, crawl, job: () => inForce.job });
  const session = createSessionFile({
    manifest,
    file,
    clock: { ...pace.clock(SLEEPS.session), wall: () => clock.wall() },
    now: () => ({
      state: progress.state,
      elapsedMs: progress.elapsedMs(),
      limitedBy: control.limitedBy,
      stall: watches.stall.stall,
    }),
    balance: () => reads.balance(crawl),
  });

  async function snapshot(): Promise<CrawlSnapshot> {
    if (end.over.aborted) return (await summary).snapshot;
    watches.workers?.look();
    const now = await progress.snapshot();
    const leases = pool.leases(crawl);
    return composeSnapshot({
      now,
      look: pool.look(crawl),
      held: leases.out,
      isAlone: place.isAlone(),
      abandoned: (seen) => abandoned.of(seen, leases),
      kept: parts.intake.written(),
      limitedBy: control.limitedBy,
      pause: watches.pauses.pause,
    });
  }

  const sampler = createCountSampler({
    crawl,
    clock,
    history: frontier.history,
    reads,
    state: () => progress.state,
    pace,
    hosts: hostSampler,
  });
  const steering = steerCrawl({
    parts,
    inForce,
    progress,
    control,
    end,
    begun: begun.promise,
    ended: () => summary,
  });
  const summary = liveCrawl({
    parts,
    inForce,
    progress,
    control,
    place,
    gate,
    pace,
    sweep,
    watches,
    session,
    sampler,
    snapshot,
    end,
    obeyFolder: (until) =>
      obeyWantedFile({ folder: file.folder, clock: clockOfOrders(parts, pace), obey: steering.obey }, until),
    begun,
  });
  const stir = stirrer(pace, pool);

  // Errors reach whoever awaits the end; nobody awaiting must not end the process.
  summary.catch(() => undefined);

  return {
    id: crawl,
    name: manifest.name,
    folder: file.folder,
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
    snapshot,
    calmSnapshot,
    isResting: pace.isResting,
    follow(after) {
      const follower = events.follow({ crawl, ...(after === undefined ? {} : { after }) });
      void summary.catch(() => undefined).then(() => follower.close());
      return follower;
    },
    pause: steering.pause,
    resume: steering.resume,
    stop: steering.stop,
    leave: steering.leave,
    get left() {
      return steering.left;
    },
    followEntry: steering.followEntry,
    retry: (step) => stir(frontier.retry(crawl, step)),
    drop: (step) => stir(frontier.drop(crawl, step, 'dropped')),
    relink: (after) => stir(relinkStep({ frontier, crawl, ...inForce, after })),
    edit: (change) => inForce.edit(change),
    get ending() {
      return end.isEnding;
    },
    explain: (url) =>
      explainUrl(url, {
        crawl,
        job: inForce.job,
        scope: inForce.scope,
        agentToken: robotsToken(manifest.userAgent),
        frontier,
        ruling,
        // Where others fetch as well, a held host may be theirs.
        held: shared || parts.network ? undefined : async () => pool.look(crawl).waiting,
      }),
    hosts: (limit) => crawlHosts(crawl, { frontier, held: pool.look(crawl).waiting, limit, ruling }),
    ended: summary,
    begun: begun.promise,
    fail: (error) => end.fail(error),
    ...sums,
    hold(pause) {
      if (end.over.aborted) return;
      if (pause && gate.close(QUOTA)) pool.release(crawl);
      if (!pause && gate.open(QUOTA)) pool.wake();
      watches.pauses.set(QUOTA, pause);
    },
  };
}

/** Wakes the crawl and its workers after this work, which may have queued something. */
function stirrer(pace: Pick<CrawlPace, 'stir'>, pool: Pick<WorkerPool, 'wake'>) {
  return async <T>(work: Promise<T>): Promise<T> => {
    const answer = await work;
    pace.stir();
    pool.wake();
    return answer;
  };
}

interface Now {
  limits: Job['limits'];
  progress: Pick<CrawlProgress, 'state' | 'elapsedMs'>;
}

function paceOf({ clock, pool, manifest: { id } }: CrawlParts, now: () => Now): CrawlPace {
  return createCrawlPace({
    clock,
    isHeld: () => pool.leases(id).out > 0,
    isRunning: () => now().progress.state === 'running',
    leftMs() {
      const { limits, progress } = now();
      return (limits.durationMs ?? Number.POSITIVE_INFINITY) - progress.elapsedMs();
    },
  });
}

/** A crawl looks seldom for orders in its folder where it is told of them. */
function clockOfOrders({ orders, file }: CrawlParts, pace: CrawlPace): Clock {
  if (!orders.covers(file.folder)) return pace.clock(SLEEPS.wanted);
  return orders.wakes(pace.clock(SLEEPS.toldOfOrders));
}

function sweepDuty({ manifest, shared }: CrawlParts): SweepDuty | undefined {
  const name = `rescope:${manifest.id}`;
  return (
    shared && {
      claim: (forMs) => shared.frontier.claim(name, forMs),
      release: () => shared.frontier.release(name),
    }
  );
}

function samplerOfHosts({ manifest, frontier, shared }: CrawlParts): HostSampler {
  const { id: crawl, nonce = crawl } = manifest;
  return createHostSampler({
    crawl,
    history: frontier.hostHistory,
    frontier,
    // Not by its name: a claim outlives a crawl that is deleted by some seconds.
    claim: shared && ((forMs) => shared.frontier.claim(`hosts:${nonce}`, forMs)),
  });
}
