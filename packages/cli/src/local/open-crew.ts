import {
  type CalmReads,
  type CrawlDesk,
  type EventBus,
  type Frontier,
  type Manifest,
  memberOf,
} from '@webfarer/coordinator';
import type { JoinedStore } from '@webfarer/coordinator/redis';
import type { Clock, CoordinatorLink, CrawlId, Job, Pause, Url } from '@webfarer/protocol';
import { type CookieJar, createNetworkWatch, createWorker, type Egress, mendSavers } from '@webfarer/worker';
import { openProcessCrew } from '../processes/process-crew.ts';
import { workerId } from '../processes/worker-id.ts';
import { version } from '../version.ts';
import { createContext, type Hooks, saverOptions } from './crawl-parts.ts';
import { type Crew, crewOfOne } from './crew.ts';

export interface OpenCrewOptions {
  crawl: CrawlId;
  /** Tells it from an erased one of the same name. */
  nonce: string;
  manifest: Manifest;
  job: Job;
  seeds: Url[];
  folder: string;
  baseFolder: string;
  clock: Clock;
  fetch: Egress;
  /** Certificate authorities to trust as well, PEM. */
  ca: string | undefined;
  frontier: Frontier;
  /** The store, where others may work on the same crawl. */
  shared: JoinedStore | undefined;
  reads: CalmReads;
  link: CoordinatorLink;
  cookies: CookieJar | undefined;
  hooks: Hooks;
  desk: Pick<CrawlDesk, 'state'>;
  events: EventBus;
  pauseChanged: (pause: Pause | undefined) => void;
  failed: (error: unknown) => void;
  /** There is nothing left to do: no process need be started. */
  idle: boolean;
}

const URLS_PER_LEASE = 10;
/** A host without a gap is soon through with ten: a new lease and a new connection for each would be dear. */
const URLS_PER_GAPLESS_LEASE = 50;

export function urlsPerLease({ politeness }: Job): number {
  return politeness.gapMs === 0 ? URLS_PER_GAPLESS_LEASE : URLS_PER_LEASE;
}

/** The worker of this process, or as many processes as the job asks for. */
export async function openCrew(options: OpenCrewOptions): Promise<Crew> {
  const { crawl, job, seeds, folder, baseFolder, clock, cookies, link, failed, frontier, ca } = options;
  const member = memberOf(options.manifest);
  const about = { job, userAgent: options.manifest.userAgent, baseFolder, folder, version, member };
  const urlsPerHost = urlsPerLease(job);
  const { pauseChanged } = options;
  if (job.processes > 1) {
    return await openProcessCrew({
      count: options.idle ? 0 : job.processes,
      task: { ...about, crawl, seeds, urlsPerHost, ca },
      link,
      clock,
      cookies,
      archive: await mendSavers(job.save, saverOptions({ ...about, clock })),
      hostsQueued: async () => (await options.reads.totals(crawl)).hostsQueued,
      releaseLeases: (worker) => frontier.releaseAll(worker),
      lost: (text) => options.events.publish({ type: 'worker-lost', crawl, text }),
      pauseChanged,
      failed,
    });
  }
  const { fetch, hooks } = options;
  const context = await createContext({ ...about, crawl, seeds, clock, cookies, hooks });
  const worker = createWorker({
    id: workerId(member),
    link,
    clock,
    fetch,
    network: createNetworkWatch({ clock, egress: fetch, allowPrivate: job.fetch.allowPrivate }),
    context: (id) => (id === crawl ? context : undefined),
    connections: job.politeness.connections,
    urlsPerHost,
    folder,
    minFreeBytes: job.limits.minFreeBytes,
    failed,
    pauseChanged,
  });
  return crewOfOne(worker, context.savers, job.politeness.connections);
}
