import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { openSqliteFrontier, type SqliteFrontierOptions } from '@webfarer/coordinator';
import {
  type Clock,
  changedFields,
  hostOf,
  type Job,
  requireContact,
  resolveJob,
  scopeChanged,
  siteOf,
  systemClock,
  type Url,
  WebfarerError,
} from '@webfarer/protocol';
import { createFetch } from '@webfarer/worker';
import type { LocalCrawls, OpenedCrawl, OpenOptions, Resumed } from '../local-port.ts';
import { version } from '../version.ts';
import { readCookieFile } from './cookie-file.ts';
import { baseFolderOf, type Hooks } from './crawl-parts.ts';
import { lockFolder, lockNames } from './folder-lock.ts';
import { readFolder, retryFolder } from './folder-reader.ts';
import { databaseName, type Manifest, newManifest, readManifest, writeManifest } from './manifest.ts';
import { chooseSeeds } from './preflight.ts';
import { openPrevious, previousOf } from './previous-folder.ts';
import { readSeeds } from './seeds.ts';
import { startRun } from './start-run.ts';

export interface LocalOptions extends OpenOptions {
  hooks?: Hooks;
  clock?: Clock;
  /** For proofs: failpoints and negative controls of the store. */
  store?: Pick<SqliteFrontierOptions, 'failpoint' | 'unsafeOutcomesFirst'>;
}

/** Crawls that live in a folder of this machine. */
export const localCrawls: LocalCrawls = { openLocal, readFolder, retryFolder };

/** Starts a crawl in its folder, or goes on with the one that is there. The folder is the crawl. */
export async function openLocal(options: LocalOptions): Promise<OpenedCrawl> {
  const clock = options.clock ?? systemClock();
  const folder = resolve(options.folder);
  const { job } = options;
  refuseFunctions(job, options.hooks ?? {});
  const found = await readManifest(folder);
  if (!found) await refuseForeign(folder);
  const before = options.fresh ? undefined : found;
  const changed = before ? await compare(before, options) : [];

  const ca =
    job.fetch.ca === undefined ? undefined : await readCa(job.fetch.ca, baseFolderOf(options.jobPath));
  const { cookieFile } = job.fetch;
  if (!before && cookieFile !== undefined)
    await readCookieFile(resolve(baseFolderOf(options.jobPath), cookieFile), clock.now());
  const fetch = createFetch({ clock, dns: job.fetch.dns.length > 0 ? job.fetch.dns : undefined, ca });
  let lock: ReturnType<typeof lockFolder> | undefined;
  let previous: ReturnType<typeof openPrevious>;
  try {
    const seeds = await readSeeds(job, baseFolderOf(options.jobPath));
    requireContact(
      job,
      new Set(seeds.flatMap((seed) => seed.candidates.slice(0, 1)).map((url) => siteOf(hostOf(url)))),
    );
    const chosen = before
      ? (before.seeds as Url[])
      : await chooseSeeds(seeds, job, fetch, AbortSignal.timeout(30_000));
    await mkdir(folder, { recursive: true });
    lock = lockFolder(folder);
    if (options.fresh && found) await empty(folder);
    const manifest =
      before ?? (await begin(options, { folder, seeds: chosen, clock, again: found?.previous }));
    const frontier = openSqliteFrontier({ path: join(folder, databaseName), clock, ...options.store });
    const resumed = before ? await describe(before, frontier, changed, clock) : undefined;
    if (before) {
      manifest.job = options.input;
      manifest.webfarer = version;
      manifest.userAgent = options.userAgent;
    }
    previous = openPrevious(folder, manifest, clock);
    if (manifest.previous && !previous)
      resumed?.changed.push('the previous crawl is gone: no page is compared');
    const { run } = await startRun({
      manifest,
      previous,
      job,
      folder,
      clock,
      fetch,
      ca,
      frontier,
      lock,
      hooks: options.hooks ?? {},
      baseFolder: baseFolderOf(options.jobPath),
      offers: chosen.map((url, i) => ({ url, kind: seeds[i]?.kind ?? 'page' })),
      fresh: before === undefined,
    });
    return { run, seeds: chosen, ...(resumed ? { resumed } : {}) };
  } catch (error) {
    lock?.release();
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
}

async function begin(options: LocalOptions, { folder, seeds, clock, again }: Beginning): Promise<Manifest> {
  const manifest = newManifest({
    webfarer: version,
    name: options.job.name,
    job: options.input,
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
    `processes: ${processes} does not go together with ${shown}, which runs in the process that called crawl()`,
    {
      next: "Put onPage into a module that exports it and name it: scraper: './my-scraper.ts'. Or leave processes out.",
    },
  );
}

/** Limits and pace may change between sessions; another scope would leave a queue that does not fit it. */
async function compare(before: Manifest, { job, rescope, folder }: LocalOptions): Promise<string[]> {
  const old: Job = resolveJob(before.job);
  const same = JSON.stringify(old.seeds) === JSON.stringify(job.seeds);
  if (!same) {
    throw new WebfarerError('folder-foreign', `${folder} holds another crawl: ${before.name}`, {
      next: 'Use another folder with --out, or start over with --fresh.',
    });
  }
  const scope = scopeChanged(old, job);
  if (scope.length > 0 && !rescope) {
    throw new WebfarerError(
      'scope-changed',
      `the scope differs from the one this crawl was begun with: ${scope.join(', ')}`,
      {
        next: 'Add --rescope to go on with the new one (queued URLs outside it are refused), or --fresh to start over.',
      },
    );
  }
  return changedFields(old, job);
}

async function describe(
  before: Manifest,
  frontier: ReturnType<typeof openSqliteFrontier>,
  changed: string[],
  clock: Clock,
): Promise<Resumed> {
  return {
    stoppedAgoMs: Math.max(0, clock.now() - before.session.updatedAtMs),
    state: (await frontier.totals(before.id)).state,
    balance: await frontier.balance(before.id),
    changed,
  };
}

/** A folder with somebody else's files in it is never written to. */
async function refuseForeign(folder: string): Promise<void> {
  if (!existsSync(folder)) return;
  const names = await readdir(folder);
  if (names.every((name) => lockNames.test(name))) return;
  throw new WebfarerError('folder-foreign', `${folder} exists and is not a crawl folder`, {
    next: 'Choose another folder with --out.',
  });
}

async function empty(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!lockNames.test(name)) await rm(join(folder, name), { recursive: true, force: true });
  }
}

async function readCa(path: string, baseFolder: string): Promise<string> {
  return await readFile(resolve(baseFolder, path), 'utf8').catch((error: unknown) => {
    throw new WebfarerError('job-invalid', `cannot read fetch.ca: ${(error as Error).message}`);
  });
}
