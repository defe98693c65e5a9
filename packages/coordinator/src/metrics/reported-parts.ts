import type { Clock } from '@webfarer/protocol';
import type { Metrics } from '@webfarer/protocol/metrics';
import type { Crawl } from '../crawl/crawl.ts';
import type { EventBus } from '../events/event-bus.ts';
import type { WorkerPool } from '../link/worker-pool.ts';
import type { StoreWatch } from '../redis/store-watch.ts';

/** What a coordinator's metrics are read from. */
export interface ReportedParts {
  metrics: Metrics;
  clock: Clock;
  events: Pick<EventBus, 'listen'>;
  pool: Pick<WorkerPool, 'all' | 'load'>;
  /** Those that are open here, and the latest that have ended. */
  crawls: () => Crawl[];
  /** Of its store; undefined without one. */
  watch: StoreWatch | undefined;
  /** Whether this coordinator reports where its crawls stand; of several that serve the same ones, one does. */
  reportsCrawls: () => boolean;
}
