import { randomUUID } from 'node:crypto';
import {
  type DatedClock,
  type CrawlId,
  type CrawlState,
  type Job,
  type Url,
  WebfarerError,
} from '@webfarer/protocol';
import {
  changedFields,
  type Durability,
  type JobIdentity,
  readableJob,
  resolveJob,
  type StoreChoice,
} from '@webfarer/protocol/job';
import { withoutUserinfo } from '@webfarer/protocol/url';
import type { Catalog, CatalogEntry } from '../../catalog/catalog.ts';
import { changeEntry, jobInCatalog } from '../../catalog/crawl-entry.ts';
import type { Manifest } from '../../folder/manifest.ts';
import type { RedisFrontier } from '../../frontier/redis/redis-frontier.ts';
import { compareJobs } from './compare-jobs.ts';
import { storedOwnCode } from './own-code.ts';

/** What the store's catalog has of a crawl, for those who join it. */
type SharedJob = Pick<CatalogEntry, 'job' | 'seeds' | 'durability' | 'ownCode'>;

/** A crawl that is in the store already. */
interface FoundCrawl {
  /** What is in force: the crawl's own settings, and of this machine what only it can say. */
  job: Job;
  seeds: Url[];
  state: CrawlState;
  /** Settings of the job here that are not in force, because others work by those of the crawl. */
  overruled: string[];
}

/** A crawl in a store, before this folder takes part in it. */
export interface SharedCrawl {
  store: NonNullable<Manifest['store']>;
  /** Undefined when the crawl is new to the store. */
  found: FoundCrawl | undefined;
  /** In a recrawl: the crawl of the store that it is compared with. */
  previous: CatalogEntry['previous'];
  /** Writes down what those who come later must know. */
  keep(about: Pick<SharedJob, 'job' | 'seeds'>): Promise<void>;
}

export interface SharedOptions {
  frontier: RedisFrontier;
  choice: StoreChoice;
  job: Job;
  rescope: boolean;
  fromCatalog: boolean;
  /** Pages are handled by a function of the user's own program. */
  ownCode: boolean;
  /** For a crawl that is new to the store. */
  tags: readonly string[];
  folder: string;
  /** This folder among those that share the crawl. */
  member: string;
  /** What crawl.json said before. */
  before: Manifest | undefined;
  clock: DatedClock;
}

/** The store a folder's crawl is kept in: as the job says, or as it was before. */
export function storeOf({
  job,
  before,
  folder,
}: Pick<SharedOptions, 'job' | 'before' | 'folder'>): StoreChoice | undefined {
  if (before && !before.store && job.store)
    throw new WebfarerError('folder-foreign', `${folder} keeps its crawl in itself, not in a store`, {
      next: 'Use another folder, or leave --store out to resume this one.',
    });
  return job.store ?? before?.store;
}

/** Looks the crawl up in the catalog of the store, and decides which settings are in force here. */
export async function joinCrawl(options: SharedOptions): Promise<SharedCrawl> {
  const { frontier, choice, job, rescope, ownCode, folder, before, clock, member } = options;
  const crawl = job.name as CrawlId;
  const { catalog } = frontier;
  const entry = await catalog.find(job.name);
  if (before?.store) refuseOther(before, job.name, { folder, isThere: entry !== undefined });
  const state = entry && (await frontier.state(crawl).catch(notThere));
  const { durability, insecure, backlog } = choice;
  const newcomer = { job, rescope, durability, ownCode };
  return {
    store: {
      url: withoutUserinfo(choice.url),
      durability,
      insecure,
      member,
      ...(backlog === undefined ? {} : { backlog }),
    },
    found: entry && join(entry, state ?? 'running', newcomer),
    previous: entry?.previous,
    async keep({ job: input, seeds }) {
      const about = { job: jobInCatalog(input), seeds, durability, ownCode };
      if (entry) {
        if (!options.fromCatalog && (rescope || state !== 'running')) await replace(catalog, entry, about);
        return;
      }
      const added = await catalog.create({
        ...about,
        id: crawl,
        name: job.name,
        nonce: randomUUID(),
        createdAtMs: Math.round(clock.wall()),
        tags: [...options.tags],
        wanted: 'running',
      });
      // Another process may have created it in the meantime.
      join(added.entry, 'running', newcomer);
    },
  };
}

