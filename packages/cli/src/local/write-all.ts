import { resolve } from 'node:path';
import { type CrawlEnding, type Manifest, memberOf, previousPath, type Results } from '@webfarer/coordinator';
import type { Job, Url } from '@webfarer/protocol';
import type { KeptResults } from '@webfarer/coordinator/redis';
import { absentCount } from '../folder/absent-results.ts';
import { notWritten } from './not-written.ts';

/**
 * Below this the outputs are written in short steps, between which this process answers. A thread loads its code again
 * before it begins, so it is for crawls beside which that is little.
 */
const MANY_RECORDS = 20_000;
/** The same for a crawl that is stopped: a person waits for the end, and only a thread can be given up on the way. */
const MANY_AT_STOP = 1_000;
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
  // The password of a store is in the job, not in the manifest.
  const store = manifest.store && job.store ? { store: { ...manifest.store, ...job.store } } : {};
  const about = {
    folder,
    manifest: { ...manifest, ...store },
    crawl,
    job,
    snapshot,
    member: memberOf(manifest),
    seeds: manifest.seeds as Url[],
    hasItems: snapshot.items > 0,
    absent: absentCount(options.kept),
    mirrorTo: mirrorTo(job, manifest.baseFolder),
    previous: await previousPath(folder, manifest),
  };
  const { done, failed, refused } = snapshot.balance;
  if (done + failed + refused < (stopped ? MANY_AT_STOP : MANY_RECORDS)) {
    const { writeOutputs } = await import('./outputs.ts');
    return await writeOutputs({ ...about, results: options.results }).catch(notWritten);
  }
  const late = new AbortController();
  const finished = new AbortController();
  if (stopped)
    clock.sleep(STOP_OUTPUTS_MS, finished.signal).then(
      () => late.abort(),
      () => undefined,
    );
  try {
    const { writeOutputsAside } = await import('./outputs-aside.ts');
    return await writeOutputsAside(about, late.signal);
  } finally {
    finished.abort();
  }
}

/** Where a job wants its mirror; undefined: in the crawl folder. */
export function mirrorTo({ mirror }: Job, baseFolder: string): string | undefined {
  return mirror?.folder === undefined ? undefined : resolve(baseFolder, mirror.folder);
}
