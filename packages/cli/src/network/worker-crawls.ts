import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Clock, type CrawlId, type Url, WebfarerError } from '@webfarer/protocol';
import type { LinkCrawl } from '@webfarer/protocol/link';
import {
  type AddressTurns,
  type CrawlContext,
  createAddressTurns,
  createFetch,
  type Egress,
  type Spool,
} from '@webfarer/worker';
import { safeName } from '../folders.ts';
import { type KeptCookies, openCookies } from '../local/cookie-file.ts';
import { createContext } from '../local/crawl-parts.ts';
import { newManifest, readManifest, writeManifest } from '@webfarer/coordinator';
import { version } from '../version.ts';
import { type CaptureIndex, createCaptureIndex } from './capture-index.ts';
import { allOver, isOver } from './crawls-over.ts';
import { requireConsent, type WorkerConsent } from './worker-consent.ts';

export interface WorkerCrawlsOptions {
  /** Which folder a crawl's bodies go to. */
  folderOf: (crawl: LinkCrawl) => string;
  /** Where modules and files that a job names are looked for. */
  baseFolder: string;
  /** This worker's captures among those of others. */
  member: string;
  /** Where captures wait that a coordinator wants. */
  spool: Spool;
  /** Whether the index of its captures is made here; not in a coordinator's folder, which has the records. */
  indexed: boolean;
  clock: Clock;
  /** Undefined: the coordinator is of this machine, and may decide everything. */
  consent?: WorkerConsent | undefined;
}

/** A crawl that this worker takes part in. */
export interface WorkerCrawl {
  about: LinkCrawl;
  folder: string;
  context: CrawlContext;
  fetch: Egress;
  cookies: KeptCookies | undefined;
  index: CaptureIndex | undefined;
}

/** The crawls a worker takes part in: what the coordinator said of each, made into what fetching needs. */
export interface WorkerCrawls {
  /** Whether some of these are other revisions of crawls that are ready here. */
  differ(crawls: readonly LinkCrawl[]): boolean;
  /**
   * Makes ready for those that are new, and anew for other revisions: nobody may work on these meanwhile. Throws where
   * this machine cannot work on one.
   */
  adopt(crawls: readonly LinkCrawl[]): Promise<void>;
  get(crawl: CrawlId): WorkerCrawl | undefined;
  all(): WorkerCrawl[];
  /** Known, and every one of them over. */
  readonly over: boolean;
  saveCookies(): Promise<void>;
  close(): Promise<void>;
}

export function createWorkerCrawls(options: WorkerCrawlsOptions): WorkerCrawls {
  const open = new Map<CrawlId, WorkerCrawl>();
  const turns = createAddressTurns();
  let told: readonly LinkCrawl[] = [];
  let adopting: Promise<void> = Promise.resolve();

  async function adoptNow(crawls: readonly LinkCrawl[]): Promise<void> {
    told = crawls;
    for (const about of crawls) {
      const known = open.get(about.id);
      if (known && isOver(about) && !isOver(known.about)) await known.index?.write();
      if (known && !isOther(about)) known.about = about;
      else if (!isOver(about)) {
        open.delete(about.id);
        if (known) await closeCrawl(known);
        open.set(about.id, await openCrawl(about, { ...options, turns }));
      }
    }
  }

  function isOther({ id, revision }: LinkCrawl): boolean {
    const known = open.get(id);
    return known !== undefined && known.about.revision !== revision;
  }

  async function saveCookies(): Promise<void> {
    for (const { cookies } of open.values()) await cookies?.save().catch(() => undefined);
  }

  return {
    differ: (crawls) => crawls.some((about) => isOther(about) && !isOver(about)),
    adopt(crawls) {
      // One after the other: two lists may come while the first is being made ready.
      adopting = adopting.catch(() => undefined).then(() => adoptNow(crawls));
      return adopting;
    },
    get: (crawl) => open.get(crawl),
    all: () => [...open.values()],
    get over() {
      return allOver(told);
    },
    saveCookies,
    async close() {
      await adopting.catch(() => undefined);
      for (const crawl of open.values()) await closeCrawl(crawl);
    },
  };
}

async function closeCrawl({ context, cookies, fetch, index }: WorkerCrawl): Promise<void> {
  await cookies?.save().catch(() => undefined);
  for (const saver of context.savers) await saver.stop();
  await index?.write();
  await fetch.close();
}

/** The folder of a crawl inside a worker's: named so that a person finds it. */
export function crawlFolderIn(folder: string, { id, job }: LinkCrawl): string {
  const name = id === job.name ? job.name : `${job.name}-${id.slice(0, 8)}`;
  return join(folder, `${safeName(name)}.crawl`);
}

async function openCrawl(
  about: LinkCrawl,
  options: WorkerCrawlsOptions & { turns: AddressTurns },
): Promise<WorkerCrawl> {
  const { id: crawl, job, seeds, userAgent } = about;
  requireConsent(about, options.consent);
  const { baseFolder, clock, member, spool, turns } = options;
  const folder = options.folderOf(about);
  await mkdir(folder, { recursive: true });
  await keepManifest(folder, about, options);
  const cookies = job.fetch.cookies ? await openCookies(cookieOptions(about, folder, options)) : undefined;
  const ca = await readCa(about, baseFolder);
  const fetch = createFetch({ clock, dns: job.fetch.dns.length > 0 ? job.fetch.dns : undefined, ca, turns });
  try {
    const context = await createContext({
      crawl,
      job,
      seeds: seeds as Url[],
      userAgent,
      baseFolder,
      folder,
      version,
      clock,
      cookies: cookies?.jar,
      hooks: {},
      member,
      spool: { folder: spool.folder, dir: `spool/${safeName(crawl)}`, add: spool.add },
    });
    const index = options.indexed ? createCaptureIndex(folder) : undefined;
    return { about, folder, context: { ...context, fetch }, fetch, cookies, index };
  } catch (error) {
    await fetch.close();
    throw error;
  }
}

/** So that the folder says what its captures are of, also when nobody remembers the coordinator. */
async function keepManifest(
  folder: string,
  { id, job, seeds, userAgent }: LinkCrawl,
  { baseFolder, clock, member }: WorkerCrawlsOptions,
): Promise<void> {
  // One that cannot be read is written again: the coordinator knows all that is in it.
  if (await readManifest(folder).catch(() => undefined)) return;
  const manifest = newManifest({
    webfarer: version,
    name: job.name,
    job: { name: job.name, seeds },
    baseFolder,
    seeds,
    userAgent,
    nowMs: clock.now(),
  });
  await writeManifest(folder, { ...manifest, id, network: { member } });
}

function cookieOptions({ job }: LinkCrawl, folder: string, { baseFolder, clock }: WorkerCrawlsOptions) {
  const source = job.fetch.cookieFile && resolve(baseFolder, job.fetch.cookieFile);
  return { folder, nowMs: clock.now(), ...(source && existsSync(source) ? { source } : {}) };
}

/** Certificate authorities are a file of this machine, under the name that the job says. */
async function readCa({ job }: LinkCrawl, baseFolder: string): Promise<string | undefined> {
  const { ca } = job.fetch;
  if (ca === undefined) return undefined;
  return await readFile(resolve(baseFolder, ca), 'utf8').catch((error: unknown) => {
    throw new WebfarerError('job-invalid', `cannot read fetch.ca: ${(error as Error).message}`, {
      next: `The job ${job.name} names it; put the file there on this machine too.`,
    });
  });
}
