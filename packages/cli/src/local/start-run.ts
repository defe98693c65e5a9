import { join, resolve } from 'node:path';
import type { Frontier, Results } from '@webfarer/coordinator';
import { createCoordinator, createCrawlDesk, openSqliteFrontier } from '@webfarer/coordinator';
import {
  type Clock,
  type CrawlState,
  type Job,
  systemClock,
  type Url,
  type WorkerId,
} from '@webfarer/protocol';
import { createNetworkWatch, createWorker, type Egress } from '@webfarer/worker';
import type { CrawlRun, Summary } from '../crawl-run.ts';
import { type KeptCookies, openCookies } from './cookie-file.ts';
import { createContext, frontierCrawl, type Hooks } from './crawl-parts.ts';
import { createRun } from './create-run.ts';
import { explainUrl } from './explain.ts';
import type { FolderLock } from './folder-lock.ts';
import { databaseName, type Manifest, writeManifest } from './manifest.ts';
import { onlyItems, writeOutputs } from './outputs.ts';
import type { PreviousFolder } from './previous-folder.ts';
import { seedOffer } from './seeds.ts';
import { version } from '../version.ts';

export interface StartOptions {
  manifest: Manifest;
  job: Job;
  folder: string;
  baseFolder: string;
  clock: Clock;
  fetch: Egress;
  frontier: Frontier & { results: Results };
  lock: FolderLock;
  /** The crawl that this one is a recrawl of. */
  previous: PreviousFolder | undefined;
  hooks: Hooks;
  offers: { url: Url; kind: 'page' | 'sitemap' }[];
  fresh: boolean;
}

/** How often `crawl.json` says where the crawl stands, so that a crash loses little of its running time. */
const SAVE_SESSION_MS = 5_000;
const URLS_PER_LEASE = 10;
/** A host without a gap is soon through with ten: a new lease and a new connection for each would be dear. */
const URLS_PER_GAPLESS_LEASE = 50;

