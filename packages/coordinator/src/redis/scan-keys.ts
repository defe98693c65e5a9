import { openConnection } from './wire/connection.ts';
import { type Reply, ReplyError } from './wire/resp.ts';
import type { Topology } from './topology/topology.ts';

const times = { connectMs: 2_000, answerMs: 10_000 };
/** Looked at in one step of the engine, which serves nobody else meanwhile: well under a millisecond. */
const atOnce = 1_000;

export async function* scanKeys(topology: Topology, pattern: string): AsyncGenerator<string[]> {
  await topology.refresh();
  for (const address of topology.primaries()) {
    const connection = await openConnection(topology.endpoint(address), times);
    try {
      let cursor = '0';
      do {
        const [reply = null] = await connection.pipeline([
          ['SCAN', cursor, 'MATCH', pattern, 'COUNT', atOnce],
        ]);
        const [next, keys] = parts(reply);
        cursor = next;
        if (keys.length > 0) yield keys;
      } while (cursor !== '0');
    } finally {
      connection.end('scanned');
    }
  }
}

function parts(reply: Reply): [string, string[]] {
  if (reply instanceof ReplyError) throw new Error(`the store answered: ${reply.text}`);
  return reply as [string, string[]];
}
