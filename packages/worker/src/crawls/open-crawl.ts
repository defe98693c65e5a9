import type { Metrics } from '@webfarer/protocol/metrics';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { type DatedClock, type Url, WebfarerError } from '@webfarer/protocol';
import { archivePlace, type JobIdentity } from '@webfarer/protocol/job';
import type { LinkCrawl } from '@webfarer/protocol/link';
import { safeName } from '@webfarer/protocol/crawl';
import type { WorkableCrawl } from '../context/context.ts';
import { createEgress, type Egress } from '../egress/egress.ts';
import { createNetworkWatch } from '../egress/network-watch.ts';
import type { OwnDelay } from '../egress/own-delay.ts';
import type { AddressTurns } from '../egress/turns.ts';
import type { SigningKey } from '../identity/signing-key.ts';
import type { Block } from '../shares/block-watch.ts';
import { mainThread } from '../shares/main-thread.ts';
import type { Spool } from '../link/spool.ts';
import { openStoredAnswers } from '../stored/stored-answers.ts';
import { type CaptureIndex, createCaptureIndex } from './capture-index.ts';
import { requireConsent, type WorkerConsent } from './consent.ts';
import { openSiteLogins } from '../site-login/site-logins.ts';
import type { OpenCaptureStore } from '../archive/redis/capture-store.ts';
import type { Accounts } from '../site-login/account.ts';
import { type KeptCookies, openCookies } from './cookie-file.ts';
import type { CrawlFolders } from './crawl-folders.ts';
import { createContext, type Hooks } from './crawl-context.ts';
import { signerFor } from './crawl-signer.ts';
import { type AskSecrets, createCrawlRequests } from './request-rules.ts';

export interface OpenCrawlOptions {
  /** Of the software, for the archives. */
  version: string;
  /** Which folder a crawl's bodies go to. */
  folders: CrawlFolders;
  /** Called when that folder exists, before anything is saved there. */
  prepareFolder: (folder: string, crawl: LinkCrawl) => Promise<void>;
  /** Where modules and files that a job names are looked for. */
  baseFolder: string;
  /** This worker's captures among those of others; undefined: there are no others. */
  member: string | undefined;
  /** Which of several processes that share the folder this is, counted from 1. */
  process: number | undefined;
  /** Where captures wait that a coordinator elsewhere wants. */
  spool: Spool | undefined;
  /** Whether the index of its captures is made here; not in a coordinator's folder, which has the records. */
  indexed: boolean;
  clock: DatedClock;
  metrics: Metrics;
  /** Undefined: the coordinator is of this machine, and may decide everything. */
  consent: WorkerConsent | undefined;
  /** Accounts of this machine; undefined: it has none. */
  accounts: Accounts | undefined;
  /** What shows pages here; undefined: nothing. Throws where it cannot be used. */
  browser: () => Promise<string | undefined>;
  /** A variable of this machine's environment that steps may type. */
  typedText: (name: string) => string | undefined;
  /** The server that captures go to where a job says redis; undefined: there is none. */
  captureStore: OpenCaptureStore | undefined;
  /** The key that this machine signs a job's requests with; undefined: it has none for that identity. */
  signingKey: (identity: JobIdentity) => SigningKey | undefined;
  /** Where the coordinator keeps secrets until they are needed. */
  askSecrets: AskSecrets;
  /** The user's own code, where it runs in this process. */
  hooks: (crawl: LinkCrawl) => Hooks;
  /** For how long this process was too busy to look at its sockets. */
  delay: OwnDelay;
  /** A page of the crawl has kept everything else waiting. */
  blocked: (crawl: LinkCrawl, block: Block) => void;
  /** Shared by the crawls of a worker: an address is one machine, whichever crawl asks it. */
  turns: AddressTurns;
}