/** Joins coordinator and worker in memory: a network of one. */
export async function startRun(options: StartOptions): Promise<{ run: CrawlRun }> {
  const { manifest, job, folder, clock, fetch, frontier, hooks } = options;
  const crawl = manifest.id;
  const seeds = options.offers.map((offer) => offer.url);
  const cookies = await cookiesOf(options);
  const context = await createContext({
    crawl,
    job,
    seeds,
    userAgent: manifest.userAgent,
    baseFolder: options.baseFolder,
    folder,
    version,
    clock,
    cookies: cookies?.jar,
    hooks,
  });

  await frontier.openCrawl(frontierCrawl(crawl, job));
  await frontier.releaseAll();
  const desk = createCrawlDesk({
    crawl,
    name: job.name,
    frontier,
    clock,
    agentToken: context.agentToken,
    elapsedBeforeMs: manifest.session.elapsedMs,
    ...(job.limits.durationMs === undefined ? {} : { durationLimitMs: job.limits.durationMs }),
  });
  const failure = Promise.withResolvers<never>();
  // Only whoever runs the crawl hears of it; before that nobody is listening yet.
  failure.promise.catch(() => undefined);
  const failed = (error: unknown) => failure.reject(error);
  const coordinator = createCoordinator({
    frontier,
    clock,
    desks: [desk],
    ...(options.previous ? { previous: new Map([[crawl, options.previous.crawl]]) } : {}),
    failed,
    giveBack: () => worker.release(),
  });
  const network = createNetworkWatch({ clock, egress: fetch, allowPrivate: job.fetch.allowPrivate });
  const worker = createWorker({
    id: 'local' as WorkerId,
    link: coordinator.link,
    clock,
    fetch,
    network,
    context: (id) => (id === crawl ? context : undefined),
    connections: job.politeness.connections,
    urlsPerHost: job.politeness.gapMs === 0 ? URLS_PER_GAPLESS_LEASE : URLS_PER_LEASE,
    folder,
    minFreeBytes: job.limits.minFreeBytes,
    failed,
    pauseChanged: (pause) => desk.tell(pause ? { type: 'paused', pause } : { type: 'resumed' }),
  });

  const snapshot = async () => {
    const now = await desk.snapshot();
    const archive = context.savers.map((saver) => saver.written());
    const pause = worker.pause;
    // The store knows only that a held host is held; the worker knows until when.
    const waiting = [...worker.waiting(), ...now.waiting.filter(({ why }) => why !== 'held')];
    return {
      ...now,
      waiting: waiting.sort((a, b) => a.dueInMs - b.dueInMs).slice(0, 3),
      inFlight: worker.inFlight,
      archive: { files: sum(archive.map((a) => a.files)), bytes: sum(archive.map((a) => a.bytes)) },
      ...(pause ? { pause } : {}),
    };
  };

  async function saveSession(): Promise<void> {
    const limitedBy = coordinator.limitedBy(crawl);
    manifest.session = {
      state: desk.state,
      updatedAtMs: Math.round(clock.now()),
      elapsedMs: Math.round(desk.elapsedMs()),
      balance: await frontier.balance(crawl),
      ...(limitedBy ? { limitedBy } : {}),
    };
    // On a full disk the crawl itself waits; where it stood is only a convenience.
    await writeManifest(folder, manifest).catch(() => undefined);
    await cookies?.save().catch(() => undefined);
  }

  let began = false;
  async function begin(): Promise<void> {
    const { state } = await frontier.totals(crawl);
    const { queued } = await frontier.balance(crawl);
    if (state === 'finished' && queued === 0) return desk.setState('finished');
    began = true;
    await coordinator.setState(crawl, 'running');
    await frontier.seeding(crawl, 1);
    await frontier.offer(
      crawl,
      options.offers.map(({ url, kind }) => seedOffer(url, kind)),
    );
    await frontier.seeding(crawl, -1);
    coordinator.start();
    worker.start();
  }

  async function stopAll(): Promise<void> {
    await worker.stop();
    await coordinator.stop();
    for (const saver of context.savers) await saver.stop();
    await fetch.close();
  }

  async function end(state: CrawlState): Promise<Summary> {
    const pause = worker.pause;
    await stopAll();
    if (state === 'stopped' && desk.state !== 'finished') await coordinator.setState(crawl, 'stopped');
    const last = await snapshot();
    const limitedBy = coordinator.limitedBy(crawl);
    if (began || manifest.outputs === undefined) {
      manifest.outputs = await writeOutputs({
        folder,
        crawl,
        job,
        results: frontier.results,
        snapshot: last,
        hasItems: last.items > 0,
      }).catch((error: unknown) => {
        if (pause?.cause === 'disk') return {};
        throw error;
      });
    }
    if (began) await saveSession();
    return {
      state: desk.state,
      folder,
      snapshot: last,
      balance: last.balance,
      ...(limitedBy ? { limitedBy } : {}),
      ...(pause ? { pause } : {}),
      items: later(folder, (results) => onlyItems(results, crawl)),
      records: later(folder, (results) => results.records(crawl)),
    };
  }

  const run = createRun({
    desk,
    clock,
    snapshot,
    begin,
    end,
    failure: failure.promise,
    abandon: stopAll,
    setState: (state) => coordinator.setState(crawl, state),
    drop: () => void worker.stop({ now: true }),
    saveSession,
    saveEveryMs: SAVE_SESSION_MS,
    explain: (url) =>
      explainUrl(url, { crawl, job, scope: context.scope, agentToken: context.agentToken, frontier }),
    async close() {
      await frontier.close();
      await options.previous?.close();
      options.lock.release();
    },
  });
  // Wrapped: a run is awaitable itself, and returning it bare would wait for its end.
  return { run };
}

async function cookiesOf({ job, folder, baseFolder, clock }: StartOptions): Promise<KeptCookies | undefined> {
  const { cookies, cookieFile } = job.fetch;
  if (!cookies) return undefined;
  const source = cookieFile === undefined ? {} : { source: resolve(baseFolder, cookieFile) };
  return await openCookies({ folder, nowMs: clock.now(), ...source });
}

/** Reads from the folder when iterated: the crawl itself is closed by then. */
function later<T>(folder: string, read: (results: Results) => AsyncIterable<T>): AsyncIterable<T> {
  return {
    async *[Symbol.asyncIterator]() {
      const reader = openSqliteFrontier({
        path: join(folder, databaseName),
        clock: systemClock(),
        readOnly: true,
      });
      try {
        yield* read(reader.results);
      } finally {
        await reader.close();
      }
    },
  };
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
