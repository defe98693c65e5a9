import { randomBytes } from 'node:crypto';
import type {
  DatedClock,
  CrawlEvent,
  CrawlId,
  EventCursor,
  EventOf,
  EventsMissed,
  EventType,
  WebfarerEvent,
} from '@webfarer/protocol';
import { readCursor, writeCursor } from './event-cursor.ts';
import { createFollower, type Follower } from './follower.ts';
import { PublishedEvent } from './published-event.ts';

export interface EventBusOptions {
  clock: DatedClock;
  /** A listener threw. The publisher and the other listeners are not affected. */
  failed: (error: unknown) => void;
  /** Tells the cursors of this bus from those of an earlier process. */
  boot?: string;
  /** Events that stay readable in memory; a power of two. */
  kept?: number;
}

export interface FollowOptions {
  /** The cursor of the last event that was read. Without one: only what is published from now on. */
  after?: EventCursor;
  /** Only events of this crawl. */
  crawl?: CrawlId;
}

/**
 * Where everything that happens in a coordinator is published, and where everything that reports it reads: log, live
 * view, library, stream, metrics. Publishing costs the same however many followers there are.
 */
export interface EventBus {
  /**
   * Returns the position of the event: 1 for the first one, then one more each time. A publisher of many events reads
   * the clock once for all of them.
   */
  publish(event: WebfarerEvent, atMs?: number): number;
  /** Calls `listener` inside `publish`: for listeners that only count, wake or append. Returns a function that stops it. */
  listen<Type extends EventType>(
    types: readonly Type[],
    listener: (event: EventOf<Type>, atMs: number) => void,
  ): () => void;
  /** Reads at its own pace. A follower that falls behind is told how much it missed, and delays no publisher. */
  follow(options: FollowOptions & { crawl: CrawlId }): Follower<CrawlEvent | EventsMissed>;
  follow(options?: FollowOptions): Follower;
  /** The cursor of the latest event. */
  readonly cursor: EventCursor;
}

/** About 8 MB when every event is the record of a page. */
const KEPT = 8_192;

type Listener = (event: never, atMs: number) => void;

export function createEventBus(options: EventBusOptions): EventBus {
  const { clock, failed, kept = KEPT } = options;
  const boot = options.boot ?? randomBytes(6).toString('base64url');
  const mask = kept - 1;
  if ((kept & mask) !== 0) throw new RangeError(`${kept} is not a power of two`);
  const events: (WebfarerEvent | undefined)[] = new Array<undefined>(kept).fill(undefined);
  const times = new Float64Array(kept);
  /** Made when the first follower reads an event; all followers share it, and its encoded form. */
  const published: (PublishedEvent | undefined)[] = new Array<undefined>(kept).fill(undefined);
  const listeners = new Map<EventType, readonly Listener[]>();
  const waiting = new Set<() => void>();
  let waking = false;
  let last = 0;

  /** After the current batch of events rather than after each of them. */
  function wakeFollowers(): void {
    waking = false;
    const woken = [...waiting];
    waiting.clear();
    for (const wake of woken) wake();
  }

  function publish(event: WebfarerEvent, atMs = clock.wall()): number {
    const position = ++last;
    const slot = position & mask;
    events[slot] = event;
    times[slot] = atMs;
    published[slot] = undefined;
    for (const listener of listeners.get(event.type) ?? none) {
      try {
        listener(event as never, atMs);
      } catch (error) {
        failed(error);
      }
    }
    if (waiting.size > 0 && !waking) {
      waking = true;
      queueMicrotask(wakeFollowers);
    }
    return position;
  }

  const ring = {
    waiting,
    get last() {
      return last;
    },
    get oldest() {
      return Math.max(1, last - kept + 1);
    },
    event: (position: number) => events[position & mask] as WebfarerEvent,
    published(position: number): PublishedEvent {
      const slot = position & mask;
      return (published[slot] ??= new PublishedEvent(
        events[slot] as WebfarerEvent,
        writeCursor(boot, position),
        times[slot] as number,
      ));
    },
    missed(event: EventsMissed, position: number): PublishedEvent {
      return new PublishedEvent(event, writeCursor(boot, position), clock.wall());
    },
  };

  return {
    publish,
    listen(types, listener) {
      const added = listener as Listener;
      for (const type of types) listeners.set(type, [...(listeners.get(type) ?? none), added]);
      return () => {
        for (const type of types)
          listeners.set(
            type,
            (listeners.get(type) ?? none).filter((one) => one !== added),
          );
      };
    },
    follow({ after, crawl }: FollowOptions = {}) {
      const read = after === undefined ? undefined : readCursor(after);
      const begin =
        read === undefined ? last : read.boot === boot ? Math.min(read.position, last) : undefined;
      // A follower of one crawl is handed nothing but its events.
      return createFollower(ring, { begin, crawl }) as Follower<never>;
    },
    get cursor() {
      return writeCursor(boot, last);
    },
  };
}

const none: readonly Listener[] = [];
