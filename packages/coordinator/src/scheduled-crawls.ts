import { type Clock, type CrawlId, type CrawlState, WebfarerError } from '@webfarer/protocol';
import type { Storages } from '@webfarer/protocol/job';
import { createJobGate, type JobGate } from './admission/admit-job.ts';
import type { CoordinatorParts } from './coordinator-parts.ts';
import type { Duty } from './maintenance/duty.ts';
import { createCatalogRuns } from './schedule/catalog-runs.ts';
import { createScheduleEngine } from './schedule/schedule-engine.ts';
import { createSchedules, type Schedules } from './schedule/schedules.ts';

export interface ScheduledCrawlsOptions {
  coordinator: CoordinatorParts;
  /** The data folder. */
  folder: string;
  clock: Clock;
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
    async close({ id, name }) {
      await coordinator.crawl(name)?.stop();
      await joined?.frontier.setState(id, 'stopped');
    },
  });
  return {
    jobs,
    schedules: createSchedules({ registry, clock, jobs }),
    engine: createScheduleEngine({
      registry,
      runs,
      clock,
      // allow(time): schedules follow the wall clock, also where it is set or the machine was suspended
      wallMs: () => Date.now(),
      events,
      failed: (error) => coordinator.fail(error),
      failpoint: () => undefined,
    }),
  };
}
