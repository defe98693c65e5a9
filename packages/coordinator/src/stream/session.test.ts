import { getEventListeners } from 'node:events';
import { type Clock, WebfarerError } from '@webfarer/protocol';
import { type ServerFrame, streamCloses, type StreamTopic } from '@webfarer/protocol/api';
import { expect, it, vi } from 'vitest';
import type { Socket } from '../link/sockets.ts';
import { createEncode } from './encode.ts';
import { streamLimits } from './limits.ts';
import { createPageGates } from './page-gate.ts';
import { openSession } from './session.ts';
import type { Source, SourceOptions } from './source.ts';

/** A client whose reading the test controls: nothing leaves the socket unless it says so. */
function client(
  options: {
    isReading?: boolean;
    authorization?: string;
    topics?: (topic: StreamTopic, options: SourceOptions) => Source;
  } = {},
) {
  let { isReading = true } = options;
  let nowMs = 0;
  const clock: Clock = { now: () => nowMs, sleep: () => new Promise(() => undefined) };
  const sent: string[] = [];
  const unread: { bytes: number; taken: () => void }[] = [];
  const tokens = new Set(['good']);
  const seen = { open: true, code: 0, cut: false, failed: 0 };
  const drain = () => {
    for (const { taken } of unread.splice(0)) taken();
  };
  const socket: Socket = {
    send(text, taken) {
      sent.push(text);
      unread.push({ bytes: text.length, taken });
      if (isReading) queueMicrotask(drain);
    },
    ping: () => undefined,
    close(code) {
      Object.assign(seen, { open: false, code });
      queueMicrotask(() => session.events.closed(code, ''));
    },
    terminate: () => Object.assign(seen, { open: false, cut: true }),
    pause: () => undefined,
    resume: () => undefined,
    get unread() {
      return unread.reduce((sum, { bytes }) => sum + bytes, 0);
    },
    get open() {
      return seen.open;
    },
  };
  const session = openSession(socket, options.authorization, {
    id: 'coordinator',
    topics: { open: options.topics ?? (() => numbers()) },
    gates: createPageGates(),
    encode: createEncode(),
    limits: { ...streamLimits, unreadBytes: 2_000, subscriptions: 3 },
    clock,
    authenticate: (header) =>
      tokens.has(header.replace('Bearer ', '')) ? { id: 'u', team: 't' } : undefined,
    authorize: (_user, topic) =>
      'crawl' in topic && topic.crawl === 'secret'
        ? Promise.reject(new WebfarerError('not-found', 'there is no such crawl'))
        : Promise.resolve(),
    confinedTo: () => undefined,
    failed: () => seen.failed++,
    closed: () => undefined,
  });
  return {
    seen,
    tokens,
    session,
    later: (ms: number) => void (nowMs += ms),
    say: (frame: unknown) => session.events.message(JSON.stringify(frame), 0),
    frames: () => sent.map((text) => JSON.parse(text) as ServerFrame),
    read() {
      isReading = true;
      drain();
    },
  };
}

let pulled = 0;
async function* numbers(): Source {
  for (let n = 1; ; n++) {
    pulled = n;
    await new Promise((resolve) => setImmediate(resolve));
    yield { type: 'delta', set: { n, padding: 'x'.repeat(100) }, removed: [], token: `t${n}` };
  }
}
async function* few(count: number): Source {
  for await (const frame of numbers()) {
    yield frame;
    if (frame.token === `t${count}`) return;
  }
}
const subscribe = (id: number, more: object = {}) => ({
  type: 'subscribe',
  id,
  on: { topic: 'status', crawl: 'c' },
  ...more,
});
const types = (frames: ServerFrame[]) => frames.map(({ type }) => type);

it('accepts the token in the first frame or in the header, and nothing before it', async () => {
  const one = client({ topics: () => few(2) });
  one.say({ type: 'hello', token: 'good' });
  one.say(subscribe(7));
  await vi.waitFor(() => expect(types(one.frames())).toEqual(['welcome', 'delta', 'delta', 'closed']));
  expect(one.frames()[1]).toMatchObject({ id: 7, token: 't1', set: { n: 1 } });
  expect(types(client({ authorization: 'Bearer good' }).frames())).toEqual(['welcome']);
  for (const first of [subscribe(1), { type: 'hello', token: 'bad' }]) {
    const other = client();
    other.say(first);
    expect(other.seen).toMatchObject({ open: false, code: streamCloses.refused });
    expect(other.frames()).toEqual([]);
  }
  expect(client({ authorization: 'Bearer bad' }).seen.code).toBe(streamCloses.refused);
});

it('reads no further for a client that does not read', async () => {
  const slow = client({ authorization: 'Bearer good', isReading: false });
  slow.say(subscribe(1));
  slow.say(subscribe(2));
  await vi.waitFor(() => expect(pulled).toBeGreaterThan(3));
  const bytes = () => slow.frames().reduce((sum, frame) => sum + JSON.stringify(frame).length, 0);
  for (let n = 0; n < 50; n++) await new Promise((resolve) => setImmediate(resolve));
  const [first, pulledFirst] = [bytes(), pulled];
  expect(first).toBeLessThan(2_500);
  for (let n = 0; n < 50; n++) await new Promise((resolve) => setImmediate(resolve));
  expect([bytes(), pulled]).toEqual([first, pulledFirst]);
  slow.read();
  await vi.waitFor(() => expect(slow.frames().length).toBeGreaterThan(100));
  // Both go on, each in order.
  for (const id of [1, 2]) {
    const own = slow
      .frames()
      .flatMap((frame) => (frame.type === 'delta' && frame.id === id ? [frame.token] : []));
    expect(own.length).toBeGreaterThan(10);
    expect(own).toEqual(own.map((_, n) => `t${n + 1}`));
  }
  slow.session.close(1000, '');
});

