import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { DatedClock, CrawlState, Job, Url } from '@webfarer/protocol';
import {
  requireHeaderValues,
  type RequestSecrets,
  scopeChanged,
  withholdSecrets,
  withoutSecrets,
} from '@webfarer/protocol/job';
import type { LinkCrawl } from '@webfarer/protocol/link';
import { createScope, isForm, type Scope } from '@webfarer/protocol/url';
import type { CatalogEntry } from '../catalog/catalog.ts';
import { type CrawlEntry, jobInCatalog } from '../catalog/crawl-entry.ts';
import type { Manifest, ManifestFile } from '../folder/manifest.ts';
import type { FrontierCrawl } from '../frontier/frontier.ts';
import { compareJobs, requireSameName } from './job/compare-jobs.ts';
import type { CrawlEdit } from './crawl.ts';
import { frontierCrawl, jobForWorkers, revisionOf, urlsPerLease } from './job/crawl-settings.ts';

export interface JobInForceOptions {
  manifest: Manifest;
  file: ManifestFile;
  job: Job;
  seeds: Url[];
  entry: CrawlEntry;
  /** The job that an input describes, with secrets that were given to this process. */
  resolve: (input: unknown) => Job;
  /** Tells the frontier what it must know of the job; answers which crawl of this id it is. */
  openCrawl: (settings: FrontierCrawl) => Promise<string>;
  clock: Pick<DatedClock, 'wall'>;
  /** Another job is in force: workers are to be told. */
  changed: (how: { isRescoped: boolean }) => void;
}

/** The job of a crawl as it is in force: for the frontier, for workers, in `crawl.json` and in the catalog. */
export interface JobInForce {
  readonly job: Job;
  readonly scope: Scope;
  /** The crawl as workers are told of it. */
  about(state: CrawlState): LinkCrawl;
  /** Changes it, for every process that works on the crawl. */
  edit(change: CrawlEdit): Promise<void>;
  /** Puts the job of the entry in force, where another process has changed it. */
  follow(entry: CatalogEntry): Promise<void>;
}

/** What was given when the crawl was opened and is written down nowhere: an edited job cannot have it. */
function withItsSecrets(next: Job, { store, fetch }: Job): Job {
  const credentials = [...next.fetch.credentials, ...fetch.credentials].filter(
    (mine, n, all) =>
      all.findIndex((one) => one.origin === mine.origin && isForm(one) === isForm(mine)) === n,
  );
  return { ...next, ...(store ? { store } : {}), fetch: { ...next.fetch, credentials } };
}

export async function putJobInForce(options: JobInForceOptions): Promise<JobInForce> {
  const { manifest, file, seeds, entry } = options;
  const { userAgent } = manifest;
  let { job } = options;
  let scope = createScope(job, seeds);
  /** By the nonce of the catalog, where it is kept in a store: a deleted crawl is not opened again. */
  const settingsOf = (wanted: Job, edit: number | undefined) => ({
    ...frontierCrawl(manifest.id, wanted, manifest.ownCode ?? false),
    ...(manifest.nonce === undefined ? {} : { nonce: manifest.nonce }),
    ...(edit === undefined ? {} : { edit }),
  });
  const nonce = await options.openCrawl(settingsOf(job, entry.enteredAs));
  let named: { name: string; secrets: RequestSecrets | undefined } = { name: '', secrets: undefined };
  let told = toldOf(job);
  /** The version of the entry that the job is from. */
  let since = entry.enteredAs ?? 0;

  /**
   * The names of the job and of its secrets. A digest of the secrets would let a worker that was not given them try out
   * passwords, so their name is random, and the digest that names the job leaves them out.
   */
  function toldOf(wanted: Job): Pick<LinkCrawl, 'revision' | 'secrets' | 'job'> {
    const whole = jobForWorkers(wanted);
    const { job: open, secrets } = withholdSecrets(whole);
    const revision = revisionOf({ nonce, job: open, seeds, userAgent });
    if (!isDeepStrictEqual(secrets, named.secrets)) named = { name: randomUUID(), secrets };
    return { revision, job: whole, ...(secrets ? { secrets: named.name } : {}) };
  }

  function checked(input: unknown, how: { rescope: boolean; mayForget?: boolean }): Job {
    const next = withItsSecrets(options.resolve(input), job);
    requireHeaderValues(next);
    requireSameName(job, next);
    compareJobs(job, next, { ...how, where: `${file.folder} holds another crawl: ${manifest.name}` });
    return next;
  }

  async function change(next: Job, input: unknown, edit: number | undefined): Promise<void> {
    since = edit ?? since;
    await options.openCrawl(settingsOf(next, edit));
    const isRescoped = scopeChanged(job, next).length > 0;
    job = next;
    scope = createScope(job, seeds);
    manifest.job = withoutSecrets(input);
    told = toldOf(job);
    await file.write();
    entry.sawJob({ job: jobInCatalog(input) });
    options.changed({ isRescoped });
  }

  /** One at a time: what is in force afterwards is what was written down last. */
  let changing: Promise<unknown> = Promise.resolve();
  async function inTurn(work: () => Promise<void>): Promise<void> {
    const mine = changing.then(work);
    changing = mine.catch(() => undefined);
    await mine;
  }

  return {
    get job() {
      return job;
    },
    get scope() {
      return scope;
    },
    about: (state) => ({
      id: manifest.id,
      nonce: manifest.nonce ?? manifest.id,
      ...told,
      seeds,
      userAgent,
      urlsPerHost: urlsPerLease(job),
      state,
    }),
    edit: ({ input, rescope = false, by = 'coordinator', version }) =>
      inTurn(async () => {
        const next = checked(input, { rescope });
        const isRescoped = scopeChanged(job, next).length > 0;
        // Once it is in the catalog it is made, here or by whoever takes the crawl up.
        const atMs = Math.round(options.clock.wall());
        const edit = await entry.keepJob({ input, atMs, by, isRescoped, version });
        await change(next, input, edit);
      }),
    follow: (latest) =>
      inTurn(async () => {
        // What was read before the last edit is no news.
        if (latest.version < since || !entry.isNewJob(latest)) return;
        await change(checked(latest.job, { rescope: true, mayForget: true }), latest.job, latest.version);
      }),
  };
}
