import { existsSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import {
  compareJobs,
  coordinatorFiles,
  damagedFolder,
  databaseName,
  type EventBus,
  type FolderFrontier,
  keepPassword,
  lockFolder,
  lockNames,
  makeOwnFolder,
  type HostLedger,
  type Manifest,
  newManifest,
  openPrevious,
  openSharedLedger,
  openSqliteFrontier,
  previousOf,
  readFolder,
  readManifest,
  readSeeds,
  refuseFile,
  retryFolder,
  type SqliteFrontierOptions,
  writeManifest,
} from '@webfarer/coordinator';
import { type Clock, type CrawlId, type Job, systemClock, type Url, WebfarerError } from '@webfarer/protocol';
import {
  changedFields,
  requireContact,
  resolveJob,
  userAgentFor,
  withoutSecrets,
} from '@webfarer/protocol/job';
import { hostOf, siteOf } from '@webfarer/protocol/url';
import { isTemporaryName } from '@webfarer/protocol/node';
import { createEgress, type Hooks, loadScraper, readCookieFile } from '@webfarer/worker';
import type { LocalCrawls, OpenedCrawl, OpenOptions, Resumed } from '../local-port.ts';
import { needsOwnCode } from '../own-code.ts';
import { version } from '../version.ts';
import { baseFolderOf } from './crawl-parts.ts';
import { chooseSeeds } from './preflight.ts';
import { openShared, type SharedCrawl, type SharedOptions, storeOf } from './shared-crawl.ts';
import { type StartOptions, startRun } from './start-run.ts';
import { givenStoreFor, isGivenStore, withGivenSecrets } from '../given-secrets.ts';

export interface LocalOptions extends OpenOptions {
  hooks?: Hooks;
  clock?: Clock;
  /** A crawl that workers on other machines fetch for: who this folder is among them, and who stands for them here. */
  network?: { member: string; crew: NonNullable<StartOptions['crew']>; events: EventBus };
  /** For proofs: failpoints and negative controls of the store. */
  store?: Pick<SqliteFrontierOptions, 'failpoint' | 'unsafeOutcomesFirst'>;
  /** The same for results of a crawl in a store that are written to files. */
  drain?: SharedOptions['drain'];
}

/** Many workers report to one file: what they report within this time shares a transaction. */
const GATHER_MS = 40;

/** Crawls that live in a folder of this machine. */
export const localCrawls: LocalCrawls = { openLocal, readFolder, retryFolder };

/** Starts a crawl in its folder, or goes on with the one that is there. The folder is the crawl. */
export async function openLocal(opened: LocalOptions): Promise<OpenedCrawl> {
  const options = { ...opened, job: withGivenSecrets(opened.job) };
  const clock = options.clock ?? systemClock();
  const folder = resolve(options.folder);
  refuseFunctions(options.job, options.hooks ?? {});
  await refuseFile(folder);
  const found = await readManifest(folder);
  if (!found) await refuseForeign(folder);
  const before = options.fresh ? undefined : found;
  if (before?.ownCode && !options.hooks?.onPage) throw needsOwnCode(folder);
  const changed = before ? compare(before, options) : [];
  const store = storeOf({ job: options.job, before: found, folder });
  if (store) refuseStartingOver(options);
  const shared =
    store &&
    (await openShared(store, {
      ...options,
      folder,
      before,
      clock,
      rescope: options.rescope ?? false,
      ownCode: options.hooks?.onPage !== undefined,
      member: options.network?.member,
    }));
  try {
    return await openWith(
      { ...options, ...inForce(options, shared) },
      { clock, folder, found, before, changed, shared },
    );
  } catch (error) {
    await shared?.joined.frontier.close();
    throw error;
  }
}

interface Opening {
  clock: Clock;
  folder: string;
  found: Manifest | undefined;
  /** The crawl that is gone on with. */
  before: Manifest | undefined;
  changed: string[];
  shared: SharedCrawl | undefined;
}

async function openWith(options: LocalOptions, opening: Opening): Promise<OpenedCrawl> {
  const { clock, folder, found, before, changed, shared } = opening;
  const workersBefore = before ? resolveJob(before.job).processes : 1;
  const { job } = options;
  const ca =
    job.fetch.ca === undefined ? undefined : await readCa(job.fetch.ca, baseFolderOf(options.jobPath));
  const { cookieFile } = job.fetch;
  if (!before && cookieFile !== undefined)
    await readCookieFile(resolve(baseFolderOf(options.jobPath), cookieFile), clock.now());
  const fetch = createEgress({ clock, dns: job.fetch.dns.length > 0 ? job.fetch.dns : undefined, ca });
  let lock: ReturnType<typeof lockFolder> | undefined;
  let ledger: HostLedger | undefined;
  let previous: Awaited<ReturnType<typeof openPrevious>>;
  try {
    const seeds = await readSeeds(job, baseFolderOf(options.jobPath));
    requireContact(
      job,
      new Set(seeds.flatMap((seed) => seed.candidates.slice(0, 1)).map((url) => siteOf(hostOf(url)))),
    );
    const chosen =
      shared?.found?.seeds ??
      (before?.seeds as Url[] | undefined) ??
      (await chooseSeeds(seeds, job, {
        fetch,
        clock,
        signal: AbortSignal.timeout(30_000),
        mustReach: !options.network && job.fetch.proxy.every(({ use }) => use === 'direct'),
      }));
    // A module with a mistake in it must not leave a folder behind. Workers elsewhere have modules of their own.
    if (!options.hooks?.onPage && !options.network)
      await loadScraper(job.scraper, baseFolderOf(options.jobPath));
    await makeOwnFolder(folder);
    lock = lockFolder(folder);
    if (options.fresh && found) await empty(folder);
    if (before) refuseWithoutDatabase(folder, before);
    const manifest =
      before ?? (await begin(options, { folder, seeds: chosen, clock, again: found?.previous, shared }));
    if (job.store && !isGivenStore(job.store.url)) await keepPassword(folder, job.store);
    await shared?.keep({ job: options.input, seeds: chosen });
    const hosts = !shared && options.ledger !== undefined ? openSharedLedger(options.ledger) : undefined;
    ledger = hosts && 'ledger' in hosts ? hosts.ledger : undefined;
    const frontier =
      shared?.joined.frontier ??
      openSqliteFrontier({
        path: join(folder, databaseName),
        clock,
        gatherMs: options.network ? GATHER_MS : 0,
        ...(ledger ? { ledger } : {}),
        ...options.store,
      });
    const resumed = await describe({ before, shared, frontier, changed, clock });
    if (before) {
      manifest.job = withoutSecrets(options.input);
      if (shared) manifest.store = shared.store;
      manifest.webfarer = version;
      manifest.userAgent = options.userAgent;
    }
    if (options.hooks?.onPage) manifest.ownCode = true;
    // On disk before a worker is given a lease: the next process must not take its leases for abandoned.
    if (options.network) manifest.network ??= { member: options.network.member };
    await writeManifest(folder, manifest);
    previous = await openPrevious(folder, manifest, { clock, given: givenStoreFor });
    if (manifest.previous && !previous)
      resumed?.changed.push('the previous crawl is missing, so no page is compared');
    const { run } = await startRun({
      manifest,
      previous,
      job,
      folder,
      clock,
      fetch,
      ca,
      frontier,
      shared: shared?.joined,
      workersBefore,
      lock,
      ledger,
      hooks: options.hooks ?? {},
      baseFolder: baseFolderOf(options.jobPath),
      offers: chosen.map((url, i) => ({ url, kind: seeds[i]?.kind ?? 'page' })),
      fresh: before === undefined,
      events: options.network?.events,
      ...(options.network ? { crew: options.network.crew } : {}),
    });
    return {
      run,
      seeds: chosen,
      ...(resumed ? { resumed } : {}),
      ...(shared ? { store: { promise: shared.joined.promise, warnings: shared.joined.warnings } } : {}),
      ...(hosts && 'warning' in hosts ? { warnings: [hosts.warning] } : {}),
    };
  } catch (error) {
    lock?.release();
    ledger?.close();
    await previous?.close();
    await fetch.close();
    throw error;
  }
}

interface Beginning {
  folder: string;
  seeds: Url[];
  clock: Clock;
  /** A recrawl that starts over is still compared with the same crawl. */
  again: Manifest['previous'];
  shared: SharedCrawl | undefined;
}

/** While others work on a crawl, what they agreed on is in force here too. */
function inForce(
  options: LocalOptions,
  shared: SharedCrawl | undefined,
): Pick<LocalOptions, 'job' | 'userAgent'> {
  const job = shared?.found?.job ?? options.job;
  return job === options.job ? options : { job, userAgent: userAgentFor(job, version) };
}

/** A crawl that others may be working on is not thrown away, and its parts are in several folders. */
function refuseStartingOver({ fresh, previous, job }: LocalOptions): void {
  if (!fresh && previous === undefined) return;
  throw new WebfarerError(
    'usage',
    `${fresh ? '--fresh' : '--recrawl'} cannot be used for a crawl in a store`,
    {
      next: `Give the new crawl another name than ${job.name} (name: in the job file, or --name). Or erase this one first:  webfarer store forget ${job.name} --store URL`,
    },
  );
}

async function begin(
  options: LocalOptions,
  { folder, seeds, clock, again, shared }: Beginning,
): Promise<Manifest> {
  const manifest = newManifest({
    webfarer: version,
    name: options.job.name,
    job: withoutSecrets(options.input),
    ...(shared ? { store: shared.store } : {}),
    baseFolder: baseFolderOf(options.jobPath),
    seeds,
    userAgent: options.userAgent,
    nowMs: clock.now(),
  });
  const previous = options.previous === undefined ? again : await previousOf(folder, options.previous);
  if (previous) manifest.previous = previous;
  await writeManifest(folder, manifest);
  return manifest;
}

/** Functions cannot be sent to another process; a module can be loaded by each. */
function refuseFunctions({ processes }: Job, hooks: Hooks): void {
  const [name] = Object.keys(hooks);
  if (processes === 1 || name === undefined) return;
  const shown = name === 'checkItem' ? 'items' : name;
  throw new WebfarerError(
    'usage',
    `processes: ${processes} cannot be combined with ${shown}, which runs in the process that called crawl()`,
    {
      next: "Put onPage into a module that exports it and name it: scraper: './my-scraper.ts'. Or leave processes out.",
    },
  );
}

function compare(before: Manifest, { job, rescope = false, folder }: LocalOptions): string[] {
  const old: Job = resolveJob(before.job);
  compareJobs(old, job, { rescope, where: `${folder} holds another crawl: ${before.name}` });
  return changedFields(old, job).filter((field) => !field.startsWith('store'));
}

interface Described extends Pick<Opening, 'before' | 'shared' | 'changed' | 'clock'> {
  frontier: FolderFrontier;
}

/** What a crawl is that was begun before, here or elsewhere. */
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
    stoppedAgoMs: Math.max(0, clock.now() - (before?.session.updatedAtMs ?? clock.now())),
    state,
    balance: await frontier.balance(id),
    changed: shared?.found ? [] : changed,
    ...(shared?.found ? { shared: { overruled: shared.found.overruled } } : {}),
  };
}

/** A folder with somebody else's files in it is never written to. */
async function refuseForeign(folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  const names = await readdir(folder);
  if (names.every((name) => lockNames.test(name) || coordinatorFiles.has(name) || isTemporaryName(name)))
    return;
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
    if (!lockNames.test(name) && !coordinatorFiles.has(name))
      await rm(join(folder, name), { recursive: true, force: true });
  }
}

async function readCa(path: string, baseFolder: string): Promise<string> {
  return await readFile(resolve(baseFolder, path), 'utf8').catch((error: unknown) => {
    throw new WebfarerError('job-invalid', `cannot read fetch.ca: ${(error as Error).message}`);
  });
}
