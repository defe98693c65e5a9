import type { EventBus, Follower, WantedState } from '@webfarer/coordinator';
import {
  type Clock,
  type CrawlId,
  type CrawlSnapshot,
  type CrawlEvent,
  type CrawlState,
  type EventCursor,
  type EventsMissed,
  WebfarerError,
} from '@webfarer/protocol';
import { parseDuration } from '@webfarer/protocol/job';
import type { CrawlRun, Explanation, Progress, Summary } from '../crawl-run.ts';
import { waitingFor } from '../wording.ts';

export interface RunParts {
  crawl: CrawlId;
  events: EventBus;
  clock: Clock;
  snapshot(): Promise<CrawlSnapshot>;
  begin(): Promise<void>;
  /** Stops what runs, writes the outputs and tells how it went. */
  end(state: CrawlState): Promise<Summary>;
  /** Rejects when a fault of ours makes going on pointless. */
  failure: Promise<never>;
  /** Stops what runs after such a fault; what is committed stays. */
  abandon(): Promise<void>;
  /** Drops what is in flight, so that `end` need not wait for it. */
  drop(): void;
  setState(state: CrawlState): Promise<void>;
  saveSession(): Promise<void>;
  /** What an operator asked for from outside since the last call. */
  takeWanted(): Promise<WantedState | undefined>;
  saveEveryMs: number;
  explain(url: string): Promise<Explanation>;
  close(): Promise<void>;
}

/** How often the folder is looked at for what an operator wants. */
const LOOK_MS = 500;
const OVER: readonly CrawlState[] = ['finished', 'limited', 'stopped'];

/** The handle a caller holds: starts at once, ends when the crawl is over or stopped, then closes the folder. */
export function createRun(parts: RunParts): CrawlRun {
  const { crawl, events, clock } = parts;
  const over = Promise.withResolvers<CrawlState>();
  const ended = new AbortController();

  const unlisten = events.listen(['crawl-state'], (event) => {
    if (event.crawl === crawl && OVER.includes(event.state)) over.resolve(event.state);
  });

  async function keepSession(): Promise<void> {
    while (!ended.signal.aborted) {
      await clock.sleep(parts.saveEveryMs, ended.signal).catch(() => undefined);
      if (!ended.signal.aborted) await parts.saveSession().catch(() => undefined);
    }
  }

  async function obey(): Promise<void> {
    while (!ended.signal.aborted) {
      const wanted = await parts.takeWanted().catch(() => undefined);
      if (wanted === 'stopped') over.resolve('stopped');
      // A store that does not answer cannot be told; the operator sees that nothing changed and asks again.
      else if (wanted !== undefined) await parts.setState(wanted).catch(() => undefined);
      await clock.sleep(LOOK_MS, ended.signal).catch(() => undefined);
    }
  }

  async function live(): Promise<Summary> {
    let keeping: Promise<unknown> | undefined;
    try {
      await parts.begin();
      keeping = Promise.all([keepSession(), obey()]);
      const state = await Promise.race([over.promise, parts.failure]);
      return await parts.end(state);
    } catch (error) {
      parts.drop();
      await parts.abandon().catch(() => undefined);
      throw error;
    } finally {
      ended.abort();
      unlisten();
      await keeping;
      await parts.close();
    }
  }
  const summary = live();
  // Errors reach whoever awaits the run; nobody awaiting must not end the process.
  summary.catch(() => undefined);

  function follow(after?: EventCursor): Follower<CrawlEvent | EventsMissed> {
    const follower = events.follow({ crawl, ...(after === undefined ? {} : { after }) });
    void summary.catch(() => undefined).then(() => follower.close());
    return follower;
  }

  return {
    then: (resolve, reject) => summary.then(resolve, reject),
    async *[Symbol.asyncIterator]() {
      for await (const { event } of follow()) yield event;
    },
    follow,
    async *progress(every) {
      const everyMs = typeof every === 'number' ? every : parseDuration(every);
      if (everyMs === undefined)
        throw new WebfarerError('usage', `${String(every)} is not a duration`, { next: "Write '5s'." });
      while (!ended.signal.aborted) {
        await clock.sleep(everyMs, ended.signal).catch(() => undefined);
        if (ended.signal.aborted) break;
        yield toProgress(await parts.snapshot());
      }
      yield toProgress((await summary).snapshot);
    },
    snapshot: () => (ended.signal.aborted ? summary.then((s) => s.snapshot) : parts.snapshot()),
    pause: () => parts.setState('paused'),
    resume: () => parts.setState('running'),
    async stop(options = {}) {
      if (options.now) parts.drop();
      over.resolve('stopped');
      await summary.catch(() => undefined);
    },
    explain: (url) => parts.explain(url),
  };
}

function toProgress(snapshot: CrawlSnapshot): Progress {
  const words = waitingFor(snapshot);
  return { ...snapshot, ...(words === undefined ? {} : { waitingFor: words }) };
}
