import { type Clock, type CrawlId, type CrawlState, WebfarerError } from '@webfarer/protocol';
import type { CatalogEntry } from './catalog/catalog.ts';
import type { CoordinatorParts } from './coordinator.ts';
import { readManifest } from './folder/manifest.ts';
import type { Duty } from './maintenance/duty.ts';
import { createCatalogRuns } from './schedule/catalog-runs.ts';
import type { PolicyJob } from './schedule/job-of-run.ts';
import { createScheduleEngine } from './schedule/schedule-engine.ts';
import { createSchedules, type Schedules } from './schedule/schedules.ts';

export interface ScheduledCrawlsOptions {
  coordinator: CoordinatorParts;
  /** The data folder. */
  folder: string;
  clock: Clock;
}

export interface ScheduledCrawls {
  schedules: Schedules;
  /** Starts what is due. */
  engine: Duty;
}

/** The schedules of a coordinator, whose runs are crawls of it. */
export function openScheduledCrawls({ coordinator, folder, clock }: ScheduledCrawlsOptions): ScheduledCrawls {
  const { registry, policies, events, joined } = coordinator;
  const opening = new Map<string, Promise<unknown>>();

  const policyJob: PolicyJob = async (policy, seeds) =>
    (await policies.resolve({ policy, seeds: [...seeds] })) as Record<string, unknown>;

  async function stateOf(id: CrawlId): Promise<CrawlState | undefined> {
    if (!joined) return coordinator.crawls().find((crawl) => crawl.id === id)?.state;
    return await joined.frontier.state(id).catch((error: unknown) => {
      if (error instanceof WebfarerError && error.code === 'not-found') return undefined;
      throw error;
    });
  }

  async function openNow({ id, nonce, job }: CatalogEntry, previous: string | undefined): Promise<void> {
    const before = previous === undefined ? undefined : coordinator.folderOf(previous);
    const isThere = before !== undefined && (await readManifest(before)) !== undefined;
    await coordinator.create({
      input: job,
      baseFolder: folder,
      identity: { id, nonce },
      ...(isThere ? { previous: before } : {}),
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
    policyJob,
    canRecrawl: joined === undefined,
    stateOf,
    async open(entry, previous) {
      if (coordinator.crawl(entry.name)) return;
      const under = opening.get(entry.name) ?? openNow(entry, previous);
      opening.set(entry.name, under);
      await under.finally(() => opening.delete(entry.name));
    },
    async close({ id, name }) {
      await coordinator.crawl(name)?.stop();
      await joined?.frontier.setState(id, 'stopped');
    },
  });
  return {
    schedules: createSchedules({ registry, clock, policyJob, canRecrawl: joined === undefined }),
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
