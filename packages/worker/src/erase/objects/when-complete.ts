import type { Clock } from '@webfarer/protocol';
import { storedFiles } from '../../archive/objects/stored-files.ts';
import type { ObjectStore } from '../../objects/object-store.ts';

/** A worker that has nothing left to do completes its file within this time, or is gone. */
const patienceMs = 20_000;
const lookMs = 500;

/**
 * Waits for workers that are completing their files, because the crawl was stopped a moment ago: files of which chunks were
 * written lately and that are not complete.
 */
export async function whenFilesComplete(store: ObjectStore, clock: Clock): Promise<void> {
  for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += lookMs) {
    const since = clock.now() - patienceMs;
    const files = await storedFiles(store);
    if (!files.some(({ object, bytes, writtenAtMs }) => object?.bytes !== bytes && writtenAtMs > since))
      return;
    await clock.sleep(lookMs);
  }
}
