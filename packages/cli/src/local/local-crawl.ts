import { randomUUID } from 'node:crypto';
import { dirname, resolve } from 'node:path';
import {
  type Coordinator,
  type CoordinatorOptions,
  type CreatedCrawl,
  type CrawlHost,
  headless,
  keepPassword,
  memberOf,
  type HostLedger,
  openCoordinator,
  openSharedLedger,
  readManifest,
  refuseFile,
  type SharedLedger,
  type SqliteFrontierOptions,
  storeOf,
} from '@webfarer/coordinator';
import { type DatedClock, type Job, systemClock, WebfarerError } from '@webfarer/protocol';
import {
  archivePlace,
  readableJob,
  resolveJob,
  type StoreChoice,
  typedPlaces,
  withReach,
} from '@webfarer/protocol/job';
import { createEgress, type Hooks, loadScraper, readCookieFile, requireRender } from '@webfarer/worker';
import { givenStoreFor, isGivenStore, withGivenSecrets } from '../secrets/given-secrets.ts';
import { signerOf } from '../secrets/signing-key-of.ts';
import type { LocalCrawls, OpenedCrawl, OpenOptions } from '../crawl/local-port.ts';
import { version } from '../machine/version.ts';
import { createHandle } from './crawl-handle.ts';
import { queueFolder, readFolder, retryFolder } from './folder-reader.ts';
import { openLocalWorker } from './local-worker.ts';
import { chooseSeeds } from './preflight.ts';
import { readCa } from './read-ca.ts';
import { mirrorTo, writeAll } from './write-all.ts';

export interface LocalOptions extends OpenOptions {
  hooks?: Hooks;
  clock?: DatedClock;
  /** For proofs: failpoints and negative controls of the store. */
  store?: Pick<SqliteFrontierOptions, 'failpoint' | 'unsafeOutcomesFirst'>;
  /** The same for results of a crawl in a store that are written to files. */
  drain?: NonNullable<CoordinatorOptions['drain']>;
}

/** Crawls that live in a folder of this machine. */
export const localCrawls: LocalCrawls = { openLocal, readFolder, retryFolder, queueFolder };

/**
 * Starts a crawl in its folder, or continues the one that is there: a coordinator with one crawl and one worker, which
 * listens nowhere. The folder is the crawl.
 */
export async function openLocal(opened: LocalOptions): Promise<OpenedCrawl> {
  const options = { ...opened, job: withGivenSecrets(opened.job), hooks: opened.hooks ?? {} };
  const clock = options.clock ?? systemClock();
  const folder = resolve(options.folder);
  refuseFunctions(options.job, options.hooks);
  requireRender(options.job, options.hooks.inBrowser);
  // Before anything is written: a job that signs needs its key.
  await signerOf(options.job, baseFolderOf(options.jobPath));
  const hosts: SharedLedger | undefined =
    options.ledger === undefined ? undefined : openSharedLedger(options.ledger);
  const ledger = hosts && 'ledger' in hosts ? hosts.ledger : undefined;
  const coordinator = await coordinatorIn(folder, { ...options, clock, ledger }).catch((error: unknown) => {
    ledger?.close();
    throw error;
  });
  options.log?.attach(coordinator.events, (id) => coordinator.crawls().find((one) => one.id === id)?.name);
  try {
    const created = await createIn(
      coordinator,
      { ...options, folder, clock },
      { listens: false, intake: headless.intake },
    );
    const worker = isOver(created)
      ? undefined
      : await openLocalWorker({
          coordinator,
          crawl: created.crawl,
          baseFolder: baseFolderOf(options.jobPath),
          hooks: options.hooks,
          clock,
          member: memberOf((await readManifest(folder)) ?? {}),
          besideIntake: false,
          leavesOut: false,
          metrics: options.metrics,
          tracing: options.tracing,
        });
    const run = createHandle({
      crawl: created.crawl,
      clock,
      drop: () => worker?.drop(),
      async close() {
        await worker?.stop();
        await coordinator.stop();
        ledger?.close();
      },
    });
    const opening = openedCrawl(created, coordinator, run);
    return hosts && 'warning' in hosts ? { ...opening, warnings: [hosts.warning] } : opening;
  } catch (error) {
    await coordinator.stop({ now: true });
    ledger?.close();
    throw error;
  }
}

type Hosting = Omit<LocalOptions, 'ledger'> & { clock: DatedClock; ledger: HostLedger | undefined };

/** The coordinator of one folder, on the store that the folder's crawl is kept in. */
async function coordinatorIn(
  folder: string,
  { job, clock, store: sqlite, drain, ledger, metrics }: Hosting,
): Promise<Coordinator> {
  const { choice, member } = await storeIn(folder, job);
  return await openCoordinator({
    folder,
    version,
    clock,
    given: givenStoreFor,
    id: member ?? randomUUID().slice(0, 8),
    ...(choice ? { store: choice } : {}),
    ...(ledger ? { ledger } : {}),
    ...(sqlite ? { sqlite } : {}),
    ...(drain ? { drain } : {}),
    metrics,
  });
}

/** Where the crawl of a folder is kept if not there, and who the folder is among those that share it. */
export async function storeIn(folder: string, job: Job) {
  await refuseFile(folder);
  const before = await readManifest(folder);
  return { choice: storeOf({ job, before, folder }), member: before?.store?.member };
}

