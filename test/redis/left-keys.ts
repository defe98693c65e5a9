import { openConnection } from '../../packages/coordinator/src/redis/wire/connection.ts';
import { type Command, type Reply, ReplyError } from '../../packages/coordinator/src/redis/wire/resp.ts';
import type { RedisServers } from './servers.ts';

/** A crawl by everything that tells it from others. */
export interface Traces {
  /** Words that no other crawl has anywhere, such as its nonce, and its id where no other crawl had it. */
  words: string[];
  /** Its number in key names. */
  number: string;
}

const times = { connectMs: 2_000, answerMs: 10_000 };

/** How each kind of key is read whole. */
const readers: Record<string, (key: string) => Command> = {
  string: (key) => ['GET', key],
  hash: (key) => ['HGETALL', key],
  list: (key) => ['LRANGE', key, 0, -1],
  set: (key) => ['SMEMBERS', key],
  zset: (key) => ['ZRANGE', key, 0, -1, 'WITHSCORES'],
  stream: (key) => ['XRANGE', key, '-', '+'],
};

/** The number of every crawl that the store lists now, by its id. */
export async function crawlNumbers(servers: RedisServers): Promise<Map<string, string>> {
  for (const { host, port } of servers.nodes) {
    const connection = await openConnection({ host, port, tls: false }, times);
    try {
      const [reply] = await connection.pipeline([['HGETALL', '{wf}i']]);
      if (!Array.isArray(reply)) continue;
      const flat = reply as string[];
      return new Map(flat.flatMap((id, n) => (n % 2 === 0 ? [[id, flat[n + 1] ?? '']] : [])));
    } finally {
      connection.end('read');
    }
  }
  return new Map();
}

/**
 * What every server of a store still has of each of these crawls: every key of every node, primaries and replicas, its
 * name and all of its contents. Answers the keys with a trace of the crawl.
 */
export async function leftKeys(servers: RedisServers, crawls: readonly Traces[]): Promise<string[][]> {
  const left = crawls.map(() => new Set<string>());
  for (const { host, port } of servers.nodes) {
    const connection = await openConnection({ host, port, tls: false }, times);
    const ask = async (commands: Command[]): Promise<Reply[]> => {
      const replies: Reply[] = [];
      for (let from = 0; from < commands.length; from += 1_000)
        replies.push(...(await connection.pipeline(commands.slice(from, from + 1_000))));
      return replies;
    };
    try {
      await ask([['READONLY']]);
      for (const { key, text } of await contents(ask))
        for (const [n, traces] of crawls.entries()) if (has(key, text, traces)) left[n]?.add(key);
    } finally {
      connection.end('scanned');
    }
  }
  return left.map((keys) => [...keys].toSorted());
}

async function contents(
  ask: (commands: Command[]) => Promise<Reply[]>,
): Promise<{ key: string; text: string }[]> {
  const keys = new Set<string>();
  let cursor = '0';
  do {
    const [reply] = await ask([['SCAN', cursor, 'COUNT', 1_000]]);
    const [next, some] = reply as [string, string[]];
    for (const key of some) keys.add(key);
    cursor = next;
  } while (cursor !== '0');
  const names = [...keys];
  const types = (await ask(names.map((key) => ['TYPE', key]))) as string[];
  const values = await ask(
    names.map((key, n) => (readers[types[n] ?? ''] ?? readers['string'])?.(key) ?? []),
  );
  return names.map((key, n) => ({ key, text: textOf(values[n] ?? null) }));
}

function textOf(reply: Reply): string {
  if (reply instanceof ReplyError) return '';
  return Array.isArray(reply) ? reply.map(textOf).join('\n') : String(reply);
}

/** Keys of a crawl begin with its number; the text of a host begins with the numbers of the crawls that have it. */
function has(key: string, text: string, { words, number }: Traces): boolean {
  if (words.some((word) => key.includes(word) || text.includes(word))) return true;
  const [, tag = '', rest = ''] = /^\{(\w+)\}(.*)$/s.exec(key) ?? [];
  if (new RegExp(`^${number}($|[a-z]|[01]:)`, 's').test(rest)) return true;
  const isHost = tag.startsWith('g') && rest.startsWith('h:');
  return isHost && (text.split(';')[0] ?? '').split(' ').includes(number);
}
