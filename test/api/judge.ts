import { problemSchema, problemType } from '@webfarer/protocol/api';
import type { RedisServers } from '../redis/servers.ts';
import type { Attack } from './attacks.ts';
import type { WireAnswer } from './send.ts';

/** What a bug of ours looks like from outside. */
const insides = /\bat \S+ \(|\.ts:\d+|node_modules|file:\/\/|\bTypeError\b|\bRangeError\b|ECONN|redis:/;

/** What is wrong with the answer to a request that must be refused; undefined: nothing. */
export function faultOf(
  { expect }: Pick<Attack, 'expect'>,
  { status, headers, text }: WireAnswer,
): string | undefined {
  if (!expect.includes(status))
    return `answered ${status} in place of ${expect.join(' or ')}: ${text.slice(0, 200)}`;
  if (!String(headers['content-type']).startsWith(problemType))
    return `is ${String(headers['content-type'])}`;
  if (insides.test(text)) return `shows its insides: ${text.slice(0, 300)}`;
  if (headers['x-content-type-options'] !== 'nosniff') return 'has no security headers';
  if (status === 405 && headers['allow'] === undefined) return 'does not say what is allowed';
  const problem = readProblem(text);
  if (problem === undefined) return `is no problem document: ${text.slice(0, 200)}`;
  return problem.status === status ? undefined : `says ${problem.status} and is ${status}`;
}

function readProblem(text: string): { status: number } | undefined {
  try {
    return problemSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/**
 * Not compared: what a change answered, kept for a while in case the answer was lost; the order and number of changes; and
 * messages of webhooks, which a coordinator goes on trying to send. Their ids are compared.
 */
const changing = /^\{wf\}R([olv]|:webhook-delivery$)/;

/** All documents of the registry, its audit log and the catalog, as the store itself has them. */
export async function storeContents({ nodes }: RedisServers): Promise<Map<string, string>> {
  const contents = new Map<string, string>();
  for (const node of nodes) {
    const keys = (await node.ask('KEYS', '{wf}[RE]*')) as string[];
    for (const key of keys.toSorted()) {
      if (changing.test(key)) continue;
      const type = (await node.ask('TYPE', key)) as string;
      const words = reading[type];
      if (words) contents.set(key, JSON.stringify(await node.ask(...words(key))));
    }
  }
  return contents;
}

const reading: Record<string, (key: string) => [string, ...string[]]> = {
  hash: (key) => ['HGETALL', key],
  zset: (key) => ['ZRANGE', key, '0', '-1', 'WITHSCORES'],
  stream: (key) => ['XRANGE', key, '-', '+'],
  string: (key) => ['GET', key],
};

/** Keys whose contents differ. */
export function changedKeys(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): string[] {
  const keys = new Set([...before.keys(), ...after.keys()]);
  return [...keys].filter((key) => before.get(key) !== after.get(key));
}
