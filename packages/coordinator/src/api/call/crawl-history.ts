import type { CatalogEntry } from '../../catalog/catalog.ts';
import type { HostActivity } from '../../history/host-samples.ts';
import type { CountSample } from '../../history/samples.ts';

/** How the counts of a crawl went, whether it is open here, at another coordinator of the store, or at rest. */
export interface CrawlHistory {
  /** In the order of time; empty where nothing was recorded, or not on this machine. */
  samples(entry: CatalogEntry): Promise<CountSample[]>;
  /** The same of its busiest hosts. */
  hosts(entry: CatalogEntry): Promise<HostActivity>;
}
