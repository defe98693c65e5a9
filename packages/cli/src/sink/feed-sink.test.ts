import { systemClock, WebfarerError } from '@webfarer/protocol';
import type { StreamedEntry } from '@webfarer/protocol/api';
import { expect, it } from 'vitest';
import { type FedLog, type FeedLine, feedSink } from './feed-sink.ts';
import { messageMaker } from './messages.ts';
import type { Sink, SinkMessage } from './sink.ts';

const crawl = { id: 'shop', createdAtMs: 17 };
/** Pages with two items each; the second line of each page has the token. */
const lines: (StreamedEntry & { token?: string })[] = Array.from({ length: 700 }, (_, n) => [
  { kind: 'item' as const, group: 0, position: `0-${n}-0`, url: `http://a.test/${n}`, item: 'first' },
  {
    kind: 'item' as const,
    group: 0,
    position: `0-${n}-0`,
    url: `http://a.test/${n}`,
    item: 'second',
    token: `${n}`,
  },
]).flat();
const ids = lines.map(({ position }, n) => `shop/17/item/${position}/${n % 2}`);

/** A log whose answers have `each` outcomes, and that breaks off where it is told to. */
function logOf({ each = 250, breaksAt = [] as number[] } = {}): FedLog & { acknowledged: string[] } {
  const acknowledged: string[] = [];
  return {
    acknowledged,
    async read(after) {
      const from = (Number(after ?? acknowledged.at(-1) ?? -1) + 1) * 2;
      return (async function* (): AsyncGenerator<FeedLine> {
        const until = Math.min(from + each * 2, lines.length);
        for (let n = from; n < until; n++) {
          if (breaksAt[0] === n) throw new WebfarerError('link-lost', `broke at ${breaksAt.shift()}`);
          yield lines[n] as FeedLine;
        }
        yield { kind: 'bookmark', token: String(until / 2 - 1), over: until === lines.length };
      })();
    },
    async acknowledge(token) {
      acknowledged.push(token);
    },
  };
}

/** Keeps what arrives. Each entry of `fails` is an attempt: how many messages arrive before it fails. */
function sinkOf(fails: (number | undefined)[] = []): Sink & { arrived: SinkMessage[] } {
  const arrived: SinkMessage[] = [];
  return {
    name: 'test',
    arrived,
    async send(messages) {
      const fail = fails.shift();
      arrived.push(...messages.slice(0, fail));
      if (fail !== undefined) throw new WebfarerError('link-lost', 'the broker is gone');
    },
    close: () => Promise.resolve(),
  };
}

const clock = { ...systemClock(), sleep: () => Promise.resolve() };
const options = (log: FedLog, sink: Sink, leave = new AbortController()) => ({
  log,
  sink,
  clock,
  messageMaker: () => messageMaker(crawl),
  signal: leave.signal,
  waiting: () => undefined,
  progress: () => undefined,
});
const idsOf = (messages: readonly SinkMessage[]) => messages.map(({ headers }) => headers['webfarer-id']);

it('hands every line on once, in order, with an id of its own', async () => {
  const [log, sink] = [logOf(), sinkOf()];
  expect(await feedSink(options(log, sink))).toBe(lines.length);
  expect(idsOf(sink.arrived)).toEqual(ids);
  expect(log.acknowledged.at(-1)).toBe('699');
  expect(JSON.parse(sink.arrived[1]?.value ?? '')).toEqual({ ...lines[1], token: undefined });
  expect(sink.arrived[1]?.key).toBe('http://a.test/0');
});

it('sends again what was not acknowledged, with the same ids', async () => {
  const [log, sink] = [logOf({ breaksAt: [3, 700, 1_001] }), sinkOf([0, 17, undefined, 499, 2])];
  await feedSink(options(log, sink));
  expect(sink.arrived.length).toBeGreaterThan(lines.length);
  // Without repeats it is the log, in its order.
  expect([...new Set(idsOf(sink.arrived))]).toEqual(ids);
});

it('moves the position only behind what the sink has acknowledged', async () => {
  const [log, leave] = [logOf(), new AbortController()];
  const known: string[] = [];
  const sink = sinkOf();
  const send = sink.send.bind(sink);
  let batches = 0;
  sink.send = async (messages) => {
    // As if the process ended here.
    if (++batches === 3) {
      leave.abort();
      throw new WebfarerError('link-lost', 'the broker is gone');
    }
    await send(messages);
    known.push(...(idsOf(messages) as string[]));
  };
  await feedSink(options(log, sink, leave));
  const position = Number(log.acknowledged.at(-1));
  expect(known).toEqual(ids.slice(0, (position + 1) * 2));
  await feedSink(options(log, sinkOf()));
  expect(Number(log.acknowledged.at(-1))).toBe(699);
});

it('stops at an error that time does not heal', async () => {
  const [log, sink] = [logOf(), sinkOf()];
  sink.send = () => Promise.reject(new WebfarerError('usage', 'MESSAGE_TOO_LARGE'));
  await expect(feedSink(options(log, sink))).rejects.toThrow('MESSAGE_TOO_LARGE');
  expect(log.acknowledged).toEqual([]);
});