/** The last writer wins; where it would change nothing, nobody is told of a change. */
async function replace(catalog: Catalog, entry: CatalogEntry, about: SharedJob): Promise<void> {
  await changeEntry(catalog, entry, ({ job, seeds, durability, ownCode }) =>
    JSON.stringify({ job, seeds, durability, ownCode }) === JSON.stringify(about) ? undefined : about,
  );
}

/** A folder takes part in one crawl; in an empty store it would begin anew and nobody would notice. */
function refuseOther(
  before: Manifest,
  name: string,
  { folder, isThere }: { folder: string; isThere: boolean },
): void {
  if (before.id === name && isThere) return;
  const why =
    before.id === name
      ? `the store has no crawl named ${name}, which ${folder} takes part in`
      : `${folder} takes part in another crawl: ${before.id}`;
  throw new WebfarerError('folder-foreign', why, {
    next: 'Check that this is the right store and job. To start over, use another folder.',
  });
}

/** Written down, but its beginner died before the frontier knew of it. */
function notThere(error: unknown): undefined {
  if (error instanceof WebfarerError && error.code === 'not-found') return undefined;
  throw error;
}

/**
 * While a crawl runs, its settings are those it was begun with, whoever joins: others work by them. At rest, or with
 * --rescope, those of the newcomer apply, as on one machine.
 */
function join(
  about: SharedJob,
  state: CrawlState,
  {
    job,
    rescope,
    durability,
    ownCode,
  }: { job: Job; rescope: boolean; durability: Durability; ownCode: boolean },
): FoundCrawl {
  if (about.ownCode && !ownCode) throw storedOwnCode(job.name);
  // At rest a job may take the place of one that this version refuses.
  const where = `the store holds another crawl named ${job.name}`;
  compareJobs(readableJob(about.job), job, { rescope, where });
  const seeds = about.seeds as Url[];
  if (rescope || state !== 'running') return { job, seeds, state, overruled: [] };
  if (durability !== about.durability)
    throw new WebfarerError(
      'scope-changed',
      `this crawl runs elsewhere with durability: ${about.durability}`,
      {
        next: `Join with --durability ${about.durability}, or change it for all with --rescope and restart the others.`,
      },
    );
  const inForce = onThisMachine(resolveJob(about.job), job);
  return { job: inForce, seeds, state, overruled: changedFields(inForce, job) };
}

/** What a machine decides for itself: how it reaches the web, what it keeps, how much it does at once. */
function onThisMachine(theirs: Job, own: Job): Job {
  const { dns, allowPrivate, proxy, ca, cookies, cookieFile, credentials } = own.fetch;
  const { ca: _ca, cookieFile: _cookieFile, ...fetch } = theirs.fetch;
  const { store, processes, save, mirror, thresholds } = own;
  const { mirror: _mirror, identity, ...shared } = theirs;
  return {
    ...shared,
    ...(identity ? { identity: ownKeyFor(identity, own.identity) } : {}),
    save,
    ...(mirror ? { mirror } : {}),
    thresholds,
    processes,
    ...(store ? { store } : {}),
    limits: { ...theirs.limits, minFreeBytes: own.limits.minFreeBytes },
    politeness: { ...theirs.politeness, connections: own.politeness.connections },
    fetch: {
      ...fetch,
      dns,
      allowPrivate,
      proxy,
      credentials,
      cookies,
      ...(ca === undefined ? {} : { ca }),
      ...(cookieFile === undefined ? {} : { cookieFile }),
    },
  };
}

/** Who the crawl says it is holds for all; where the key lies is a matter of each machine. */
function ownKeyFor({ directory, hosts }: JobIdentity, own: Job['identity']): JobIdentity {
  return { directory, hosts, ...(own?.keyFile === undefined ? {} : { keyFile: own.keyFile }) };
}
