import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Balance,
  type DatedClock,
  type CrawlId,
  type CrawlState,
  type Job,
  type Url,
  WebfarerError,
} from '@webfarer/protocol';
import { rebuiltAnswersName } from '@webfarer/protocol/crawl';
import {
  changedFields,
  readableJob,
  requireContact,
  requireHeaderValues,
  resolveJob,
  userAgentFor,
  withoutSecrets,
} from '@webfarer/protocol/job';
import { isTemporaryName } from '@webfarer/protocol/node';
import { hostOf, siteOf } from '@webfarer/protocol/url';
import { type FolderLock, lockFolder, lockNames } from '../folder/folder-lock.ts';
import {
  databaseName,
  isCoordinatorFile,
  type Manifest,
  newManifest,
  readManifest,
  writeManifest,
} from '../folder/manifest.ts';
import type { FolderFrontier } from '../folder/open-frontier.ts';
import { makeOwnFolder, refuseFile } from '../folder/own-folder.ts';
import {
  openPrevious,
  openStoredPrevious,
  type PreviousFolder,
  previousOf,
  storedPreviousOf,
} from '../folder/previous-folder.ts';
import type { GivenStore } from '../folder/store-password.ts';
import { damagedFolder } from '../sqlite/storage-error.ts';
import { onlyCrawl } from '../frontier/redis/only-crawl.ts';
import type { RedisFrontier } from '../frontier/redis/redis-frontier.ts';
import { compareJobs } from './job/compare-jobs.ts';
import { needsOwnCode } from './job/own-code.ts';
import { readSeeds, type Seed, sharedText } from './job/seeds.ts';
import { joinCrawl, type SharedCrawl, storeOf } from './job/shared-job.ts';

/** A crawl as a caller describes it. */
export interface CrawlSpec {
  /** The job as a person writes it; kept in crawl.json without its secrets. */
  input: unknown;
  /** The same resolved, with secrets that are not to be written down. */
  job?: Job;
  /** Where modules and seed files are looked for. */
  baseFolder: string;
  userAgent?: string;
  /** Throw away what the folder holds and start over. */
  fresh?: boolean;
  /** Accept a scope that differs from the one the crawl was begun with. */
  rescope?: boolean;
  /** The job is the one that the catalog had: what the catalog has now is left as it is, because it may have been edited. */
  fromCatalog?: boolean;
  /** For a new folder: the crawl whose pages are only asked for if they changed. */
  previous?: string;
  /** Pages are handled by a function of the user's own program. */
  ownCode?: boolean;
  /** Which crawl a folder must hold that holds any. */
  holds?: CrawlId;
  /** Of a crawl that is in the catalog already. */
  identity?: { id: CrawlId; nonce: string };
  /** For a new crawl: what it is listed by. */
  tags?: readonly string[];
}

/** What a crawl needs of those who host it and that a coordinator cannot do: contact the web, write reports. */
export interface CrawlOutside {
  /** Decides between https and http for seeds without a scheme. */
  chooseSeeds(seeds: Seed[], job: Job): Promise<Url[]>;
  /** Throws where the job cannot be worked on here. Called before anything is written. */
  check(job: Job): Promise<void>;
  /** The folder is ready for what only its user may read. */
  prepared(folder: string): Promise<void>;
}

export interface OpenCrawlOptions extends CrawlSpec {
  folder: string;
  /** Of the software. */
  version: string;
  clock: DatedClock;
  /** The store of the coordinator, where the crawl is kept in one. */
  store: { frontier: RedisFrontier; member: string } | undefined;
  /** Workers on other machines take part: this folder among those that have captures of the crawl. */
  network: string | undefined;
  /** Opens the database of a crawl that is kept in its folder. */
  openDatabase: (path: string) => FolderFrontier;
  given: GivenStore | undefined;
  outside: CrawlOutside;
}

/** What a crawl was that was begun before, here or elsewhere. */
export interface Resumed {
  stoppedAgoMs: number;
  state: CrawlState;
  balance: Balance;
  /** Settings that differ from the last time and are applied, in words. */
  changed: string[];
  /** Others may be working on it. `overruled`: settings of the job here that are not in force. */
  shared?: { overruled: string[] };
}