/** A crawl that this worker takes part in: what the coordinator said of it, made into what fetching needs. */
export interface WorkerCrawl extends WorkableCrawl {
  about: LinkCrawl;
  fetch: Egress;
  cookies: KeptCookies | undefined;
  index: CaptureIndex | undefined;
  /** What was sent to a coordinator is on this disk no more, once its files are complete. */
  leaveSpool: () => Promise<void>;
}

/** Throws where this machine cannot work on it. */
export async function openCrawl(about: LinkCrawl, options: OpenCrawlOptions): Promise<WorkerCrawl> {
  const { id: crawl, job, seeds, userAgent } = about;
  requireConsent(about, options.consent);
  const [render] = [job.render]
    .flat()
    .map((one) => (typeof one === 'string' ? one : one.do))
    .filter((one) => one !== 'never');
  if (render !== undefined && (await options.browser()) === undefined) throw noBrowser(render);
  const signer = job.identity && signerFor(job.name, job.identity, options.signingKey);
  const { accounts, baseFolder, clock, member, spool, turns, process, version } = options;
  const logins = await openSiteLogins(job, { accounts, clock });
  const folder = await options.folders.open(about);
  await options.prepareFolder(folder, about);
  const cookies = job.fetch.cookies ? await openCookies(cookieOptions(about, folder, options)) : undefined;
  const objects = archivePlace(job, about);
  const ca = await readCa(about, baseFolder);
  const dns = job.fetch.dns.length > 0 ? job.fetch.dns : undefined;
  const fetch = createEgress({
    clock,
    dns,
    ca,
    turns,
    signer,
    delay: options.delay,
    metrics: options.metrics,
  });
  const opened: Pick<WorkerCrawl, 'about'> = { about };
  const dir = `spool/${safeName(crawl)}`;
  const requests = createCrawlRequests(() => opened.about, options.askSecrets);
  try {
    const context = await createContext({
      crawl,
      requests,
      job,
      seeds: seeds as Url[],
      userAgent,
      baseFolder,
      folder,
      version,
      clock,
      cookies: cookies?.jar,
      logins,
      stored: await openStoredAnswers(folder, objects),
      hooks: options.hooks(about),
      typedText: options.typedText,
      captureStore: options.captureStore,
      member,
      process,
      objects,
      spool: spool && { folder: spool.folder, dir, add: spool.add },
    });
    const network = createNetworkWatch({ clock, egress: fetch, allowPrivate: job.fetch.allowPrivate });
    const index = options.indexed ? createCaptureIndex(folder) : undefined;
    const { ready } = requests;
    mainThread.join(context.account, (block) => options.blocked(opened.about, block));
    const leaveSpool = async () => await spool?.completed(dir);
    return Object.assign(opened, { context, fetch, network, cookies, index, leaveSpool, ready });
  } catch (error) {
    await fetch.close();
    throw error;
  }
}

function noBrowser(render: string): WebfarerError {
  return new WebfarerError('no-browser', `render: ${render} needs a browser, and there is none here`, {
    next: 'Install Chromium or Chrome (on Debian: apt-get install chromium-headless-shell), or say render: never.',
  });
}

/** When it resolves, everything that was saved is durable and closed. */
export async function closeCrawl({ context, cookies, fetch, index, leaveSpool }: WorkerCrawl): Promise<void> {
  mainThread.leave(context.account);
  await cookies?.save().catch(() => undefined);
  await context.logins?.save().catch(() => undefined);
  // One that does not stop keeps no other from closing its files.
  const stopped = await Promise.allSettled(context.savers.map((saver) => saver.stop()));
  await leaveSpool();
  await index?.write();
  await fetch.close();
  const failed = stopped.find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
}

function cookieOptions({ job }: LinkCrawl, folder: string, { baseFolder, clock, process }: OpenCrawlOptions) {
  const source = job.fetch.cookieFile && resolve(baseFolder, job.fetch.cookieFile);
  // Of several processes the one that started them writes the file.
  const readOnly = process !== undefined;
  return { folder, nowMs: clock.wall(), readOnly, ...(source && existsSync(source) ? { source } : {}) };
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
