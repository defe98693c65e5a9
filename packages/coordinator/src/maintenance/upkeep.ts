import { type Clock, isStorageTrouble, WebfarerError } from '@webfarer/protocol';
import type { Frontier } from '../frontier/frontier.ts';
import { createLeaseReaper } from './lease-reaper.ts';

export interface UpkeepOptions {
  frontier: Pick<Frontier, 'sweep'>;
  clock: Clock;
  /** Others look after the same store: there are fewer steps. */
  shared: boolean;
  /** A fault of ours that concerns no single crawl; the next step tries again. */
  faulty: (error: unknown) => void;
}

/** A crawl that is looked after. */
export interface KeptCrawl {
  /** Whether it is to be looked at after this step. Costs next to nothing: thousands are asked. */
  isLookDue(): boolean;
  look(): Promise<void>;
  /** A fault of ours: continuing would only hide it. */
  failed(error: unknown): void;
}

/** Looks after a frontier for as long as one of its crawls runs here. */
export interface Upkeep {
  /** Resolves when no look at the crawl is under way any more. */
  keep(crawl: KeptCrawl): { end(): Promise<void> };
}

const OWN_EVERY_MS = 250;
const SHARED_EVERY_MS = 400;

export function createUpkeep({ frontier, clock, shared, faulty }: UpkeepOptions): Upkeep {
  const kept = new Set<KeptCrawl>();
  const reaper = createLeaseReaper({
    frontier,
    clock,
    idleMs: shared ? SHARED_EVERY_MS : OWN_EVERY_MS,
    async afterStep() {
      for (const crawl of kept) {
        if (!crawl.isLookDue()) continue;
        await crawl.look().catch((error: unknown) => {
          // A full disk or a busy store: the next look tries again. Any other error is of this crawl alone.
          if (!isStorageTrouble(error)) crawl.failed(error);
        });
      }
    },
    failed(error) {
      // A crawl was deleted during the step: the next one is about those that are left.
      if (isDeleted(error)) return;
      // In a store the step is about groups that all crawls share, and none of them is to blame.
      if (shared) return faulty(error);
      for (const crawl of kept) crawl.failed(error);
    },
  });
  /** Starting and stopping follow each other in the order they were asked for. */
  let turning: Promise<void> = Promise.resolve();
  return {
    keep(crawl) {
      kept.add(crawl);
      turning = turning.then(() => {
        if (kept.size > 0) reaper.start();
      });
      return {
        async end() {
          kept.delete(crawl);
          // A step that is under way may still look at it.
          turning = turning.then(() => reaper.stop());
          turning = turning.then(() => {
            if (kept.size > 0) reaper.start();
          });
          await turning;
        },
      };
    },
  };
}

function isDeleted(error: unknown): boolean {
  return error instanceof WebfarerError && error.code === 'not-found';
}
