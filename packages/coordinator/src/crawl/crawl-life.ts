import {
  type CrawlSnapshot,
  type CrawlState,
  type ErrorCode,
  isStorageTrouble,
  type Pause,
  type PauseCause,
  WebfarerError,
} from '@webfarer/protocol';
import { isOver } from '@webfarer/protocol/crawl';
import { hostOf, labelRule } from '@webfarer/protocol/url';
import { throwDiskTrouble } from '../folder/disk-trouble.ts';
import { takeWanted } from '../folder/wanted-state.ts';
import { seedAll } from '../frontier/seed-all.ts';
import type { ServedPlace } from '../link/crawl-router.ts';
import type { Upkeep } from '../maintenance/upkeep.ts';
import { createAwaitedLeases } from './awaited-leases.ts';
import type { CountSampler } from './count-sampler.ts';
import type { CrawlSummary } from './crawl.ts';
import type { CrawlControl } from './crawl-control.ts';
import type { EndDecision } from './end-decision.ts';
import type { CrawlParts } from './crawl-parts.ts';
import type { CrawlProgress } from './crawl-progress.ts';
import { summarize } from './crawl-summary.ts';
import type { CrawlWatches } from './crawl-watches.ts';
import type { JobInForce } from './job-in-force.ts';
import { seedOffer } from './job/seeds.ts';
import type { LeaseGate } from './lease-gate.ts';
import type { CrawlPace } from './watch/crawl-pace.ts';
import type { ScopeSweepRunner } from './scope-sweep.ts';
import type { SessionFile } from './session-file.ts';

export interface CrawlLifeOptions {
  parts: CrawlParts;
  inForce: JobInForce;
  progress: CrawlProgress;
  control: CrawlControl;
  place: ServedPlace;
  /** Closed for `notRunning` while the crawl is not begun, or about to end. */
  gate: LeaseGate;
  pace: CrawlPace;
  sweep: ScopeSweepRunner;
  watches: CrawlWatches;
  session: SessionFile;
  sampler: CountSampler;
  snapshot: () => Promise<CrawlSnapshot>;
  end: EndDecision;
  /** Carries out orders that are written into the crawl's folder, until the signal comes. */
  obeyFolder: (until: AbortSignal) => Promise<void>;
  begun: PromiseWithResolvers<void>;
}

/** Who pauses, for the board of pauses, while the files of a crawl cannot be written; and how soon that is tried again. */
const FILES = 'files';
const FULL_AGAIN_MS = 2_000;
/** What keeps files from being written that will pass, by the code of the error. */
const pauseFor: Partial<Record<ErrorCode, PauseCause>> = {
  storage: 'disk',
  'object-storage': 'object-storage',
};

/** Why no leases are granted while it is not begun, or about to end. */
export const notRunning = 'not running';

