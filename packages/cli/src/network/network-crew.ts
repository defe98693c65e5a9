import { createHash } from 'node:crypto';
import type { EventBus, LinkServer } from '@webfarer/coordinator';
import type { Clock, Job, Pause } from '@webfarer/protocol';
import type { LinkCrawl } from '@webfarer/protocol/link';
import type { Crew } from '../local/crew.ts';
import { type OpenCrewOptions, urlsPerLease } from '../local/open-crew.ts';
import type { CrawlHub } from './crawl-hub.ts';
import { createCrawlIntake, isWantedHere } from './crawl-intake.ts';
import { createDiskWatch } from './disk-watch.ts';
import { lookAtWorkers } from './worker-looks.ts';

export interface NetworkCrewOptions {
  hub: CrawlHub;
  server: Pick<LinkServer, 'tellAll' | 'moreDue' | 'workers'>;
  events: Pick<EventBus, 'listen'>;
  /** A worker is still connecting, so an empty list is not yet worth reporting. */
  expectsWorker: boolean;
  /** Whether workers of other coordinators work on the same crawl. */
  othersServe: () => boolean;
  clock: Clock;
}

/** Workers finish what is in flight before a coordinator goes; one that takes longer keeps its report. */
const FINISH_PATIENCE_MS = 20_000;
const LOOK_MS = 50;
const TURN_MS = 2_000;
const noWorker: Pause = { cause: 'no-worker', text: 'no worker is connected, so nothing is fetched' };

/** Workers on other machines as the crew of a crawl: whoever is linked, at any moment. */
export function networkCrew({ hub, server, events, expectsWorker, othersServe, clock }: NetworkCrewOptions) {
  return async (options: OpenCrewOptions): Promise<Crew> => {
    const { crawl, desk, frontier, reads, link } = options;
    const dropped = new AbortController();
    const job = forWorkers(options.job);
    const revision = revisionOf(options, job);
    const about = (): LinkCrawl => ({
      id: crawl,
      revision,
      job,
      seeds: options.seeds,
      userAgent: options.manifest.userAgent,
      urlsPerHost: urlsPerLease(options.job),
      state: desk.state,
    });
    const intake = createCrawlIntake(options, clock);
    if (isWantedHere(options)) await intake.open();
    const seat = hub.serve({
      about,
      link,
      bodies: intake,
      shared: options.shared !== undefined,
      hostsQueued: async () => (await reads.totals(crawl)).hostsQueued,
      releaseLeases: (worker) => frontier.releaseAll(worker),
      grantedTo: async (worker) => (await frontier.owner?.grantedTo(worker)) ?? [],
    });
    const tellCrawls = () => server.tellAll({ type: 'crawls', crawls: hub.crawls() });
    let alone: Pause | undefined;
    let aloneSinceMs: number | undefined;
    let sawWorker = false;
    let started = false;
    const disk = createDiskWatch({
      folder: options.folder,
      minFreeBytes: options.job.limits.minFreeBytes,
      clock,
      changed(pause) {
        // What workers have is still accepted as long as it can be written; nothing new is begun.
        if (pause) seat.rest();
        else if (started) seat.start();
        tellPause();
        server.moreDue();
      },
    });
    const tellPause = () => options.pauseChanged(disk.pause ?? alone);
    function lookWhoIsThere(): void {
      const here = server.workers().length > 0;
      sawWorker ||= here;
      // Where others serve the same crawl, theirs may work on it.
      if (here || othersServe()) aloneSinceMs = undefined;
      else aloneSinceMs ??= clock.now();
      // Workers that take turns between the crawls of a store are soon back.
      const isNews = aloneSinceMs !== undefined && (!options.shared || clock.now() - aloneSinceMs >= TURN_MS);
      const now = isNews && started && (sawWorker || !expectsWorker) ? noWorker : undefined;
      if (now === alone) return;
      alone = now;
      tellPause();
    }
    const unlisten = [
      events.listen(['worker-joined', 'worker-left'], lookWhoIsThere),
      events.listen(['crawl-state'], (event) => {
        if (event.crawl === crawl) tellCrawls();
      }),
    ];

    /** Leases of this crawl whose holders are linked here and can still bring something. */
    function awaited(): number {
      const linked = new Set(server.workers().map(({ worker }) => worker));
      const held = [...seat.held().values()];
      return held.filter((worker) => worker !== undefined && linked.has(worker)).length;
    }

    async function whenGivenBack(): Promise<void> {
      const end = clock.now() + FINISH_PATIENCE_MS;
      while (awaited() > 0 && clock.now() < end && !dropped.signal.aborted)
        await clock.sleep(LOOK_MS, dropped.signal).catch(() => undefined);
    }

    return {
      start() {
        started = true;
        disk.start();
        if (!disk.pause) seat.start();
        tellCrawls();
        server.moreDue();
        lookWhoIsThere();
      },
      wake: () => server.moreDue(),
      release: () => server.tellAll({ type: 'release', crawl }),
      drop: () => dropped.abort(),
      async stop() {
        for (const end of unlisten) end();
        started = false;
        await disk.stop();
        seat.rest();
        // Of a crawl that is finished nothing is out any more, whatever was heard of last.
        if (desk.state !== 'finished' && awaited() > 0) {
          server.tellAll({ type: 'release', crawl });
          await whenGivenBack();
        }
        await seat.close();
        await intake.stop();
      },
      look() {
        lookWhoIsThere();
        return Promise.resolve({
          ...lookAtWorkers(server.workers(), crawl, clock.now()),
          othersAreGone: options.shared === undefined && awaited() === 0,
          archive: intake.written(),
        });
      },
      get pause() {
        return disk.pause ?? alone;
      },
    };
  };
}

/** The job as workers may see it: where it is kept is none of their business, nor is the password to it. */
function forWorkers({ store: _store, thresholds: _thresholds, ...job }: Job): Job {
  return { ...job, thresholds: [] };
}

function revisionOf({ nonce, seeds, manifest }: OpenCrewOptions, job: Job): string {
  const all = JSON.stringify([nonce, job, seeds, manifest.userAgent]);
  return createHash('sha256').update(all).digest('base64url');
}
