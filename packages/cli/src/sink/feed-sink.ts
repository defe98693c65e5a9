import { type Clock, errorCodes, WebfarerError } from '@webfarer/protocol';
import type { StreamedEntry } from '@webfarer/protocol/api';
import type { Sink, SinkMessage } from './sink.ts';

/** The end of an answer of the log. */
export interface FeedBookmark {
  kind: 'bookmark';
  /** Behind everything that was looked at. */
  token: string;
  over: boolean;
}
export type FeedLine = (StreamedEntry & { token?: string | undefined }) | FeedBookmark;

/** The results of a crawl, and how far they were handed on. */
export interface FedLog {
  /** What is there behind a token, or behind what was acknowledged last; waits a little where nothing is. */
  read(after: string | undefined, signal: AbortSignal): Promise<AsyncIterable<FeedLine>>;
  /** From now on reading begins behind this token, also in another process. */
  acknowledge(token: string): Promise<void>;
}

export interface FeedOptions {
  log: FedLog;
  sink: Sink;
  /** Makes messages of the lines of one answer, in their order. */
  messageMaker: () => (entry: StreamedEntry) => SinkMessage;
  clock: Clock;
  /** Ends it: what was not acknowledged is sent again by the next one. */
  signal: AbortSignal;
  /** Told what it waits for. */
  waiting: (why: string) => void;
  /** Told how many messages were acknowledged so far. */
  progress: (sent: number) => void;
}

/** Sent and acknowledged at once. */
const most = { messages: 500, chars: 1_000_000 };
const pauseMs = { first: 500, longest: 10_000 };

/**
 * Hands the results of a crawl on until it is over. The position moves only after the sink has acknowledged everything
 * before it: what is sent twice has the same id, and nothing is left out. Answers how many messages were sent.
 */
export async function feedSink(options: FeedOptions): Promise<number> {
  const { log, signal } = options;
  const feed: Feed = { ...options, after: undefined, sent: 0 };
  while (!signal.aborted) {
    const bookmark = await retried(options, async () => await feedAnswer(feed, log));
    if (bookmark?.over) return feed.sent;
  }
  return feed.sent;
}

interface Feed extends FeedOptions {
  /** The last position that was acknowledged in this process. */
  after: string | undefined;
  sent: number;
}

/** One answer of the log, from the last position on. */
async function feedAnswer(feed: Feed, log: FedLog): Promise<FeedBookmark | undefined> {
  let batch: SinkMessage[] = [];
  let chars = 0;
  const messageOf = feed.messageMaker();
  const flush = async (token: string): Promise<void> => {
    if (batch.length > 0) await retried(feed, async () => await feed.sink.send(batch));
    if (feed.signal.aborted) return;
    await log.acknowledge(token);
    feed.after = token;
    feed.sent += batch.length;
    if (batch.length > 0) feed.progress(feed.sent);
    [batch, chars] = [[], 0];
  };
  for await (const line of await log.read(feed.after, feed.signal)) {
    if (feed.signal.aborted) return undefined;
    if (line.kind === 'bookmark') {
      if (line.token !== feed.after) await flush(line.token);
      return line;
    }
    const message = messageOf(line);
    batch.push(message);
    chars += message.value.length;
    const isFull = batch.length >= most.messages || chars >= most.chars;
    // What belongs to one outcome is acknowledged together.
    if (isFull && line.token !== undefined) await flush(line.token);
  }
  throw new WebfarerError('link-lost', 'the coordinator ended its answer early', {
    next: 'Check that it is running.',
  });
}

/** Until it succeeds, or the error is one that time does not heal. */
async function retried<T>(
  { clock, signal, waiting }: Pick<FeedOptions, 'clock' | 'signal' | 'waiting'>,
  work: () => Promise<T>,
): Promise<T | undefined> {
  for (let waitMs = pauseMs.first; ; waitMs = Math.min(waitMs * 2, pauseMs.longest)) {
    try {
      return await work();
    } catch (error) {
      if (signal.aborted) return undefined;
      if (!(error instanceof WebfarerError) || !errorCodes[error.code].retryable) throw error;
      waiting(error.message);
      await clock.sleep(waitMs, signal).catch(() => undefined);
      if (signal.aborted) return undefined;
    }
  }
}
