import type { CrawlId, EventsMissed, WebfarerEvent } from '@webfarer/protocol';
import type { Followed, PublishedEvent } from './published-event.ts';

/** One reader of a bus, at its own pace. It holds a position and no events, so a slow one costs no memory. */
export interface Follower<Event extends Followed = Followed> extends AsyncIterable<PublishedEvent<Event>> {
  /** Up to `most` events that can be read without waiting. */
  take(most: number): PublishedEvent<Event>[];
  /** Resolves when `take` may have something to give, and when the follower is closed. */
  ready(): Promise<void>;
  /** Ends the iteration after what can be read without waiting. */
  close(): void;
}

/** What a follower sees of its bus. */
export interface EventRing {
  readonly waiting: Set<() => void>;
  readonly last: number;
  /** Position of the oldest event that is kept. */
  readonly oldest: number;
  event(position: number): WebfarerEvent;
  published(position: number): PublishedEvent;
  missed(event: EventsMissed, position: number): PublishedEvent;
}

export interface FollowerOptions {
  /** Position of the last event it knows; undefined when that was on another bus. */
  begin: number | undefined;
  crawl: CrawlId | undefined;
}

/** Events that the iteration fetches at a time: enough to spread its costs, few enough to stay fresh. */
const BATCH = 64;

export function createFollower(ring: EventRing, { begin, crawl }: FollowerOptions): Follower {
  let at = begin;
  let closed = false;
  let wake: (() => void) | undefined;

  /** The oldest event is the next one: says so instead of skipping silently. */
  function catchUp(): PublishedEvent | undefined {
    const before = ring.oldest - 1;
    if (at !== undefined && at >= before) return undefined;
    const gap: EventsMissed =
      at === undefined
        ? { type: 'events-missed', why: 'restarted', missed: 0 }
        : { type: 'events-missed', why: 'behind', missed: before - at };
    at = before;
    return ring.missed(gap, before);
  }

  function take(most: number): PublishedEvent[] {
    const taken: PublishedEvent[] = [];
    const gap = catchUp();
    if (gap) taken.push(gap);
    let position = at ?? 0;
    for (const { last } = ring; position < last && taken.length < most; ) {
      position++;
      if (crawl === undefined || isOf(ring.event(position), crawl)) taken.push(ring.published(position));
    }
    at = position;
    return taken;
  }

  function ready(): Promise<void> {
    if (closed || at === undefined || at < ring.last) return Promise.resolve();
    return new Promise((resolve) => {
      wake = resolve;
      ring.waiting.add(resolve);
    });
  }

  function close(): void {
    closed = true;
    if (!wake) return;
    ring.waiting.delete(wake);
    wake();
  }

  return {
    take,
    ready,
    close,
    async *[Symbol.asyncIterator]() {
      try {
        for (;;) {
          const batch = take(BATCH);
          yield* batch;
          if (batch.length > 0) continue;
          if (closed) return;
          await ready();
        }
      } finally {
        close();
      }
    },
  };
}

function isOf(event: WebfarerEvent, crawl: CrawlId): boolean {
  return 'crawl' in event && event.crawl === crawl;
}
