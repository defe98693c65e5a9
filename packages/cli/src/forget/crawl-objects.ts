import type { CrawlObjects } from '@webfarer/coordinator';
import type { Clock, Job } from '@webfarer/protocol';
import { archivePlace } from '@webfarer/protocol/job';
import { checkObjectsRemovable, markObjectsDeleted, openObjectStore, purgeObjects } from '@webfarer/worker';

/** What a crawl that is deleted has in object storage; undefined: its job keeps nothing there. */
export async function crawlObjects(
  { job, id, nonce }: { job: Pick<Job, 'save'>; id: string; nonce: string },
  clock: Clock,
): Promise<CrawlObjects | undefined> {
  const place = archivePlace(job, { id, nonce });
  if (!place) return undefined;
  const store = await openObjectStore(place);
  const endpoint = place.endpoint === undefined ? '' : ` --endpoint ${place.endpoint}`;
  return {
    address: `${place.address}${endpoint}`,
    check: () => checkObjectsRemovable(store),
    mark: () => markObjectsDeleted(store, clock.now()),
    async purge() {
      await purgeObjects(store);
    },
    close: () => store.close(),
  };
}
