import type { Crawl } from '@webfarer/coordinator';
import { type Clock, type CrawlSnapshot, WebfarerError } from '@webfarer/protocol';
import { parseDuration } from '@webfarer/protocol/job';
import type { CrawlRun, Progress, Summary } from '../crawl/crawl-run.ts';
import { waitingFor } from '../view/wording.ts';

export interface HandleOptions {
  crawl: Crawl;
  clock: Clock;
  /** Drops what is in flight, so that the end need not wait for it. */
  drop: () => void;
  /** Closes what was opened for this crawl alone, once it has ended. */
  close: () => Promise<void>;
}

/** The handle a caller holds. It can be awaited, so an async function must return it inside an object. */
export function createHandle({ crawl, clock, drop, close }: HandleOptions): CrawlRun {
  const ended = new AbortController();
  async function end(): Promise<Summary> {
    try {
      return await crawl.ended;
    } finally {
      ended.abort();
      await close();
    }
  }
  const summary = end();
  // Errors reach whoever awaits the run; nobody awaiting must not end the process.
  summary.catch(() => undefined);

  return {
    then: (resolve, reject) => summary.then(resolve, reject),
    async *[Symbol.asyncIterator]() {
      for await (const { event } of crawl.follow()) yield event;
    },
    follow: (cursor) => crawl.follow(cursor),
    async *progress(every) {
      const everyMs = typeof every === 'number' ? every : parseDuration(every);
      if (everyMs === undefined)
        throw new WebfarerError('usage', `${String(every)} is not a duration`, { next: "Write '5s'." });
      while (!ended.signal.aborted) {
        await clock.sleep(everyMs, ended.signal).catch(() => undefined);
        if (ended.signal.aborted) break;
        yield toProgress(await crawl.snapshot());
      }
      yield toProgress((await summary).snapshot);
    },
    snapshot: () => crawl.snapshot(),
    pause: () => crawl.pause(),
    resume: () => crawl.resume(),
    async stop(how = {}) {
      if (how.now) drop();
      await crawl.leave(how);
      await summary.catch(() => undefined);
    },
    explain: (url) => crawl.explain(url),
  };
}

function toProgress(snapshot: CrawlSnapshot): Progress {
  const words = waitingFor(snapshot);
  return { ...snapshot, ...(words === undefined ? {} : { waitingFor: words }) };
}
