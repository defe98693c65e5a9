import type { LinkServer } from '@webfarer/coordinator';
import type { Clock, Job, LinkCrawl, Pause } from '@webfarer/protocol';
import type { Crew } from '../local/crew.ts';
import { type OpenCrewOptions, urlsPerLease } from '../local/open-crew.ts';
import type { CrawlHub } from './crawl-hub.ts';
import { createCrawlIntake, isWantedHere } from './crawl-intake.ts';

export interface NetworkCrewOptions {
  hub: CrawlHub;
  server: Pick<LinkServer, 'tellAll' | 'moreDue' | 'workers'>;
  /** Workers came or went. */
  onLink: (listener: () => void) => () => void;
  /** One is about to be linked, so that none is no news yet. */
  expectsWorker: boolean;
  clock: Clock;
}

/** Workers finish what is in flight before a coordinator goes; one that takes longer keeps its report. */
const FINISH_PATIENCE_MS = 20_000;
const LOOK_MS = 50;
const noWorker: Pause = { cause: 'no-worker', text: 'No worker is linked, so nothing is fetched' };

/** Workers on other machines as the crew of a crawl: whoever is linked, at any moment. */
export function networkCrew({ hub, server, onLink, expectsWorker, clock }: NetworkCrewOptions) {
  return async (options: OpenCrewOptions): Promise<Crew> => {
    const { crawl, desk, frontier, reads, link } = options;
    const dropped = new AbortController();
    const about = (): LinkCrawl => ({
      id: crawl,
      job: forWorkers(options.job),
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
      grantedTo: async (worker) => (await frontier.grantedTo?.(worker)) ?? [],
    });
    const tellCrawls = () => server.tellAll({ type: 'crawls', crawls: hub.crawls() });
    let alone: Pause | undefined;
    function lookWhoIsThere(): void {
      // Where others serve the same crawl, it goes on without ours.
      if (options.shared) return;
      const now = server.workers().length === 0 ? noWorker : undefined;
      if (now === alone) return;
      alone = now;
      options.pauseChanged(alone);
    }
    const unlisten = [
      onLink(lookWhoIsThere),
      desk.listen((event) => {
        if (event.type === 'state') tellCrawls();
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
        seat.start();
        tellCrawls();
        server.moreDue();
        if (!expectsWorker) lookWhoIsThere();
      },
      wake: () => server.moreDue(),
      release: () => server.tellAll({ type: 'pause', crawl }),
      drop: () => dropped.abort(),
      async stop() {
        for (const end of unlisten) end();
        seat.rest();
        // Of a crawl that is finished nothing is out any more, whatever was heard of last.
        if (desk.state !== 'finished' && awaited() > 0) {
          server.tellAll({ type: 'pause', crawl });
          await whenGivenBack();
        }
        await seat.close();
        await intake.stop();
      },
      look: () =>
        Promise.resolve({
          inFlight: options.shared ? seat.held().size : awaited(),
          othersAreGone: options.shared === undefined,
          waiting: [],
          archive: intake.written(),
        }),
      get pause() {
        return alone;
      },
    };
  };
}

/** The job as workers may see it: where it is kept is none of their business, nor is the password to it. */
function forWorkers({ store: _store, thresholds: _thresholds, ...job }: Job): Job {
  return { ...job, thresholds: [] };
}
