import { resolve } from 'node:path';
import {
  type CalmReads,
  type CrawlDesk,
  type EventBus,
  type Frontier,
  type Manifest,
  memberOf,
  type SoleOwner,
} from '@webfarer/coordinator';
import type { JoinedStore } from '@webfarer/coordinator/redis';
import type { Clock, CoordinatorLink, CrawlId, Job, Pause, Url } from '@webfarer/protocol';
import type { Orders } from '@webfarer/protocol/link';
import {
  type Hooks,
  type KeptCookies,
  mendSavers,
  openCookies,
  openWorker,
  saverOptions,
} from '@webfarer/worker';
import { openProcessCrew } from '../processes/process-crew.ts';
import { workerId } from '../processes/worker-id.ts';
import { version } from '../version.ts';
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
  /** Certificate authorities to trust as well, PEM. */
  ca: string | undefined;
  frontier: Frontier & { owner: SoleOwner | undefined };
  /** The store, where others may work on the same crawl. */
  shared: JoinedStore | undefined;
  reads: CalmReads;
  link: CoordinatorLink;
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
  const { crawl, job, seeds, folder, baseFolder, clock, link, failed, frontier, ca } = options;
  const member = memberOf(options.manifest);
  const about = { job, userAgent: options.manifest.userAgent, baseFolder, folder, version, member };
  const urlsPerHost = urlsPerLease(job);
  const { pauseChanged } = options;
  if (job.processes > 1) {
    const cookies = await cookiesOf(options);
    const crew = await openProcessCrew({
      count: options.idle ? 0 : job.processes,
      task: { ...about, crawl, seeds, urlsPerHost, ca },
      link,
      clock,
      cookies: cookies?.jar,
      archive: await mendSavers(job.save, saverOptions({ ...about, clock })),
      hostsQueued: async () => (await options.reads.totals(crawl)).hostsQueued,
      releaseLeases: (worker) => frontier.releaseAll(worker),
      lost: (text) => options.events.publish({ type: 'worker-lost', crawl, text }),
      pauseChanged,
      failed,
    });
    return {
      ...crew,
      get pause() {
        return crew.pause;
      },
      async stop() {
        await crew.stop();
        await cookies?.save().catch(() => undefined);
      },
    };
  }
  const told = Promise.withResolvers<Orders>();
  let started = false;
  const worker = openWorker({
    link: {
      kind: 'in-process',
      hooks: () => options.hooks,
      connect({ orders }) {
        told.resolve(orders);
        orders.crawls([
          {
            id: crawl,
            revision: options.nonce,
            job,
            seeds,
            userAgent: about.userAgent,
            urlsPerHost,
            state: 'running',
          },
        ]);
        const nothing = { leases: [], nextDueMs: null };
        const lease: CoordinatorLink['lease'] = async (request) =>
          started ? await link.lease(request) : nothing;
        return { link: { ...link, lease }, leave: () => undefined };
      },
    },
    id: workerId(member),
    version,
    folder,
    folderOf: () => folder,
    baseFolder,
    connections: job.politeness.connections,
    clock,
    random: Math.random,
    member,
    pauseChanged,
  });
  worker.ended.catch(failed);
  await worker.start().catch(async (error: unknown) => {
    await worker.stop({ now: true });
    throw error;
  });
  const crew = crewOfOne(worker, await told.promise, job.politeness.connections);
  return {
    ...crew,
    get pause() {
      return crew.pause;
    },
    start() {
      started = true;
      crew.start();
    },
  };
}

/** The jar that several processes share, which this one keeps. */
async function cookiesOf({
  job,
  folder,
  baseFolder,
  clock,
}: OpenCrewOptions): Promise<KeptCookies | undefined> {
  const { cookies, cookieFile } = job.fetch;
  if (!cookies) return undefined;
  const source = cookieFile === undefined ? {} : { source: resolve(baseFolder, cookieFile) };
  return await openCookies({ folder, nowMs: clock.now(), ...source });
}
