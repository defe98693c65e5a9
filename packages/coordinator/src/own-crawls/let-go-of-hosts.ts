import { type Clock, WebfarerError } from '@webfarer/protocol';
import type { Crawl } from '../crawl/crawl.ts';

/** How long workers may take to let go of the hosts of a deleted crawl. */
const PATIENCE_MS = 5_000;
const LOOK_MS = 50;

/**
 * Grants no more leases of a crawl that is being deleted, and waits a moment for those that are out: a host whose lease
 * nobody gives back stays held for other crawls until the lease has run out.
 */
export async function letGoOfHosts(crawl: Pick<Crawl, 'pause' | 'snapshot'>, clock: Clock): Promise<void> {
  try {
    await crawl.pause();
    const untilMs = clock.now() + PATIENCE_MS;
    while (clock.now() < untilMs && (await crawl.snapshot()).balance.leased > 0) await clock.sleep(LOOK_MS);
  } catch (error) {
    // Another coordinator was faster.
    if (!(error instanceof WebfarerError) || error.code !== 'not-found') throw error;
  }
}
