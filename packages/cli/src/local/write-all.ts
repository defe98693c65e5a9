import { resolve } from 'node:path';
import { type CrawlEnding, type Manifest, memberOf, type Results } from '@webfarer/coordinator';
import type { Url } from '@webfarer/protocol';
import type { KeptResults } from '@webfarer/coordinator/redis';
import { absentCount } from '../folder/absent-results.ts';
import { writeOutputsAside } from './outputs-aside.ts';
import { writeOutputs } from './outputs.ts';

/** Above this a report takes long enough to be noticed by those who wait for an answer of this process. */
const MANY_RECORDS = 1_000;
/** A crawl that is stopped on the way writes its outputs if that is quick: at its end they are written anew anyway. */
const STOP_OUTPUTS_MS = 5_000;

export interface WriteAllOptions extends CrawlEnding {
  manifest: Manifest;
  results: Results;
  /** What of the results left a store for files. */
  kept: KeptResults | undefined;
}

/** Writes everything a person opens after a crawl; undefined where a stop left no time for it. */
export async function writeAll(options: WriteAllOptions): Promise<Manifest['outputs'] | undefined> {
  const { folder, crawl, job, snapshot, manifest, clock, stopped } = options;
  const about = {
    folder,
    crawl,
    job,
    snapshot,
    member: memberOf(manifest),
    seeds: manifest.seeds as Url[],
    hasItems: snapshot.items > 0,
    absent: absentCount(options.kept),
    mirrorTo: job.mirror?.folder === undefined ? undefined : resolve(manifest.baseFolder, job.mirror.folder),
  };
  const { done, failed, refused } = snapshot.balance;
  if (done + failed + refused < MANY_RECORDS)
    return await writeOutputs({ ...about, results: options.results });
  const late = new AbortController();
  const finished = new AbortController();
  if (stopped)
    clock.sleep(STOP_OUTPUTS_MS, finished.signal).then(
      () => late.abort(),
      () => undefined,
    );
  // The password of a store is in the job, not in the manifest.
  const store = manifest.store && job.store ? { store: { ...manifest.store, ...job.store } } : {};
  try {
    return await writeOutputsAside(
      { ...about, place: { folder, manifest: { ...manifest, ...store } } },
      late.signal,
    );
  } finally {
    finished.abort();
  }
}
