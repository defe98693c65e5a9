import { browserSettings } from '../machine/browser-settings.ts';
import { saveSettings } from '../machine/save-settings.ts';
import { resolve } from 'node:path';
import { type Coordinator, type Crawl, readManifest, workerId } from '@webfarer/coordinator';
import type { DatedClock, WebfarerEvent } from '@webfarer/protocol';
import { archivePlace } from '@webfarer/protocol/job';
import type { Metrics } from '@webfarer/protocol/metrics';
import {
  type Hooks,
  type KeptCookies,
  mendSavers,
  openCookies,
  openWorker,
  type OpenWorker,
  saverOptions,
  type Tracing,
} from '@webfarer/worker';
import { type GivenKey, identityKeyFor } from '../secrets/given-secrets.ts';
import { signingKeyOf } from '../secrets/signing-key-of.ts';
import { forkWorker } from '../processes/fork-worker.ts';
import { openWorkerProcesses } from '../processes/worker-processes.ts';
import { openAccountStore } from '../accounts/account-store.ts';
import { accountPlace } from '../machine/state-folder.ts';
import { version } from '../machine/version.ts';

export interface LocalWorkerOptions {
  coordinator: Coordinator;
  crawl: Pick<Crawl, 'id' | 'job' | 'folder' | 'userAgent' | 'snapshot'>;
  baseFolder: string;
  hooks: Hooks;
  clock: DatedClock;
  /** This folder among several that share the crawl. */
  member: string | undefined;
  /** Its captures stand beside those that workers elsewhere send to the coordinator. */
  besideIntake: boolean;
  /** Other crawls come: one that cannot be worked on here must not end those. */
  leavesOut: boolean;
  /** Where the work of this process is counted. */
  metrics: Metrics | undefined;
  tracing: Tracing | undefined;
}

/** Who fetches in this process, or for it. */
export interface LocalWorker {
  /** Drops what is in flight. */
  drop(): void;
  stop(): Promise<void>;
  logins: OpenWorker['logins'];
  tryLeftOut: OpenWorker['tryLeftOut'];
}

/** The worker of this process, or as many processes as the job asks for. */
export async function openLocalWorker(options: LocalWorkerOptions): Promise<LocalWorker> {
  const many = options.crawl.job.processes > 1 && !options.besideIntake;
  const key = await identityKeyFor(options.crawl.job, options.baseFolder);
  const worker = many ? await openProcesses(options, key) : openOne(options, key);
  worker.ended.catch((error: unknown) => {
    options.coordinator.fail(error);
    // Its crawl ends now. What it still holds, or is given at this moment, could be reported to nobody.
    void worker.stop({ now: true });
  });
  await worker.start().catch(async (error: unknown) => {
    await worker.stop({ now: true });
    throw error;
  });
  return {
    drop: () => void worker.stop({ now: true }),
    stop: () => worker.stop(),
    logins: () => worker.logins(),
    tryLeftOut: () => worker.tryLeftOut(),
  };
}

function openOne(options: LocalWorkerOptions, key: GivenKey | undefined): OpenWorker {
  const { coordinator, crawl, baseFolder, hooks, clock, member } = options;
  const { job, folder } = crawl;
  const id = workerId(member);
  const accounts = openAccountStore(accountPlace());
  return openWorker({
    link: { kind: 'in-process', connect: coordinator.connect, hooks: () => hooks },
    id,
    version,
    folder,
    folderOf: (about) => coordinator.crawls().find((one) => one.id === about.id)?.folder ?? folder,
    baseFolder,
    connections: job.politeness.connections,
    clock,
    random: Math.random,
    ...browserSettings(),
    ...saveSettings(clock),
    accounts: (rule) => accounts.source(rule),
    member,
    leavesOut: options.leavesOut,
    // The person's own crawl alone is not paused by its own worker.
    pausesBlocking: options.leavesOut && options.besideIntake,
    metrics: options.metrics,
    tracing: options.tracing,
    ...(options.besideIntake ? { process: 1 } : {}),
    ...(key ? { signingKey: signingKeyOf(key) } : {}),
    pauseChanged: (pause) => coordinator.workerPaused(id, pause),
  });
}

/** Several processes, which the coordinator sees as one worker. */
async function openProcesses(options: LocalWorkerOptions, key: GivenKey | undefined): Promise<OpenWorker> {
  const { coordinator, crawl, baseFolder, clock, member } = options;
  const { job, folder, id: crawlId, userAgent } = crawl;
  const { connections } = job.politeness;
  const id = workerId(member);
  const { nonce = crawlId } = (await readManifest(folder)) ?? {};
  const objects = archivePlace(job, { id: crawlId, nonce });
  const saved = saverOptions({ job, userAgent, baseFolder, folder, version, member, clock, objects });
  return openWorkerProcesses({
    count: job.processes,
    setup: { member, folder, baseFolder, connections, version, isTraced: options.tracing !== undefined },
    metrics: options.metrics,
    startProcess: (setup) => forkWorker(setup, key),
    connect: coordinator.connect,
    clock,
    cookies: await cookiesOf(options),
    archive: await mendSavers(job.save, saved),
    hostsQueued: async () => (await crawl.snapshot()).hostsQueued,
    releaseLeases: (worker) => coordinator.workerGone(worker),
    events: { publish: firstBlocked(coordinator) },
    lost: (text) => coordinator.events.publish({ type: 'worker-lost', crawl: crawlId, text }),
    pauseChanged: (pause) => coordinator.workerPaused(id, pause),
  });
}

/** Each process says it once for itself; a person reads it once. */
function firstBlocked({ events }: Coordinator): (event: WebfarerEvent) => number {
  let isSaid = false;
  return (event) => {
    if (event.type !== 'worker-blocked' || isSaid) return 0;
    isSaid = true;
    events.publish(event);
    return 0;
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
