import type { Clock, CrawlId, EventCursor } from '@webfarer/protocol';
import { eventCatalogue } from '@webfarer/protocol/crawl';
import type { EventBus } from '../events/event-bus.ts';
import type { PublishedEvent } from '../events/published-event.ts';
import type { Source, SourceOptions } from './source.ts';

export interface FollowEventsOptions extends Omit<SourceOptions, 'gate'> {
  bus: EventBus;
  /** Only events of this crawl. */
  crawl: CrawlId | undefined;
  clock: Clock;
}

/** Events of a frame. */
const batch = 200;

/**
 * What happens in this coordinator. Its events are kept for a while and only here: behind a token of another coordinator,
 * or one that is too old, a snapshot says so, and the oldest event that is kept comes first.
 */
export async function* followEvents(options: FollowEventsOptions): Source {
  const { bus, crawl, after, signal, clock, heartbeatMs } = options;
  const follower = bus.follow({
    ...(after === undefined ? {} : { after: after as EventCursor }),
    ...(crawl === undefined ? {} : { crawl }),
  });
  const stop = () => follower.close();
  signal.addEventListener('abort', stop, { once: true });
  try {
    let token: string = after ?? bus.cursor;
    let ready: Promise<void> | undefined;
    let events = follower.take(batch);
    const missed = events.find(({ event }) => event.type === 'events-missed');
    if (after !== undefined && !missed) yield { type: 'resumed', token };
    else
      yield { type: 'snapshot', why: causeOf(missed), set: {}, more: false, token: missed?.cursor ?? token };
    for (; !signal.aborted; events = follower.take(batch)) {
      const rest = events.filter((one) => one !== missed);
      for (const gap of rest.filter(({ event }) => event.type === 'events-missed'))
        yield { type: 'snapshot', why: causeOf(gap), set: {}, more: false, token: gap.cursor };
      const happened = rest.filter(({ event }) => event.type !== 'events-missed');
      token = events.at(-1)?.cursor ?? token;
      if (happened.length > 0) yield { type: 'events', events: happened.map(plain), token };
      if (happened.length > 0) continue;
      ready ??= follower.ready().then(() => {
        ready = undefined;
      });
      if (await isQuiet(ready, { clock, signal, ms: heartbeatMs })) yield { type: 'bookmark', token };
    }
  } finally {
    signal.removeEventListener('abort', stop);
    follower.close();
  }
}

function causeOf(missed: PublishedEvent | undefined): 'first' | 'too-old' | 'other-generation' {
  if (missed?.event.type !== 'events-missed') return 'first';
  return missed.event.why === 'behind' ? 'too-old' : 'other-generation';
}

function plain({ event, atMs }: PublishedEvent): Record<string, unknown> {
  return { at: new Date(atMs).toISOString(), level: eventCatalogue[event.type].level, ...event };
}

/** True: nothing came within this time. */
async function isQuiet(
  ready: Promise<void>,
  { clock, signal, ms }: { clock: Clock; signal: AbortSignal; ms: number },
): Promise<boolean> {
  const over = new AbortController();
  const timer = clock.sleep(ms, AbortSignal.any([signal, over.signal])).then(
    () => true,
    () => false,
  );
  const quiet = await Promise.race([ready.then(() => false), timer]);
  over.abort();
  return quiet && !signal.aborted;
}
