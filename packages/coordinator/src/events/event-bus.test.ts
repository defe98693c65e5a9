import type { DatedClock, CrawlId, EventCursor, PageRecord, WebfarerEvent } from '@webfarer/protocol';
import { describe, expect, it } from 'vitest';
import { createEventBus } from './event-bus.ts';

let nowMs = Date.UTC(2026, 10, 16);
const clock: DatedClock = { now: () => nowMs, wall: () => nowMs, sleep: () => new Promise(() => undefined) };
const rethrow = (error: unknown) => {
  throw error;
};
const a = 'a' as CrawlId;
const b = 'b' as CrawlId;
const moving = (crawl: CrawlId): WebfarerEvent => ({ type: 'crawl-moving', crawl });
const lost = (text: string, crawl = a): WebfarerEvent => ({ type: 'worker-lost', crawl, text });
const open = (kept = 8, boot = 'boot') => createEventBus({ clock, failed: rethrow, kept, boot });

function texts(events: { event: object }[]): string[] {
  return events.map(({ event }) => ('text' in event ? String(event.text) : JSON.stringify(event)));
}

it('answers positions in order, and hands each event to those who listen for its type', () => {
  const bus = open();
  const heard: string[] = [];
  const end = bus.listen(['crawl-moving', 'worker-lost'], (event, atMs) => {
    heard.push(`${event.type} ${atMs - nowMs}`);
  });
  bus.listen(['crawl-state'], () => heard.push('never'));
  expect([
    bus.publish(moving(a)),
    bus.publish(lost('x')),
    bus.publish({ type: 'crawl-resumed', crawl: a }),
  ]).toEqual([1, 2, 3]);
  end();
  bus.publish(moving(a));
  expect(heard).toEqual(['crawl-moving 0', 'worker-lost 0']);
});

it('a listener that throws is reported and harms neither the publisher nor other listeners', () => {
  const failures: unknown[] = [];
  const bus = createEventBus({ clock, failed: (error) => failures.push(error) });
  let heard = 0;
  bus.listen(['crawl-moving'], () => {
    throw new Error('a defect');
  });
  bus.listen(['crawl-moving'], () => heard++);
  expect(bus.publish(moving(a))).toBe(1);
  expect([heard, failures.map(String)]).toEqual([1, ['Error: a defect']]);
});

describe('a follower', () => {
  it('reads what is published from now on, of one crawl or of all', () => {
    const bus = open();
    bus.publish(lost('before'));
    const all = bus.follow();
    const ofB = bus.follow({ crawl: b });
    bus.publish(lost('1', a));
    bus.publish(lost('2', b));
    bus.publish({ type: 'coordinator-stopped', id: 'c' });
    expect(all.take(10)).toHaveLength(3);
    expect(texts(ofB.take(10))).toEqual(['2']);
    expect(ofB.take(10)).toEqual([]);
  });

  it('continues after a cursor without missing or repeating an event', () => {
    const bus = open();
    const begun = bus.cursor;
    for (let i = 1; i <= 6; i++) bus.publish(lost(String(i)));
    const first = bus.follow({ after: begun }).take(2);
    expect(texts(first)).toEqual(['1', '2']);
    const rest = bus.follow({ after: first.at(-1)?.cursor as EventCursor });
    expect(texts(rest.take(10))).toEqual(['3', '4', '5', '6']);
    expect(rest.take(10)).toEqual([]);
  });

  it('that fell behind is told how much it missed, then given the oldest event that is kept', () => {
    const bus = open(4);
    const slow = bus.follow();
    for (let i = 1; i <= 10; i++) bus.publish(lost(String(i)));
    const [gap, ...rest] = slow.take(10);
    expect(gap?.event).toEqual({ type: 'events-missed', why: 'behind', missed: 6 });
    expect(texts(rest)).toEqual(['7', '8', '9', '10']);
    // Where it was told to begin is a cursor like any other.
    expect(texts(bus.follow({ after: gap?.cursor as EventCursor }).take(10))).toEqual(['7', '8', '9', '10']);
  });

  it('with a cursor from before a restart is told so and begins with the oldest event', () => {
    const before = open(4, 'earlier');
    before.publish(lost('old'));
    const bus = open(4);
    bus.publish(lost('1'));
    const [gap, ...rest] = bus.follow({ after: before.cursor }).take(10);
    expect(gap?.event).toEqual({ type: 'events-missed', why: 'restarted', missed: 0 });
    expect(texts(rest)).toEqual(['1']);
  });

  it('is refused with a cursor that is none', () => {
    for (const cursor of ['', 'x', 'boot.', 'boot.-1', '.5'])
      expect(() => open().follow({ after: cursor as EventCursor })).toThrow(/not a cursor of events/);
  });

  it('iterates as events come, until it is closed, even while it waits', async () => {
    const bus = open(1_024);
    const follower = bus.follow({ crawl: a });
    const read: string[] = [];
    const reading = (async () => {
      for await (const { event } of follower) {
        read.push('text' in event ? event.text : event.type);
        if (read.length === 300) follower.close();
      }
    })();
    for (let i = 0; i < 300; i++) {
      bus.publish(lost(String(i)));
      bus.publish(moving(b));
      if (i % 7 === 0) await Promise.resolve();
    }
    await reading;
    expect(read).toEqual(Array.from({ length: 300 }, (_, i) => String(i)));
    const waiting = bus.follow();
    const ended = (async () => {
      for await (const _ of waiting) throw new Error('nothing was published');
      return 'ended';
    })();
    await Promise.resolve();
    waiting.close();
    expect(await ended).toBe('ended');
  });
});

