import { resolve } from 'node:path';
import { type Coordinator, type Crawl, workerId } from '@webfarer/coordinator';
import type { Clock, WorkerLook } from '@webfarer/protocol';
import {
  type Hooks,
  type KeptCookies,
  mendSavers,
  openCookies,
  openWorker,
  saverOptions,
} from '@webfarer/worker';
import { openProcessCrew, type ProcessCrew } from '../processes/process-crew.ts';
import { readCa } from './read-ca.ts';
import { version } from '../version.ts';

export interface LocalWorkerOptions {
  coordinator: Coordinator;
  crawl: Crawl;
  baseFolder: string;
  hooks: Hooks;
  clock: Clock;
  /** This folder among several that share the crawl. */
  member: string | undefined;
  /** Its captures stand beside those that workers elsewhere send to the coordinator. */
  besideIntake: boolean;
}

/** Who fetches in this process, or for it. */
export interface LocalWorker {
  /** Drops what is in flight. */
  drop(): void;
  stop(): Promise<void>;
}

/** The worker of this process, or as many processes as the job asks for. */
export async function openLocalWorker(options: LocalWorkerOptions): Promise<LocalWorker> {
  const { coordinator, crawl, baseFolder, hooks, clock, member } = options;
  const { job, folder } = crawl;
  if (job.processes > 1 && !options.besideIntake) return await openProcesses(options);
  const id = workerId(member);
  const worker = openWorker({
    link: { kind: 'in-process', connect: coordinator.connect, hooks: () => hooks },
    id,
    version,
    folder,
    folderOf: (about) => coordinator.crawls().find((one) => one.id === about.id)?.folder ?? folder,
    baseFolder,
    connections: job.politeness.connections,
    clock,
    random: Math.random,
    member,
    ...(options.besideIntake ? { process: 1 } : {}),
    pauseChanged: (pause) => coordinator.workerPaused(id, pause),
  });
  worker.ended.catch((error: unknown) => coordinator.fail(error));
  await worker.start().catch(async (error: unknown) => {
    await worker.stop({ now: true });
    throw error;
  });
  return { drop: () => void worker.stop({ now: true }), stop: () => worker.stop() };
}

const nothing: WorkerLook = { inFlight: 0, waiting: [], written: [] };

/** Several processes, which the coordinator sees as one worker. */
async function openProcesses(options: LocalWorkerOptions): Promise<LocalWorker> {
  const { coordinator, crawl, baseFolder, clock, member } = options;
  const { job, folder, seeds, id: crawlId } = crawl;
  const cookies = await cookiesOf(options);
  const about = { job, userAgent: crawl.userAgent, baseFolder, folder, version, member };
  const ca = job.fetch.ca === undefined ? undefined : await readCa(job.fetch.ca, baseFolder);
  let crew: ProcessCrew | undefined;
  let last = nothing;
  async function refresh(): Promise<void> {
    if (!crew) return;
    const { inFlight, waiting, archive } = await crew.look();
    last = {
      inFlight,
      waiting: waiting.map((wait) => ({ ...wait, crawl: crawlId })),
      written: [{ crawl: crawlId, ...archive }],
    };
  }
  let stopping: Promise<void> | undefined;
  async function stop(): Promise<void> {
    await crew?.stop();
    await refresh();
    await cookies?.save().catch(() => undefined);
  }
  const id = workerId(member);
  const joined = coordinator.connect({
    id,
    connections: job.politeness.connections,
    orders: {
      wake: () => crew?.wake(),
      release: () => crew?.release(),
      water: () => undefined,
      crawls: () => undefined,
      peers: () => undefined,
      switch: () => undefined,
      drain: () => undefined,
    },
    look() {
      void refresh().catch(() => undefined);
      return last;
    },
    closeCrawl: async () => await (stopping ??= stop()),
  });
  try {
    crew = await openProcessCrew({
      count: job.processes,
      task: { ...about, crawl: crawlId, seeds: [...seeds], urlsPerHost: crawl.urlsPerHost, ca },
      link: joined.link,
      clock,
      cookies: cookies?.jar,
      archive: await mendSavers(job.save, saverOptions({ ...about, clock })),
      hostsQueued: async () => (await crawl.snapshot()).hostsQueued,
      releaseLeases: (worker) => coordinator.workerGone(worker),
      lost: (text) => coordinator.events.publish({ type: 'worker-lost', crawl: crawlId, text }),
      pauseChanged: (pause) => coordinator.workerPaused(id, pause),
      failed: (error) => coordinator.fail(error),
    });
  } catch (error) {
    joined.leave();
    throw error;
  }
  crew.start();
  return {
    drop: () => crew?.drop(),
    async stop() {
      await (stopping ??= stop());
      joined.leave();
    },
  };
}

/** The jar that several processes share, which this one keeps. */
async function cookiesOf({
  crawl: { job, folder },
  baseFolder,
  clock,
}: LocalWorkerOptions): Promise<KeptCookies | undefined> {
  const { cookies, cookieFile } = job.fetch;
  if (!cookies) return undefined;
  const source = cookieFile === undefined ? {} : { source: resolve(baseFolder, cookieFile) };
  return await openCookies({ folder, nowMs: clock.now(), ...source });
}
