import { hostname } from 'node:os';
import { type DatedClock, type Job, WebfarerError } from '@webfarer/protocol';
import { type CrawlEntry, isOpen } from '../catalog/crawl-entry.ts';
import type { EventBus } from '../events/event-bus.ts';
import { type Manifest, manifestFile, memberOf } from '../folder/manifest.ts';
import type { FolderFrontier } from '../folder/open-frontier.ts';
import type { OrderWatch } from '../folder/order-watch.ts';
import type { GivenStore } from '../folder/store-password.ts';
import { type CalmReads, calmReads } from '../frontier/calm-reads.ts';
import type { HostRules } from '../host-rules/host-rules.ts';
import type { CrawlRouter } from '../link/crawl-router.ts';
import { workerId } from '../link/worker-id.ts';
import type { WorkerPool } from '../link/worker-pool.ts';
import { createUpkeep } from '../maintenance/upkeep.ts';
import type { JoinedStore } from '../store/join-store.ts';
import type { CrawlEnd } from './crawl.ts';
import type { CrawlHost } from './crawl-host.ts';
import { ignoreStorageTrouble } from './crawl-life.ts';
import { type CrawlSpec, openCrawl, type OpenedCrawl, type Resumed } from './open-crawl.ts';
import type { CrawlParts } from './crawl-parts.ts';
import { runCrawl } from './run-crawl.ts';
import type { RunningCrawl } from './running-crawl.ts';

const nothing = () => undefined;

/** What all crawls of a coordinator run on. */
export interface CrawlHome {
  /** Of the coordinator, among those that share its crawls. */
  id: string;
  /** Of the software. */
  version: string;
  clock: DatedClock;
  events: EventBus;
  router: CrawlRouter;
  pool: WorkerPool;
  /** Notices orders that are left in folders of crawls. */
  orders: OrderWatch;
  joined: JoinedStore | undefined;
  network: CrawlParts['network'];
  /** What operators and site owners decided about hosts, for all crawls. */
  rules: HostRules;
  given: GivenStore | undefined;
  /** A fault of ours that concerns no single crawl. */
  faulty: (error: unknown) => void;
}

export interface Beginning {
  asked: CrawlSpec;
  job: Job;
  folder: string;
  host: CrawlHost;
  wanted: CrawlParts['wanted'];
  openDatabase: (path: string) => FolderFrontier;
  /** Enters the crawl in the catalog, where it is listed in one. */
  enter: (manifest: Manifest) => Promise<CrawlEntry>;
  retire: CrawlParts['retire'];
  /** Tells those outside that this run of the crawl is over. */
  announce: (end: CrawlEnd, run: string | undefined) => Promise<void>;
  /** An operator resumed it while it ended: it is to be taken up again. */
  resumed: () => void;
  /** The crawl has ended, and nothing of it is open any more. */
  closed: () => void;
}

/** Begins the crawls of one coordinator, or takes them up in their folders. */
export function createCrawlBeginner(home: CrawlHome) {
  const { id, version, clock, joined, given } = home;
  const sharedUpkeep =
    joined && createUpkeep({ frontier: joined.frontier, clock, shared: true, faulty: home.faulty });
  const sharedReads: CalmReads | undefined = joined && calmReads(joined.frontier, clock);

  /** Frees what an earlier session in this folder left: the lock says that it is dead. */
  async function releaseOwn({ manifest, frontier, job, workersBefore }: OpenedCrawl): Promise<void> {
    const member = memberOf(manifest);
    if (member === undefined) return void (await frontier.releaseAll());
    // Workers could not renew while it was away, and bring what they have.
    if (home.network) return void (await frontier.owner?.renewAll());
    const count = Math.max(job.processes, workersBefore);
    await frontier.releaseAll(workerId(member));
    for (let process = 1; count > 1 && process <= count; process++)
      await frontier.releaseAll(workerId(member, process));
  }

  return async (beginning: Beginning): Promise<{ crawl: RunningCrawl; resumed: Resumed | undefined }> => {
    const { asked, folder, host } = beginning;
    const opened = await openCrawl({
      ...asked,
      job: beginning.job,
      folder,
      version,
      clock,
      given,
      store: joined && { frontier: joined.frontier, member: id },
      network: home.network ? id : undefined,
      openDatabase: beginning.openDatabase,
      outside: host,
    });
    const { manifest, job, frontier, lock, previous, offers, resumed } = opened;
    const member = memberOf(manifest);
    try {
      const entry = await beginning.enter(manifest);
      const wanted = asked.fromCatalog ? stillWanted(entry, manifest) : beginning.wanted;
      const crawl = await runCrawl({
        ...home,
        manifest,
        file: manifestFile(folder, manifest),
        job,
        frontier,
        reads: sharedReads ?? { ...frontier, forget: nothing, stir: nothing, drop: nothing },
        shared: joined,
        lock,
        previous,
        offers,
        upkeep: sharedUpkeep ?? createUpkeep({ frontier, clock, shared: false, faulty: home.faulty }),
        intake: await host.intake({ job, folder, baseFolder: asked.baseFolder, manifest }),
        entry,
        wanted,
        resolve: (input) => host.resolve(input),
        releaseOwn: () => releaseOwn(opened),
        othersTakePart: async () =>
          (await joined?.membership.list())?.some((member) => member.id !== id) ?? false,
        retire: beginning.retire,
        async ending() {
          const run = await entry.run().catch(ignoreStorageTrouble);
          return async (end) => {
            const { state } = end.summary;
            if (state !== 'finished' && state !== 'limited') return;
            await beginning.announce(end, run ?? undefined);
            if (!(await entry.over(state, run ?? undefined))) beginning.resumed();
          };
        },
        conclude: (ending) => host.conclude({ ...ending, manifest, frontier }),
        async closed() {
          beginning.closed();
          sharedReads?.drop(manifest.id);
          if (!joined) await frontier.close();
        },
      });
      if (member !== undefined)
        await joined?.frontier.folders.note(manifest.id, { member, folder, machine: hostname() });
      return { crawl, resumed };
    } catch (error) {
      if (!joined) await frontier.close();
      await previous?.close();
      lock.release();
      throw error;
    }
  };
}

/** What the caller read of the entry may be older than the version that numbers the wish. */
function stillWanted({ wanted = 'running' }: CrawlEntry, { name }: Manifest): 'running' | 'paused' {
  if (isOpen(wanted)) return wanted;
  throw new WebfarerError('conflict', `the crawl ${name} was stopped meanwhile`, {
    next: 'Resume it again, if it should run.',
  });
}
