import { dirname } from 'node:path';
import { type Forgotten, hasFrontier, type Manifest, writeManifest } from '@webfarer/coordinator';
import type { DatedClock } from '@webfarer/protocol';
import type { HostMatch } from '@webfarer/protocol/url';
import { eraseArchive, eraseOutgoing } from '@webfarer/worker';
import { cleanLogs, cleanManifest, stillNaming } from './folder-traces.ts';

export interface WorkerFolderErasing {
  folder: string;
  manifest: Manifest;
  match: HostMatch;
  dryRun: boolean;
  clock: DatedClock;
}

/** A folder in which a worker keeps what it saved of a crawl; its records are at a coordinator. */
export function isWorkerFolder(folder: string, manifest: Manifest): boolean {
  return manifest.network?.member !== undefined && !hasFrontier({ folder, manifest });
}

/**
 * Deletes a host from what a worker that has ended left on its disk: files that were on their way to object storage, logs
 * and cookies. Captures that are only here have records at the coordinator that name them: those are counted and left.
 */
export async function eraseWorkerFolder(options: WorkerFolderErasing): Promise<Forgotten> {
  const { folder, manifest, match, dryRun, clock } = options;
  const erasing = { match, nowMs: clock.now(), dryRun };
  const outgoing = await eraseOutgoing(folder, erasing);
  const own = await eraseArchive(folder, { ...erasing, dryRun: true });
  const left =
    own.captures === 0
      ? []
      : [`${own.captures} captures in ${folder}, which this version does not rewrite: delete the folder`];
  if (!dryRun) {
    // Logs and reports that were not delivered are in the worker's own folder.
    for (const at of [folder, dirname(folder)]) await cleanLogs(at, match);
    await writeManifest(folder, cleanManifest(manifest, match));
    for (const at of [folder, dirname(folder)])
      left.push(...(await stillNaming(at, match)).map((name) => `${name} names the host: edit or delete it`));
  }
  return { pattern: match.pattern, urls: 0, ...outgoing, left };
}