/** Begins a crawl, waits until it is to end, and ends it: when this resolves, nothing of it is open any more. */
export async function liveCrawl(options: CrawlLifeOptions): Promise<CrawlSummary> {
  const { parts, inForce, progress, control, place, gate, sweep, watches, session, sampler, end, begun } =
    options;
  const { manifest, file, clock, frontier, reads, shared, pool } = parts;
  const crawl = manifest.id;
  const leases = createAwaitedLeases(crawl, pool, clock);
  let began = false;
  let kept: ReturnType<Upkeep['keep']> | undefined;

  const isFinished = async () =>
    (await frontier.state(crawl)) === 'finished' && (await frontier.balance(crawl)).queued === 0;

  /** A coordinator that comes back must not resume what somebody paused at another one. */
  async function isPausedByOthers(): Promise<boolean> {
    return (
      shared !== undefined && (await frontier.state(crawl)) === 'paused' && (await parts.othersTakePart())
    );
  }

  async function begin(): Promise<void> {
    // A change of the scope since may bring URLs back.
    if (await isFinished()) await sweep.finish();
    if (await isFinished()) return await control.endFinished();
    // What was wanted of an earlier process is not meant for this one.
    await takeWanted(file.folder);
    began = true;
    const { entry, wanted } = parts;
    if (wanted === 'paused') await control.setState('paused', entry.enteredAs);
    else if (wanted === 'asked' && (await isPausedByOthers())) progress.setState('paused');
    else
      await control.setState('running', wanted === 'asked' ? await entry.want('running') : entry.enteredAs);
    const seedHosts = parts.offers.map(({ url }) => hostOf(url));
    const labelOf = labelRule(inForce.job.labels, seedHosts);
    const offers = parts.offers.map(({ url, kind }) => seedOffer(url, kind, labelOf?.(url)));
    await seedAll(frontier, crawl, offers);
    kept = parts.upkeep.keep({
      isLookDue: options.pace.isLookDue,
      async look() {
        watches.look();
        await control.look();
        if (shared || parts.network) pool.wake();
      },
      failed: (error) => end.fail(error),
    });
    options.pace.onStir(place.stir);
    sweep.kick({ isRescoped: false });
    if (progress.state === 'running')
      parts.events.publish({ type: 'crawl-state', crawl, name: inForce.job.name, state: 'running' });
    pool.announce(crawl);
    watches.workers?.start();
    gate.open(notRunning);
    pool.wake();
    watches.stall.start();
  }

  const { stopAll, stopAllAnyway } = inThisOrder([
    () => watches.stall.stop(),
    () => sweep.stop(),
    () => parts.retire(isOver(progress), end.hurried),
    () => watches.workers?.stop(),
    () => gate.close(notRunning),
    // Of a crawl that is finished nothing is out any more, whatever was heard of last.
    () => progress.state !== 'finished' && leases.count() > 0 && pool.release(crawl),
    () => pool.closeCrawl(crawl),
    () => progress.state !== 'finished' && leases.given(end.hurried),
    () => place.close(),
    () => parts.intake.stop(),
    () => kept?.end(),
  ]);

  async function conclude(last: CrawlSnapshot, { stopped }: { stopped: boolean }): Promise<void> {
    const ending = { crawl, folder: file.folder, job: inForce.job, snapshot: last, stopped, clock };
    const outputs = await parts.conclude(ending).catch(throwDiskTrouble);
    if (outputs) manifest.outputs = outputs;
    else delete manifest.outputs;
  }

  /** A crawl that is over waits for room for its files: without them it would only look complete. */
  async function concludeWithSpace(
    last: CrawlSnapshot,
    { stopped, isFull }: { stopped: boolean; isFull: boolean },
  ): Promise<void> {
    for (;;) {
      try {
        await conclude(last, { stopped });
        return watches.pauses.set(FILES, undefined);
      } catch (error) {
        if (isFull) return void (manifest.outputs = {});
        const pause = passingPause(error);
        if (!pause || stopped || end.hurried.aborted) throw error;
        watches.pauses.set(FILES, pause);
        await clock.sleep(FULL_AGAIN_MS, end.hurried).catch(() => undefined);
      }
    }
  }

  async function endAs(state: CrawlState): Promise<CrawlSummary> {
    const { pause } = watches.pauses;
    const sayOver = await parts.ending();
    await stopAll();
    if (state === 'stopped' && progress.state !== 'finished') {
      // Others continue with a crawl that is shared.
      if (shared) progress.setState('stopped');
      else await control.setState('stopped', undefined);
    }
    reads.forget();
    // What cannot be written now stays in the store.
    await shared?.frontier.drain().catch(() => undefined);
    const last = await options.snapshot();
    if (began) await sampler.last(last);
    if (began || manifest.outputs === undefined)
      await concludeWithSpace(last, { stopped: state === 'stopped', isFull: pause?.cause === 'disk' });
    if (began) await session.save();
    const { given, offers } = parts;
    const summary = await summarize({
      manifest,
      folder: file.folder,
      frontier,
      seeds: offers.map(({ url }) => url),
      last,
      limitedBy: control.limitedBy,
      pause,
      itemKey: inForce.job.itemKey,
      given,
    });
    // A store that does not answer is told with the next start, which finds that the crawl is over.
    const how = { id: crawl, name: manifest.name, job: inForce.job, summary };
    await sayOver(how).catch(ignoreStorageTrouble);
    return summary;
  }

  let keeping: Promise<unknown> | undefined;
  try {
    await begin();
    begun.resolve();
    keeping = Promise.all([session.keep(end.over), sampler.keep(end.over), options.obeyFolder(end.over)]);
    return await endAs(await end.decided);
  } catch (error) {
    end.hurry();
    await stopAllAnyway();
    throw error;
  } finally {
    begun.resolve();
    end.complete();
    watches.close();
    await keeping;
    await parts.previous?.close();
    await parts.closed();
    parts.lock.release();
  }
}

/** Steps that end the work, each of which may be done twice. */
function inThisOrder(steps: readonly (() => unknown)[]) {
  return {
    async stopAll(): Promise<void> {
      for (const step of steps) await step();
    },
    /** After an error, of which a step may fail too. Were the rest left out, workers would be told of the crawl for ever. */
    async stopAllAnyway(): Promise<void> {
      for (const step of steps) {
        try {
          await step();
        } catch {
          // The error before it is the one to tell.
        }
      }
    },
  };
}

export function ignoreStorageTrouble(error: unknown): void {
  if (!isStorageTrouble(error)) throw error;
}

/** Undefined: what keeps the files from being written will not pass. */
function passingPause(error: unknown): Pause | undefined {
  const cause = error instanceof WebfarerError ? pauseFor[error.code] : undefined;
  return cause && { cause, text: (error as Error).message, retryInMs: FULL_AGAIN_MS };
}
