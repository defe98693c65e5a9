import type { Clock } from '@webfarer/protocol';
import type { Catalog, CatalogEntry } from '../catalog/catalog.ts';
import { createDuty, type Duty } from '../maintenance/duty.ts';

export interface CatalogFollowerOptions {
  catalog: Catalog;
  clock: Clock;
  /** These were created or changed, by any process; each as it is now. */
  changed: (entries: readonly CatalogEntry[]) => void;
  /** What changed since the last look, or before this process started, is not known: everything is to be looked at. */
  missed: () => Promise<void>;
  /** A fault of ours. */
  failed: (error: unknown) => void;
}

/** One question to the store; an order to any coordinator is obeyed by the others about this much later. */
const LOOK_MS = 1_000;

/** Follows what processes write into a catalog: the only one that asks for its changes. */
export function followCatalog({ catalog, clock, changed, missed, failed }: CatalogFollowerOptions): Duty {
  let generation = '';

  async function step(): Promise<number> {
    const news = await catalog.changes(generation);
    if (news.complete) changed(news.changed);
    else await missed();
    generation = news.generation;
    return LOOK_MS;
  }

  return createDuty({ clock, step, afterTroubleMs: LOOK_MS, failed });
}
