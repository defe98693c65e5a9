import {
  type DatedClock,
  type CrawlId,
  type CrawlState,
  isStorageTrouble,
  WebfarerError,
} from '@webfarer/protocol';
import { type Durability, resolveJob, withoutSecrets } from '@webfarer/protocol/job';
import type { Catalog, CatalogEntry } from '../catalog/catalog.ts';
import { changeEntry, wanting } from '../catalog/crawl-entry.ts';
import { markDeleted } from '../catalog/deletion.ts';
import { readSeeds } from '../crawl/job/seeds.ts';
import type { JobGate } from '../admission/admit-job.ts';
import { jobOfRun } from './job-of-run.ts';
import { otherName } from './new-run.ts';
import type { RunLook, ScheduledRuns, StartAnswer } from './runs.ts';
import type { ScheduleDoc, StartingRun } from './schedule-doc.ts';

export interface CatalogRunsOptions {
  catalog: Pick<Catalog, 'create' | 'get' | 'find' | 'change'>;
  clock: DatedClock;
  durability: Durability;
  /** Where seed files are looked for. */
  baseFolder: string;
  jobs: Pick<JobGate, 'admit'>;
  /** Throws where the team of a crawl may have no more of them open now. */
  mayOpen(crawl: { name: string; job: unknown }): Promise<void>;
  /** A crawl is entered before its folder is made. */
  unbegun: boolean;
  /** What the frontier says of a crawl; undefined where it does not know it yet. */
  stateOf(crawl: CrawlId): Promise<CrawlState | undefined>;
  /** Works on the crawl in this process, if it does not already. */
  open(entry: CatalogEntry): Promise<void>;
  /** It is to stop, here and elsewhere, unless somebody has resumed it since. */
  close(entry: CatalogEntry): Promise<void>;
}

/** Runs of schedules as crawls of the catalog, which holds each nonce once. */
export function createCatalogRuns(options: CatalogRunsOptions): ScheduledRuns {
  const { catalog, clock } = options;

  async function create(
    run: Pick<StartingRun, 'name' | 'nonce' | 'previous'>,
    doc: Pick<ScheduleDoc, 'schedule' | 'team' | 'powers'>,
  ): Promise<CatalogEntry & { ours: boolean }> {
    const { name } = run;
    const before = run.previous === undefined ? undefined : await catalog.find(run.previous);
    const input = await jobOfRun(doc, name, options.jobs);
    if (!(await catalog.find(name))) await options.mayOpen({ name, job: input });
    const seeds = await readSeeds(resolveJob(input), options.baseFolder);
    const { created, entry } = await catalog.create({
      id: name as CrawlId,
      name,
      nonce: run.nonce,
      createdAtMs: Math.round(clock.wall()),
      job: withoutSecrets(input),
      seeds: seeds.flatMap(({ candidates }) => candidates.slice(0, 1)),
      tags: doc.schedule.tags,
      wanted: 'running',
      durability: options.durability,
      ownCode: false,
      ...(before ? { previous: { id: before.id, nonce: before.nonce } } : {}),
      ...(options.unbegun ? { unbegun: true } : {}),
    });
    return { ...entry, ours: created || entry.nonce === run.nonce };
  }

  /** The run's crawl, if it still is in the catalog. */
  async function find({ name, nonce }: { name: string; nonce: string }): Promise<CatalogEntry | undefined> {
    const entry = await catalog.find(name);
    return entry?.nonce === nonce ? entry : undefined;
  }

  /** One that is over stays as it ended. */
  async function stop(run: { name: string; nonce: string }): Promise<void> {
    const found = await find(run);
    const entry = found && (await changeEntry(catalog, found, (now) => wanting(now, 'stopped')));
    if (entry?.wanted === 'stopped') await options.close(entry);
  }

  /** Opens it here. What nobody can open is not left in the catalog, where it would start some other day. */
  async function openOrDrop(entry: CatalogEntry): Promise<void> {
    try {
      await options.open(entry);
    } catch (error) {
      if (isStorageTrouble(error)) throw error;
      if ((await options.stateOf(entry.id)) !== undefined) return;
      await markDeleted(catalog, entry);
      throw error;
    }
  }

  return {
    async start(run, doc): Promise<StartAnswer> {
      // Nothing is stopped for a run whose job is refused.
      await jobOfRun(doc, run.name, options.jobs);
      if (run.replaces) await stop(run.replaces);
      let entry = await create(run, doc);
      if (!entry.ours) entry = await create({ ...run, name: otherName(run) }, doc);
      if (!entry.ours)
        throw new WebfarerError('usage', `another crawl is named ${run.name}`, {
          next: 'Add {TIME} to the run name of the schedule, or delete that crawl.',
        });
      if (entry.wanted === 'deleted') return { kind: 'deleted' };
      await openOrDrop(entry);
      return { kind: 'stands', name: entry.name, nonce: entry.nonce };
    },
    async look(run): Promise<RunLook> {
      const entry = await find(run);
      if (!entry) return { kind: 'over', outcome: 'deleted' };
      const { wanted } = entry;
      if (wanted === 'stopped' || wanted === 'finished' || wanted === 'limited')
        return { kind: 'over', outcome: wanted };
      const state = await options.stateOf(entry.id);
      if (state === 'finished' || state === 'limited') return { kind: 'over', outcome: state };
      if (wanted === 'paused' || state === 'paused') return { kind: 'paused' };
      // One that cannot be opened here is reported as failed by those who keep crawls open.
      await options.open(entry).catch((error: unknown) => {
        if (isStorageTrouble(error)) throw error;
      });
      return { kind: 'running' };
    },
  };
}
