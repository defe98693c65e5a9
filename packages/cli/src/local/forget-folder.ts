import { dirname, resolve } from 'node:path';
import {
  changeFrontier,
  type ErasingParts,
  type FolderFrontier,
  type Forgotten,
  lockFolder,
  type Manifest,
  manifestOf,
  memberOf,
  previousPath,
  readFrontier,
  readManifest,
  type Tombstone,
} from '@webfarer/coordinator';
import { type CrawlSnapshot, type Job, systemClock, type Url, WebfarerError } from '@webfarer/protocol';
import { readableJob } from '@webfarer/protocol/job';
import { hostMatch } from '@webfarer/protocol/url';
import { withGivenSecrets, givenStoreFor } from '../secrets/given-secrets.ts';
import { writeOutputs } from './outputs.ts';
import { mirrorTo } from './write-all.ts';
import { countInFolder, eraseFolder } from '../forget/erase-folder.ts';
import { eraseWorkerFolder, isWorkerFolder } from '../forget/worker-folder.ts';

/** Deletes everything of a host from the folder of a crawl at rest, or counts what that would be. */
export async function forgetInFolder(
  path: string,
  { pattern, dryRun = false, gone = [] }: { pattern: string; dryRun?: boolean; gone?: string[] },
): Promise<Forgotten> {
  const folder = resolve(path);
  const clock = systemClock();
  const found = await readManifest(folder);
  if (found && isWorkerFolder(folder, found)) {
    // A worker locks its own folder, in which it has one for each crawl.
    const own = lockFolder(dirname(folder));
    try {
      return await eraseWorkerFolder({ folder, manifest: found, match: hostMatch(pattern), dryRun, clock });
    } finally {
      own.release();
    }
  }
  const manifest = await manifestOf(folder);
  const lock = lockFolder(folder);
  try {
    const frontier = await changeFrontier({ folder, manifest }, { clock, given: givenStoreFor });
    try {
      // The lock says that nobody is alive who could hold a lease.
      if (!dryRun && !manifest.store) await frontier.releaseAll();
      if (manifest.store) await requireRest(frontier, manifest);
      return await eraseHost({ folder, manifest, frontier, pattern, dryRun, gone, clock });
    } finally {
      await frontier.close();
    }
  } finally {
    lock.release();
  }
}

/** Others may work on a crawl in a store. */
async function requireRest(frontier: FolderFrontier, { id, name }: Manifest): Promise<void> {
  const { totals, balance } = await frontier.overview(id);
  if (totals.state !== 'running' && totals.state !== 'paused' && balance.leased === 0) return;
  throw new WebfarerError('conflict', `the crawl ${name} runs in its store`, {
    next: 'Stop it in all its processes, then run the same command again.',
  });
}

/** The same with a frontier that is open already. */
export async function eraseHost(
  { pattern, dryRun, gone = [], ...parts }: ErasingParts,
  asGiven: (job: Job) => Job = withGivenSecrets,
): Promise<Forgotten> {
  const { folder, manifest, frontier } = parts;
  // These say where captures are, and what is written again without the host.
  const job = { ...asGiven(readableJob(manifest.job, ['save', 'mirror'])), name: manifest.name };
  const about = { ...parts, job, match: hostMatch(pattern) };
  if (dryRun) return await countInFolder(about);
  const outputs = (cleaned: Manifest) => outputsOf({ folder, job, frontier, manifest: cleaned });
  return await eraseFolder({ ...about, gone, writeOutputs: outputs });
}

/** Hosts that a crawl has forgotten, or is about to. */
export async function tombstonesIn(path: string): Promise<Tombstone[]> {
  const folder = resolve(path);
  const manifest = await manifestOf(folder);
  const frontier = await readFrontier({ folder, manifest }, { clock: systemClock(), given: givenStoreFor });
  try {
    return await frontier.forgotten(manifest.id);
  } finally {
    await frontier.close();
  }
}

interface Outputs {
  folder: string;
  job: Job;
  frontier: FolderFrontier;
  manifest: Manifest;
}

async function outputsOf({ folder, job, frontier, manifest }: Outputs): Promise<Manifest['outputs']> {
  const crawl = manifest.id;
  const snapshot = await snapshotOf({ folder, job, frontier, manifest });
  return await writeOutputs({
    folder,
    crawl,
    job,
    snapshot,
    manifest,
    results: frontier.results,
    member: memberOf(manifest),
    seeds: manifest.seeds as Url[],
    hasItems: snapshot.items > 0,
    absent: 0,
    mirrorTo: mirrorTo(job, manifest.baseFolder),
    previous: await previousPath(folder, manifest),
  });
}

async function snapshotOf({ job, frontier, manifest }: Outputs): Promise<CrawlSnapshot> {
  const { balance, totals } = await frontier.overview(manifest.id);
  const { elapsedMs } = manifest.session;
  const { state, byStatus, byReason, dropped, bytes, items } = totals;
  const settled = balance.done + balance.failed + balance.refused;
  return {
    crawl: manifest.id,
    name: job.name,
    state,
    elapsedMs,
    balance,
    byStatus,
    byReason,
    dropped,
    bytes,
    items,
    pagesPerSecond: elapsedMs > 0 ? settled / (elapsedMs / 1000) : 0,
    hostsQueued: 0,
    inFlight: 0,
    waiting: [],
    archive: { files: 0, bytes: 0 },
  };
}