/** A crawl that is ready to run. */
export interface OpenedCrawl {
  manifest: Manifest;
  job: Job;
  frontier: FolderFrontier;
  shared: SharedCrawl | undefined;
  lock: FolderLock;
  previous: PreviousFolder | undefined;
  offers: { url: Url; kind: Seed['kind'] }[];
  resumed: Resumed | undefined;
  /** Worker processes of this folder in its last session. */
  workersBefore: number;
}

/** Others of its id, before or after it, are not reached. */
function thisCrawl(frontier: RedisFrontier, { id, nonce }: Manifest): RedisFrontier {
  return nonce === undefined ? frontier : onlyCrawl(frontier, { id, nonce });
}

/** Makes the folder of a crawl ready, or takes up the crawl that is there. */
export async function openCrawl(given: OpenCrawlOptions): Promise<OpenedCrawl> {
  const { folder, clock, version } = given;
  const asked = given.job ?? resolveJob(given.input);
  requireHeaderValues(asked);
  await refuseFile(folder);
  const found = await readManifest(folder);
  if (!found) await refuseForeign(folder);
  else if (given.holds !== undefined && found.id !== given.holds) throw holdsAnother(folder, found);
  const before = given.fresh ? undefined : found;
  const workersBefore = before ? readableJob(before.job).processes : 1;
  if (before?.ownCode && !given.ownCode) throw needsOwnCode(folder);
  const changed = before ? compare(before, asked, given) : [];
  const choice = storeOf({ job: asked, before: found, folder });
  if (choice) refuseStartingOver(given, asked);
  if (choice && !given.store) throw new Error('the coordinator has not joined the store of the crawl');
  const shared =
    choice && given.store
      ? await joinCrawl({
          frontier: given.store.frontier,
          // Captures of this folder are known by the name it had before.
          member: before?.store?.member ?? given.store.member,
          choice,
          job: asked,
          folder,
          before,
          clock,
          rescope: given.rescope ?? false,
          fromCatalog: given.fromCatalog ?? false,
          ownCode: given.ownCode ?? false,
          tags: given.tags ?? [],
        })
      : undefined;
  // While others work on a crawl, what they agreed on is in force here too.
  const job = shared?.found?.job ?? asked;
  const userAgent = (job === asked ? given.userAgent : undefined) ?? userAgentFor(job, version);
  const seeds = await readSeeds(job, given.baseFolder);
  requireContact(
    job,
    new Set(seeds.flatMap((seed) => seed.candidates.slice(0, 1)).map((url) => siteOf(hostOf(url)))),
  );
  const chosen = sharedText(
    shared?.found?.seeds ??
      (before?.seeds as Url[] | undefined) ??
      (await given.outside.chooseSeeds(seeds, job)),
    seeds,
  );
  await given.outside.check(job);
  await makeOwnFolder(folder);
  const lock = lockFolder(folder);
  let frontier: FolderFrontier | undefined;
  try {
    if (given.fresh && found) await empty(folder);
    if (before) refuseWithoutDatabase(folder, before);
    const manifest =
      before ?? (await begin(given, { job, userAgent, seeds: chosen, again: found?.previous, shared }));
    await given.outside.prepared(folder);
    await shared?.keep({ job: given.input, seeds: chosen });
    frontier =
      given.store && shared
        ? thisCrawl(given.store.frontier, manifest)
        : given.openDatabase(join(folder, databaseName));
    const resumed = await describe({ before, shared, frontier, changed, clock });
    if (before) {
      if (!shared?.found) manifest.seeds = chosen;
      manifest.job = withoutSecrets(given.input);
      if (shared) manifest.store = shared.store;
      manifest.webfarer = version;
      manifest.userAgent = userAgent;
    }
    if (given.ownCode) manifest.ownCode = true;
    // On disk before a worker is granted a lease: the next process must not take its leases for abandoned.
    if (given.network !== undefined) manifest.network ??= { member: given.network };
    await writeManifest(folder, manifest);
    const previous =
      given.store && shared
        ? shared.previous &&
          (await openStoredPrevious(given.store.frontier, shared.previous, { job, written: manifest.job }))
        : await openPrevious(folder, manifest, { clock, given: given.given, job });
    if (manifest.previous && !previous)
      resumed?.changed.push('the previous crawl is missing, so no page is compared');
    else if (previous && previous.absent > 0)
      resumed?.changed.push(
        `${previous.absent} results of the previous crawl are on another machine, so their pages are not compared`,
      );
    return {
      manifest,
      job,
      frontier,
      shared,
      lock,
      previous,
      offers: chosen.map((url, i) => ({ url, kind: seeds[i]?.kind ?? 'page' })),
      resumed,
      workersBefore,
    };
  } catch (error) {
    if (!shared) await frontier?.close();
    lock.release();
    throw error;
  }
}