/** Every frame is read from a store, through the gate of the subscription. */
async function* pages(count: number, { gate, signal }: SourceOptions): Source {
  for (let n = 1; n <= count; n++) {
    await gate.read(signal, () => Promise.resolve(void pulled++));
    yield { type: 'delta', set: { n, padding: 'x'.repeat(1_000) }, removed: [], token: `t${n}` };
  }
}

it('reads no more pages than may wait, whatever the number of subscriptions, and all of them when they are taken', async () => {
  const slow = client({
    authorization: 'Bearer good',
    isReading: false,
    topics: (_topic, options) => pages(3, options),
  });
  pulled = 0;
  for (const id of [1, 2, 3]) slow.say(subscribe(id, { window: id === 3 ? 8 : 1 }));
  for (let n = 0; n < 50; n++) await new Promise((resolve) => setImmediate(resolve));
  // Two were sent, and two wait.
  expect(pulled).toBeLessThanOrEqual(4);
  slow.read();
  // Two may send one frame only, and do not keep the third waiting.
  const of = (id: number) =>
    slow.frames().filter((frame) => frame.type === 'delta' && frame.id === id).length;
  await vi.waitFor(() => expect([of(1), of(2), of(3)]).toEqual([1, 1, 3]));
  slow.session.close(1000, '');
});

it('sends as many frames ahead of the client as it asked for', async () => {
  const one = client({ authorization: 'Bearer good' });
  one.say(subscribe(1, { window: 2 }));
  const deltas = () => one.frames().filter(({ type }) => type === 'delta').length;
  await vi.waitFor(() => expect(deltas()).toBe(2));
  for (let n = 0; n < 50; n++) await new Promise((resolve) => setImmediate(resolve));
  expect(deltas()).toBe(2);
  one.say({ type: 'ack', id: 1, frames: 3 });
  await vi.waitFor(() => expect(deltas()).toBe(5));
  one.say({ type: 'unsubscribe', id: 1 });
  await vi.waitFor(() => expect(types(one.frames()).at(-1)).toBe('closed'));
});

it('listens for the end of a subscription once, however often it waits for credit', async () => {
  const signals: AbortSignal[] = [];
  const one = client({
    authorization: 'Bearer good',
    topics: (_topic, { signal }) => {
      signals.push(signal);
      return numbers();
    },
  });
  one.say(subscribe(1, { window: 1 }));
  const deltas = () => one.frames().filter(({ type }) => type === 'delta').length;
  for (let n = 1; n <= 50; n++) {
    await vi.waitFor(() => expect(deltas()).toBe(n));
    one.say({ type: 'ack', id: 1, frames: 1 });
  }
  expect(getEventListeners(signals[0] as AbortSignal, 'abort').length).toBeLessThan(5);
  one.session.close(1000, '');
});

it('says what it does not accept, and closes on a client that goes on with it', async () => {
  const one = client({ authorization: 'Bearer good' });
  one.say(subscribe(1, { window: 1 }));
  const bad = [
    { type: 'nonsense' },
    subscribe(1),
    { ...subscribe(2), on: { topic: 'status' } },
    { ...subscribe(2), on: { topic: 'status', crawl: 'c', __proto__: 1, more: 1 } },
    { type: 'hello', token: 'good' },
  ];
  for (const frame of bad) one.say(frame);
  expect(one.frames().filter(({ type }) => type === 'problem')).toHaveLength(bad.length);
  expect(one.seen.open).toBe(true);
  one.session.events.message(undefined, 0);
  expect(one.seen).toMatchObject({ open: false, code: streamCloses.misused });
});

it('bounds subscriptions and frames', async () => {
  const many = client({ authorization: 'Bearer good' });
  for (let id = 1; id <= 4; id++) many.say(subscribe(id, { window: 1 }));
  expect(many.frames().at(-1)).toMatchObject({ type: 'problem', problem: { code: 'frame-limit' } });
  const noisy = client({ authorization: 'Bearer good' });
  for (let n = 0; n < 501 && noisy.seen.open; n++) noisy.say({ type: 'ack', id: 9, frames: 1 });
  expect(noisy.seen.code).toBe(streamCloses.misused);
});

it('ends a subscription that is refused or fails, and no other', async () => {
  const one = client({
    authorization: 'Bearer good',
    topics(topic) {
      if (topic.topic === 'resources') throw new TypeError('a secret');
      return numbers();
    },
  });
  one.say(subscribe(1, { on: { topic: 'status', crawl: 'secret' } }));
  one.say(subscribe(2, { on: { topic: 'resources' } }));
  one.say(subscribe(3, { window: 1 }));
  const ends = () => one.frames().filter(({ type }) => type === 'closed');
  await vi.waitFor(() => expect(ends()).toHaveLength(2));
  expect(ends()).toContainEqual({
    type: 'closed',
    id: 1,
    problem: { code: 'not-found', message: 'there is no such crawl' },
  });
  expect(JSON.stringify(ends())).not.toContain('a secret');
  expect(one.seen).toMatchObject({ failed: 1, open: true });
});

it('cuts off a client that gives no sign of life, and one whose token was revoked', () => {
  const silent = client({ authorization: 'Bearer good' });
  silent.later(59_000);
  silent.session.beat();
  expect(silent.seen.open).toBe(true);
  silent.session.events.alive();
  silent.later(59_000);
  silent.session.beat();
  expect(silent.seen.open).toBe(true);
  silent.later(2_000);
  silent.session.beat();
  expect(silent.seen.cut).toBe(true);
  const revoked = client({ authorization: 'Bearer good' });
  revoked.tokens.clear();
  revoked.session.beat();
  expect(revoked.seen.code).toBe(streamCloses.refused);
});
