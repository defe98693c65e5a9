import { type DatedClock, type CrawlSnapshot, isStorageTrouble, type Pause } from '@webfarer/protocol';
import type { WebhookEventType } from '@webfarer/protocol/api';
import { endedBy } from '@webfarer/protocol/crawl';
import { defaultTeam, measureThresholds } from '@webfarer/protocol/job';
import type { Crawl, CrawlEnd, CrawlSummary } from '../crawl/crawl.ts';
import type { EventBus } from '../events/event-bus.ts';
import { messageId, type WebhookMessage } from './webhook.ts';

export interface CrawlNewsOptions {
  events: Pick<EventBus, 'listen'>;
  clock: DatedClock;
  crawl: (id: string) => Crawl | undefined;
  /** Whether any webhook wants to hear of such a thing: changed pages are only counted where one does. */
  wanted: (type: WebhookEventType) => boolean;
  /** `team`: whose crawl it is. */
  tell: (news: { team: string; id: string; message: WebhookMessage }) => Promise<void>;
  failed: (error: unknown) => void;
}

const AGAIN_MS = 2_000;
/** A pause that ends sooner is no trouble worth a message. */
const TROUBLE_MS = 30_000;
/** Several coordinators see the same trouble, and it may come and go: one message in this time. */
const TROUBLE_AGAIN_MS = 600_000;
/** A crawl in which so many records are compared with nothing is no recrawl. */
const FIRST_FEW = 1_000;
/** Of a recrawl with more pages than this, only the first ones are counted. */
const MOST_COUNTED = 1_000_000;

export interface CrawlNews {
  /** Resolves when all who want to hear of it have the message waiting for them. */
  ended(end: CrawlEnd, run: string): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Turns what happens to crawls into messages for webhooks. A message is named by what happened, so that the same event
 * at several coordinators, or seen again after a restart, is one message.
 */
export function watchCrawlNews(options: CrawlNewsOptions): CrawlNews {
  const { clock } = options;
  const stopped = new AbortController();
  const telling = new Set<Promise<void>>();
  /** Ends the wait of a pause that is over. */
  const pauses = new Map<string, AbortController>();

  function later(work: Promise<void>): void {
    const done = work
      .catch((error: unknown) => {
        if (!stopped.signal.aborted) options.failed(error);
      })
      .finally(() => telling.delete(done));
    telling.add(done);
  }

  async function tell(
    { job }: Pick<Crawl, 'job'>,
    about: { type: WebhookEventType; facts: (string | number)[]; data: WebhookMessage['data'] },
  ): Promise<void> {
    const { type, facts, data } = about;
    const message = { type, timestamp: new Date(clock.wall()).toISOString(), data };
    const team = job.team ?? defaultTeam;
    await options.tell({ team, id: messageId(type, ...facts), message });
  }

  async function ended({ summary, ...crawl }: CrawlEnd, run: string): Promise<void> {
    if (summary.state !== 'finished' && summary.state !== 'limited') return;
    const { snapshot } = summary;
    const facts = [crawl.id, run];
    const data = { crawl: aboutCrawl(crawl, snapshot), ...figures(snapshot) };
    await tell(crawl, { type: `crawl.${summary.state}`, facts, data });
    const missed = measureThresholds(crawl.job.thresholds, snapshot).filter(({ met }) => !met);
    if (missed.length > 0)
      await tell(crawl, { type: 'crawl.threshold-missed', facts, data: { ...data, missed } });
    if (!options.wanted('crawl.changed')) return;
    const changes = await countChanges(summary);
    if (changes.new + changes.changed > 0)
      await tell(crawl, { type: 'crawl.changed', facts, data: { ...data, changes } });
  }

  async function inTrouble(crawl: Crawl, pause: Pause, over: AbortSignal): Promise<void> {
    const sinceMs = clock.wall();
    await clock.sleep(TROUBLE_MS, AbortSignal.any([over, stopped.signal])).catch(() => undefined);
    if (over.aborted || stopped.signal.aborted) return;
    const snapshot = await crawl.snapshot();
    const data = {
      crawl: aboutCrawl(crawl, snapshot),
      ...figures(snapshot),
      pause: { cause: pause.cause, text: pause.text, sinceMs },
    };
    const facts = [crawl.id, pause.cause, Math.floor(sinceMs / TROUBLE_AGAIN_MS)];
    await persist(() => tell(crawl, { type: 'crawl.trouble', facts, data }));
  }

  /** The trouble may be that the store cannot be written: then the message waits here. */
  async function persist(work: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!isStorageTrouble(error) || stopped.signal.aborted) throw error;
        await clock.sleep(AGAIN_MS, stopped.signal).catch(() => undefined);
      }
    }
  }

  function settled(id: string): void {
    pauses.get(id)?.abort();
    pauses.delete(id);
  }

  const unlisten = [
    options.events.listen(['crawl-state'], ({ crawl: id, state }) => {
      if (state === 'finished' || state === 'limited' || state === 'stopped') settled(id);
    }),
    options.events.listen(['crawl-paused'], ({ crawl: id, pause }) => {
      const crawl = options.crawl(id);
      settled(id);
      if (!crawl || pause.cause === 'operator') return;
      const over = new AbortController();
      pauses.set(id, over);
      later(inTrouble(crawl, pause, over.signal));
    }),
    options.events.listen(['crawl-resumed'], ({ crawl: id }) => settled(id)),
  ];

  return {
    ended,
    async stop() {
      stopped.abort();
      for (const stop of unlisten) stop();
      await Promise.all(telling);
    },
  };
}

function aboutCrawl({ id, name }: Pick<Crawl, 'id' | 'name'>, { state }: CrawlSnapshot) {
  return { id, name, state };
}

function figures(snapshot: CrawlSnapshot) {
  const { elapsedMs, balance, byStatus, bytes, items, limitedBy } = snapshot;
  const ended = endedBy(snapshot);
  return {
    elapsedMs,
    balance,
    byStatus,
    bytes,
    items,
    ...(limitedBy ? { limitedBy } : {}),
    ...(ended === undefined ? {} : { endedBy: ended }),
  };
}

async function countChanges({ records }: CrawlSummary) {
  const changes = { new: 0, changed: 0, unchanged: 0, complete: true };
  let counted = 0;
  for await (const { change } of records) {
    if (change) changes[change]++;
    counted++;
    // A recrawl compares every page.
    if (counted === FIRST_FEW && changes.new + changes.changed + changes.unchanged === 0) break;
    if (counted < MOST_COUNTED) continue;
    changes.complete = false;
    break;
  }
  return changes;
}