function holdsAnother(folder: string, { name, id }: Manifest): WebfarerError {
  return new WebfarerError('folder-foreign', `${folder} holds another crawl: ${name} (${id})`, {
    next: 'Move that folder away, or give this crawl another name.',
  });
}

interface Beginning {
  job: Job;
  userAgent: string;
  seeds: Url[];
  /** A recrawl that starts over is still compared with the same crawl. */
  again: Manifest['previous'];
  shared: SharedCrawl | undefined;
}

async function begin(
  { folder, version, input, baseFolder, clock, previous: than, identity }: OpenCrawlOptions,
  { job, userAgent, seeds, again, shared }: Beginning,
): Promise<Manifest> {
  const manifest = newManifest({
    webfarer: version,
    name: job.name,
    job: withoutSecrets(input),
    ...(shared ? { store: shared.store } : {}),
    baseFolder,
    seeds,
    userAgent,
    nowMs: clock.wall(),
    ...identity,
  });
  const previous = shared?.previous
    ? storedPreviousOf(folder, shared.previous)
    : than === undefined
      ? again
      : await previousOf(folder, than);
  if (previous) manifest.previous = previous;
  await writeManifest(folder, manifest);
  return manifest;
}

/** A crawl that others may be working on is not thrown away, and its parts are in several folders. */
function refuseStartingOver({ fresh, previous }: OpenCrawlOptions, { name }: Job): void {
  if (!fresh && previous === undefined) return;
  throw new WebfarerError(
    'usage',
    `${fresh ? '--fresh' : '--recrawl'} cannot be used for a crawl in a store`,
    {
      next: `Give the new crawl another name than ${name} (name: in the job file, or --name). Or erase this one first:  webfarer store forget ${name} --store URL`,
    },
  );
}

function compare(
  before: Manifest,
  job: Job,
  { rescope = false, folder, fromCatalog }: OpenCrawlOptions,
): string[] {
  // It may have been edited since, because this version refuses what it was begun with.
  const old = readableJob(before.job);
  const where = `${folder} holds another crawl: ${before.name}`;
  compareJobs(old, job, { rescope, where, mayForget: fromCatalog ?? false });
  return changedFields(old, job).filter((field) => !field.startsWith('store'));
}

interface Described {
  before: Manifest | undefined;
  shared: SharedCrawl | undefined;
  frontier: FolderFrontier;
  changed: string[];
  clock: DatedClock;
}

async function describe({
  before,
  shared,
  frontier,
  changed,
  clock,
}: Described): Promise<Resumed | undefined> {
  if (!before && !shared?.found) return undefined;
  const id = before?.id ?? (shared?.found?.job.name as CrawlId);
  const state = await frontier.state(id).catch(() => undefined);
  if (state === undefined) return undefined;
  return {
    stoppedAgoMs: Math.max(0, clock.wall() - (before?.session.updatedAtMs ?? clock.wall())),
    state,
    balance: await frontier.balance(id),
    changed: shared?.found ? [] : changed,
    ...(shared?.found ? { shared: { overruled: shared.found.overruled } } : {}),
  };
}

/** A folder with other files in it is never written to, unless `rebuild` put an archive there for a crawl to continue. */
async function refuseForeign(folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  const names = await readdir(folder);
  if (names.includes(rebuiltAnswersName)) return;
  if (names.every((name) => lockNames.test(name) || isCoordinatorFile(name) || isTemporaryName(name))) return;
  throw new WebfarerError('folder-foreign', `${folder} exists and is not a crawl folder`, {
    next: 'Choose another folder.',
  });
}

/** Begun anew without a word, the crawl would fetch everything again. */
function refuseWithoutDatabase(folder: string, { store, session }: Manifest): void {
  if (store || session.balance === undefined || existsSync(join(folder, databaseName))) return;
  throw damagedFolder(folder, 'crawl.db is missing');
}

async function empty(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!lockNames.test(name) && !isCoordinatorFile(name))
      await rm(join(folder, name), { recursive: true, force: true });
  }
}
