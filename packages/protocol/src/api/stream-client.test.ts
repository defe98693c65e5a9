import { expect, it, vi } from 'vitest';
import type { ClientFrame, ServerFrame, TopicFrame } from './stream.ts';
import { openStreamClient, type StreamNotice, type StreamSocket } from './stream-client.ts';

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

/** A coordinator with a log of numbers, and one socket at a time. */
function coordinator() {
  const sockets: { socket: StreamSocket; url: string; frames: ClientFrame[]; isOpen: boolean }[] = [];
  const log: number[] = [];
  const connect = (url: string): StreamSocket => {
    const mine = { url, frames: [] as ClientFrame[], isOpen: true } as (typeof sockets)[0];
    mine.socket = {
      send(text) {
        const frame = JSON.parse(text) as ClientFrame;
        mine.frames.push(frame);
        if (frame.type === 'hello')
          say({ type: 'welcome', coordinator: 'c', heartbeatMs: 1_000, maxSubscriptions: 9 });
        if (frame.type !== 'subscribe') return;
        const from = frame.after === undefined ? 0 : Number(frame.after);
        for (let n = from; n < log.length; n++) tell(frame.id, n);
      },
      close: () => void (mine.isOpen = false),
      onopen: null,
      onmessage: null,
      onclose: null,
      onerror: null,
    };
    const say = (frame: ServerFrame) =>
      queueMicrotask(() => mine.socket.onmessage?.({ data: JSON.stringify(frame) }));
    const tell = (id: number, n: number) =>
      say({ type: 'delta', id, token: String(n + 1), set: { n: log[n] }, removed: [] });
    sockets.push(mine);
    queueMicrotask(() => mine.socket.onopen?.());
    return mine.socket;
  };
  return {
    sockets,
    log,
    connect,
    cut(code = 1006) {
      const last = sockets.at(-1);
      last?.socket.onclose?.({ code, reason: 'cut' });
    },
  };
}

const clock = { now: () => performance.now(), sleep: () => nextTurn() as Promise<void> };

function open(net: ReturnType<typeof coordinator>, noticed: (what: StreamNotice) => void = () => undefined) {
  return openStreamClient({
    urls: ['http://one', 'http://two/'],
    token: 'secret',
    connect: net.connect,
    clock,
    random: () => 0.5,
    noticed,
  });
}

const numberIn = (frame: TopicFrame) => (frame.type === 'delta' ? frame.set['n'] : undefined);

it('sends the token first and never in the address, and continues elsewhere behind the last frame', async () => {
  const net = coordinator();
  net.log.push(1, 2);
  const stream = open(net);
  const seen: unknown[] = [];
  stream.subscribe({
    on: { topic: 'resources' },
    after: undefined,
    handle: (frame) => void seen.push(numberIn(frame)),
    ended: () => undefined,
  });
  await vi.waitFor(() => expect(seen).toEqual([1, 2]));
  net.log.push(3);
  net.cut();
  await vi.waitFor(() => expect(seen).toEqual([1, 2, 3]));
  expect(net.sockets.map(({ url }) => url)).toEqual(['ws://one/v1/stream', 'ws://two/v1/stream']);
  expect(net.sockets[0]?.frames[0]).toEqual({ type: 'hello', token: 'secret' });
  expect(net.sockets[1]?.frames[1]).toMatchObject({ type: 'subscribe', after: '2' });
  stream.close();
});

it('a frame that is being handled when the connection is lost does not come again', async () => {
  const net = coordinator();
  net.log.push(1, 2, 3);
  const stream = open(net);
  const seen: unknown[] = [];
  const busy = Promise.withResolvers<void>();
  stream.subscribe({
    on: { topic: 'resources' },
    after: undefined,
    async handle(frame) {
      seen.push(numberIn(frame));
      if (numberIn(frame) === 2) await busy.promise;
    },
    ended: () => undefined,
  });
  await vi.waitFor(() => expect(seen).toEqual([1, 2]));
  net.cut();
  // Connected anew, but it is not known yet behind which frame to continue.
  await vi.waitFor(() => expect(net.sockets[1]?.frames).toHaveLength(1));
  for (let n = 0; n < 10; n++) await nextTurn();
  busy.resolve();
  await vi.waitFor(() => expect(seen).toEqual([1, 2, 3]));
  expect(net.sockets[1]?.frames[1]).toMatchObject({ after: '2' });
  stream.close();
});

it('gives up where the token is not accepted, and where a frame cannot be handled', async () => {
  const net = coordinator();
  net.log.push(1);
  const refused: boolean[] = [];
  const stream = open(net, (what) => void (what.kind === 'lost' && refused.push(what.isRefused)));
  const ends: string[] = [];
  const ended = ({ code }: { code: string }) => void ends.push(code);
  const on = { topic: 'resources' } as const;
  stream.subscribe({ on, after: undefined, handle: () => Promise.reject(new Error('full')), ended });
  await vi.waitFor(() => expect(ends).toEqual(['internal']));
  stream.subscribe({ on, after: undefined, handle: () => undefined, ended });
  net.cut();
  await vi.waitFor(() => expect(net.sockets[1]?.frames.length).toBeGreaterThan(0));
  net.cut(4401);
  await vi.waitFor(() => expect(ends).toEqual(['internal', 'link-refused']));
  for (let n = 0; n < 10; n++) await nextTurn();
  expect(net.sockets).toHaveLength(2);
  expect(refused).toEqual([false, true]);
});