/** Creates the crawl of a folder at a coordinator, with what only this package can do for it. */
export async function createIn(
  coordinator: Coordinator,
  options: LocalOptions & { clock: DatedClock; hooks: Hooks },
  { listens, intake }: { listens: boolean } & Pick<CrawlHost, 'intake'>,
): Promise<CreatedCrawl> {
  const { job, clock, hooks } = options;
  const baseFolder = baseFolderOf(options.jobPath);
  const before = options.fresh ? undefined : await readManifest(options.folder);
  const { cookieFile } = job.fetch;
  if (!before && cookieFile !== undefined) await readCookieFile(resolve(baseFolder, cookieFile), clock.now());
  if (job.mirror) await refuseMirrorFolder(job, options.folder, baseFolder);
  const ownCode = hooks.onPage !== undefined || hooks.inBrowser !== undefined;
  const typed = listens ? { job: withReach(job, true), input: typedPlaces(options.input) } : {};
  const asked = { ...options, ...typed, baseFolder, ownCode };
  const { withoutOutputs = false } = options;
  const host = crawlHost({
    baseFolder,
    clock,
    listens,
    intake,
    withoutOutputs,
    ownCode: asked.ownCode,
    store: job.store,
  });
  return await coordinator.create(asked, host);
}

/** Said before the crawl, not at its end. */
async function refuseMirrorFolder(job: Job, folder: string, baseFolder: string): Promise<void> {
  const { mirrorPlace, refuseForeignFolder } = await import('@webfarer/worker/mirror');
  await refuseForeignFolder(mirrorPlace(folder, job, mirrorTo(job, baseFolder)));
}

export interface CrawlHostOptions extends Pick<CrawlHost, 'intake'> {
  /** Where modules and files that a job names are looked for. */
  baseFolder: string;
  clock: DatedClock;
  /** Workers elsewhere fetch for the crawl: this machine need not reach its sites. */
  listens: boolean;
  /** Pages are handled by a function of the user's own program. */
  ownCode: boolean;
  /** Where the crawl is kept if not in its folder. */
  store: StoreChoice | undefined;
  /** At the end neither a report nor tables are written. */
  withoutOutputs: boolean;
}

/** What only this package can do for a crawl: contact its seeds, check its scraper, write its outputs. */
export function crawlHost({
  baseFolder,
  clock,
  listens,
  ownCode,
  store,
  intake,
  withoutOutputs,
}: CrawlHostOptions): CrawlHost {
  /** With what this process was given for it. */
  function asGiven(resolved: Job): Job {
    const job = withGivenSecrets(resolved);
    // A job that came over the network reaches object storage at private addresses only if it says so.
    return listens ? withReach(job, false) : job;
  }

  return {
    intake,
    resolve: (input) => asGiven(resolveJob(input)),
    async chooseSeeds(seeds, inForce) {
      const { dns, proxy } = inForce.fetch;
      const ca = inForce.fetch.ca === undefined ? undefined : await readCa(inForce.fetch.ca, baseFolder);
      const fetch = createEgress({ clock, dns: dns.length > 0 ? dns : undefined, ca });
      try {
        return await chooseSeeds(seeds, inForce, {
          fetch,
          clock,
          signal: AbortSignal.timeout(30_000),
          mustReach: !listens && proxy.every(({ use }) => use === 'direct'),
        });
      } finally {
        await fetch.close();
      }
    },
    // A module with a mistake in it must not leave a folder behind. Workers elsewhere have modules of their own.
    async check(inForce) {
      archivePlace(inForce, { id: inForce.name, nonce: '' });
      if (inForce.fetch.ca !== undefined) await readCa(inForce.fetch.ca, baseFolder);
      if (ownCode || listens) return;
      requireRender(inForce, (await loadScraper(inForce.scraper, baseFolder)).inBrowser);
    },
    async prepared(folder) {
      if (store && !isGivenStore(store.url)) await keepPassword(folder, store);
    },
    async erase(parts) {
      const { eraseHost } = await import('./forget-folder.ts');
      return await eraseHost(parts, asGiven);
    },
    async objectsOf(crawl) {
      const job = asGiven(readableJob(crawl.job, ['save']));
      const { crawlObjects } = await import('../forget/crawl-objects.ts');
      return await crawlObjects({ ...crawl, job }, clock);
    },
    conclude: async ({ frontier, ...ending }) =>
      withoutOutputs
        ? {}
        : await writeAll({
            ...ending,
            results: frontier.results,
            kept: await frontier.kept?.(ending.crawl),
          }),
  };
}

/** What a caller is told of a crawl that was opened. */
export function openedCrawl(
  { crawl, resumed }: CreatedCrawl,
  { store }: Coordinator,
  run: OpenedCrawl['run'],
): OpenedCrawl {
  return { run, seeds: crawl.seeds, ...(resumed ? { resumed } : {}), ...(store ? { store } : {}) };
}

/** Finished, and nothing was put back since: no worker is needed. */
function isOver({ resumed }: CreatedCrawl): boolean {
  return resumed?.state === 'finished' && resumed.balance.queued === 0;
}

export function baseFolderOf(jobPath: string | undefined): string {
  return jobPath === undefined ? process.cwd() : dirname(resolve(jobPath));
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
