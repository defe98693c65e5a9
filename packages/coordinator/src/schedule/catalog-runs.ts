import { type Clock, type CrawlId, type CrawlState, WebfarerError } from '@webfarer/protocol';
import { type Durability, resolveJob, withoutSecrets } from '@webfarer/protocol/job';
import type { Catalog, CatalogEntry } from '../catalog/catalog.ts';
import { readSeeds } from '../crawl/job/seeds.ts';
import { jobOfRun, noRecrawl, type PolicyJob } from './job-of-run.ts';
import { otherName } from './new-run.ts';
import type { RunLook, ScheduledRuns, StartAnswer } from './runs.ts';
import type { ScheduleDoc, StartingRun } from './schedule-doc.ts';

export interface CatalogRunsOptions {
  catalog: Pick<Catalog, 'create' | 'find' | 'change'>;
  clock: Clock;
  durability: Durability;
  /** Where seed files are looked for. */
  baseFolder: string;
  policyJob: PolicyJob;
  /** Whether a crawl can be compared with the one before. */
  canRecrawl: boolean;
  /** What the frontier says of a crawl; undefined where it does not know it yet. */
  stateOf(crawl: CrawlId): Promise<CrawlState | undefined>;
  /** Works on the crawl in this process, if it does not already. `previous`: the crawl it is compared with. */
  open(entry: CatalogEntry, previous: string | undefined): Promise<void>;
  /** It is to stop, here and elsewhere. */
  close(entry: CatalogEntry): Promise<void>;
}

/** Runs of schedules as crawls of the catalog, which holds each nonce once. */
export function createCatalogRuns(options: CatalogRunsOptions): ScheduledRuns {
  const { catalog, clock } = options;

  async function create(
    run: Pick<StartingRun, 'name' | 'nonce'>,
    doc: Pick<ScheduleDoc, 'schedule' | 'team'>,
  ): Promise<CatalogEntry & { ours: boolean }> {
    const { name } = run;
    const input = await jobOfRun(doc, name, options.policyJob);
    const seeds = await readSeeds(resolveJob(input), options.baseFolder);
    const { created, entry } = await catalog.create({
      id: name as CrawlId,
      name,
      nonce: run.nonce,
      createdAtMs: Math.round(clock.now()),
      job: withoutSecrets(input),
      seeds: seeds.flatMap(({ candidates }) => candidates.slice(0, 1)),
      tags: doc.schedule.tags,
      wanted: 'running',
      durability: options.durability,
      ownCode: false,
    });
    return { ...entry, ours: created || entry.nonce === run.nonce };
  }

  /** The run's crawl, if it still is in the catalog. */
  async function find({ name, nonce }: { name: string; nonce: string }): Promise<CatalogEntry | undefined> {
    const entry = await catalog.find(name);
    return entry?.nonce === nonce ? entry : undefined;
  }

  return {
    async start(run, doc): Promise<StartAnswer> {
      if (doc.schedule.recrawl && !options.canRecrawl) throw noRecrawl();
      let entry = await create(run, doc);
      if (!entry.ours) entry = await create({ nonce: run.nonce, name: otherName(run) }, doc);
      if (!entry.ours)
        throw new WebfarerError('usage', `another crawl is named ${run.name}`, {
          next: 'Add {TIME} to the run name of the schedule, or delete that crawl.',
        });
      if (entry.wanted === 'deleted') return { kind: 'deleted' };
      await options.open(entry, run.previous);
      return { kind: 'stands', name: entry.name, nonce: entry.nonce };
    },
    async look(run): Promise<RunLook> {
      const entry = await find(run);
      if (!entry) return { kind: 'over', outcome: 'deleted' };
      if (entry.wanted === 'stopped') return { kind: 'over', outcome: 'stopped' };
      const state = await options.stateOf(entry.id);
      if (state === 'finished' || state === 'limited') return { kind: 'over', outcome: state };
      if (entry.wanted === 'paused' || state === 'paused') return { kind: 'paused' };
      await options.open(entry, undefined);
      return { kind: 'running' };
    },
    async stop(run) {
      for (;;) {
        const entry = await find(run);
        if (!entry) return;
        const answer = await catalog.change(entry.id, entry.version, { wanted: 'stopped' });
        if (answer.kind === 'changed') return await options.close(answer.entry);
      }
    },
  };
}
