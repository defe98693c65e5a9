import { type Clock, WebfarerError } from '@webfarer/protocol';
import { type Reply, ReplyError } from './wire/resp.ts';
import { openStore } from './store.ts';

/**
 * A server or cluster that holds bytes for others: no scripts, no WAIT, so it needs no more rights than its commands do.
 * Text is bytes, one character for each (latin1), in both directions.
 */
export interface ByteStore {
  /** Every command was carried out when it resolves. Each names the key it is about, and may be sent more than once. */
  run(commands: readonly { key: string; args: (string | number)[] }[]): Promise<ByteReply[]>;
  /** Keys that match a pattern, each at least once. */
  keys(pattern: string): AsyncIterable<string[]>;
  close(): Promise<void>;
}

export type ByteReply = string | number | null | ByteReply[];

/** Short, because whoever stores pauses and tries again, and says so. */
const deadlineMs = 10_000;

export async function openByteStore({ url, clock }: { url: string; clock: Clock }): Promise<ByteStore> {
  const store = await openStore({ url, clock, replicas: 0, encoding: 'latin1' });
  return {
    async run(commands) {
      const replies = await store.run([...commands], { deadlineMs }).catch((error: unknown) => {
        throw asStorage(error);
      });
      return replies.map(accepted);
    },
    keys: (pattern) => store.scan(pattern),
    close: () => store.close(),
  };
}

/** It is not the store of the crawl that does not answer. */
function asStorage(error: unknown): unknown {
  if (!(error instanceof WebfarerError) || error.code !== 'store-silent') return error;
  return new WebfarerError('storage', `cannot save to Redis: ${error.message}`, {
    next: 'Check that the server is running and has memory left; nothing committed is lost and the crawl continues by itself.',
    cause: error,
  });
}

function accepted(reply: Reply): ByteReply {
  if (Array.isArray(reply)) return reply.map(accepted);
  if (!(reply instanceof ReplyError)) return reply;
  throw new WebfarerError('storage', `Redis refused a command: ${reply.text}`, {
    next: 'Allow what it refuses, or give the captures a server of their own.',
  });
}