describe('a thousand followers', () => {
  it('share one object and one encoding of each event', async () => {
    let encoded = 0;
    const bus = open(1_024);
    const followers = Array.from({ length: 1_000 }, () => bus.follow());
    const reading = followers.map(async (follower) => {
      const lines: string[] = [];
      for await (const { line } of follower) if (lines.push(line) === 20) break;
      return lines.join('');
    });
    await Promise.resolve();
    for (let i = 0; i < 20; i++) {
      const url = { toJSON: () => `http://a.test/${i}/${++encoded}` };
      bus.publish({ type: 'record', crawl: a, record: { url } as unknown as PageRecord });
    }
    const read = new Set(await Promise.all(reading));
    expect([read.size, encoded]).toEqual([1, 20]);
  });

  it('cost a publisher nothing beyond waking them once per batch', async () => {
    const publishMs = async (count: number) => {
      const bus = open(1_024);
      const followers = Array.from({ length: count }, () => bus.follow());
      const best: number[] = [];
      for (let round = 0; round < 5; round++) {
        const waiting = followers.map((follower) => follower.ready());
        const event = moving(a);
        const begun = performance.now();
        for (let i = 0; i < 20_000; i++) bus.publish(event);
        best.push(performance.now() - begun);
        await Promise.all(waiting);
        for (const follower of followers) while (follower.take(1_024).length > 0);
      }
      return Math.min(...best);
    };
    const alone = await publishMs(0);
    expect(await publishMs(1_000)).toBeLessThan(alone * 10);
  });

  it('that never read hold no events: only what the bus keeps stays in memory', () => {
    const bus = open(16);
    const followers = Array.from({ length: 1_000 }, () => bus.follow());
    for (let i = 0; i < 5_000; i++) bus.publish(lost(String(i)));
    for (const follower of followers) {
      const read = follower.take(100);
      expect([read.length, read[0]?.event]).toEqual([
        17,
        { type: 'events-missed', why: 'behind', missed: 5_000 - 16 },
      ]);
    }
  });
});

it('encodes an event with its time and level, and masks secrets', () => {
  const bus = open();
  const follower = bus.follow();
  nowMs += 1;
  bus.publish({ type: 'link-down', reason: 'redis://user:secret@h is away', outbox: 2 });
  const [event] = follower.take(1);
  expect(event?.line).toBe(
    '{"at":"2026-11-16T00:00:00.001Z","level":"warn","type":"link-down","reason":"redis://***@h is away","outbox":2}\n',
  );
});
