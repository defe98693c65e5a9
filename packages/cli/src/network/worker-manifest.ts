import type { DatedClock } from '@webfarer/protocol';
import type { LinkCrawl } from '@webfarer/protocol/link';
import { newManifest, readManifest, writeManifest } from '@webfarer/coordinator';
import { version } from '../machine/version.ts';

export interface WorkerManifestOptions {
  member: string;
  baseFolder: string;
  clock: DatedClock;
}

/** Says in the folder of a crawl what its captures are of, so that they outlive the memory of the coordinator. */
export function keepManifest({ member, baseFolder, clock }: WorkerManifestOptions) {
  return async (folder: string, { id, job, seeds, userAgent }: LinkCrawl): Promise<void> => {
    // One that cannot be read is written again: the coordinator knows all that is in it.
    if (await readManifest(folder).catch(() => undefined)) return;
    const manifest = newManifest({
      webfarer: version,
      name: job.name,
      job: { name: job.name, seeds },
      baseFolder,
      seeds,
      userAgent,
      nowMs: clock.wall(),
    });
    await writeManifest(folder, { ...manifest, id, network: { member } });
  };
}
