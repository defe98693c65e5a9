import { type DatedClock, type CrawlId, type CrawlState, WebfarerError } from '@webfarer/protocol';
import type { Storages } from '@webfarer/protocol/job';
import { createJobGate, type JobGate } from './admission/admit-job.ts';
import type { CatalogEntry } from './catalog/catalog.ts';
import type { CoordinatorParts } from './coordinator-parts.ts';
import { onlyCrawl } from './frontier/redis/only-crawl.ts';
import type { RedisFrontier } from './frontier/redis/redis-frontier.ts';
import type { Duty } from './maintenance/duty.ts';
import { createCatalogRuns } from './schedule/catalog-runs.ts';
import { createScheduleEngine } from './schedule/schedule-engine.ts';
import { createSchedules, type Schedules } from './schedule/schedules.ts';

export interface ScheduledCrawlsOptions {
  coordinator: CoordinatorParts;
  /** The data folder. */
  folder: string;
  clock: DatedClock;
  /** Object storage that jobs may name. */
  storages?: Storages | undefined;
}

export interface ScheduledCrawls {
  /** Judges the jobs of runs, and all others that the API is given. */
  jobs: JobGate;
  schedules: Schedules;
  /** Starts what is due. */
  engine: Duty;
}

/** The schedules of a coordinator, whose runs are crawls of it. */
export function openScheduledCrawls({
  coordinator,
  folder,
  clock,
  storages,
}: ScheduledCrawlsOptions): ScheduledCrawls {
  const { registry, policies, events, joined } = coordinator;

  const jobs = createJobGate(policies, storages);

  async function stateOf(id: CrawlId): Promise<CrawlState | undefined> {
    if (!joined) return coordinator.crawls().find((crawl) => crawl.id === id)?.state;
    return await joined.frontier.state(id).catch((error: unknown) => {
      if (error instanceof WebfarerError && error.code === 'not-found') return undefined;
      throw error;
    });
  }

  const runs = createCatalogRuns({
    // Opened when the first run starts.
    catalog: {
      create: (entry) => coordinator.catalog().create(entry),
      get: (id) => coordinator.catalog().get(id),
      find: (name) => coordinator.catalog().find(name),
      change: (...change) => coordinator.catalog().change(...change),
    },
    clock,
    durability: coordinator.durability,
    baseFolder: folder,
    jobs,
    mayOpen: (crawl) => coordinator.teams.mayOpen(crawl),
    // In a store a crawl is begun by the first coordinator to take part, with a folder of its own.
    unbegun: joined === undefined,
    stateOf,
    async open(entry) {
      // One that has ended here is not begun again.
      if (!coordinator.crawl(entry.name)) await coordinator.takeUp(entry);
    },
    async close(entry) {
      await coordinator.listing(entry).crawl?.stop();
      if (joined) await stopInStore(joined.frontier, entry);
    },
  });
  return {
    jobs,
    schedules: createSchedules({ registry, jobs }),
    engine: createScheduleEngine({
      registry,
      runs,
      clock,
      events,
      failed: (error) => coordinator.faulty(error),
      failpoint: () => undefined,
    }),
  };
}

/** By its entry: a later wish than this one stands, and another crawl of its name is left alone. */
export async function stopInStore(frontier: RedisFrontier, entry: CatalogEntry): Promise<void> {
  try {
    await onlyCrawl(frontier, entry).setState(entry.id, 'stopped', entry.version);
  } catch (error) {
    // Nobody has begun it, or it was deleted.
    if (!(error instanceof WebfarerError) || error.code !== 'not-found') throw error;
  }
}
