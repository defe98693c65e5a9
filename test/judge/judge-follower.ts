import { createHash } from 'node:crypto';
import type { CrawlTotals } from '../../packages/coordinator/src/index.ts';
import {
  type ResultEntry,
  resultKinds,
  type Results,
} from '../../packages/coordinator/src/results/results.ts';
import { hostOf } from '../../packages/protocol/src/url/index.ts';
import type { Url } from '../../packages/protocol/src/index.ts';
import { simulated, type YieldOf } from '../redis/simulated-crawl.ts';

/** What a follower of results has, compared with what it must have. All but the sums must be 0. */
export interface Verdicts {
  /** URLs of the crawl whose last outcome the follower does not have, or has another one of. */
  lost: number;
  /** Outcomes that came more than once, and such as the crawl does not have. */
  repeated: number;
  /** Outcomes whose items or links are not all there, next to the record. */
  torn: number;
  /** Outcomes that came before one of the same host that was fetched earlier, or not in the order of their group. */
  disordered: number;
  outcomes: number;
  items: number;
  links: number;
  /** Outcomes that a retry replaced after the follower had seen them. */
  replaced: number;
}

/**
 * Each fetch has a number, which is in all that it yields. The URL alone says how much that is, and whether the fetch
 * fails: a retry of it fails again, which is as good for this purpose.
 */
export const yieldOf: YieldOf = (url, nth) => {
  const { items, edges, fails } = plan(url);
  return {
    record: { startedAtMs: nth, ...(fails ? { verdict: 'failed', reason: 'timeout' } : {}) },
    items: Array.from({ length: items }, (_, n) => ({ nth, n })),
    edges: Array.from({ length: edges }, (_, n) => ({ to: `${url}/${n}` as Url, rel: 'a', text: `${nth}` })),
  };
};

function plan(url: Url): { items: number; edges: number; fails: boolean } {
  const [a = 0, b = 0, c = 0] = createHash('sha1').update(url).digest();
  return { items: a % 3, edges: b % 4, fails: c % 8 === 0 };
}

interface Outcome {
  url: Url;
  nth: number;
  group: number;
  entries: ResultEntry[];
}

/** `results` is asked from the start once more, in one go: for the order of groups, which only the store knows. */
export async function judgeFollower(
  log: ResultEntry[],
  { urls, totals, results }: { urls: Set<Url>; totals: CrawlTotals; results: Results },
): Promise<Verdicts> {
  const outcomes = outcomesIn(log);
  const keys = outcomes.map(({ url, nth }) => `${url} ${nth}`);
  const latest = new Map(outcomes.map(({ url, nth }) => [url, nth]));
  const whole = outcomesIn(await readWhole(results));
  const isLost = (url: Url) => !latest.has(url);
  const stale = whole.filter(({ url, nth }) => latest.get(url) !== nth);
  const current = outcomes.filter(({ url, nth }) => latest.get(url) === nth);
  const items = countOf(current, 'item');
  const links = countOf(current, 'links');
  return {
    lost: [...urls].filter(isLost).length + stale.length + Math.max(0, urls.size - whole.length),
    repeated: keys.length - new Set(keys).size + outcomes.filter(({ url }) => !urls.has(url)).length,
    torn:
      outcomes.filter((outcome) => !isWhole(outcome)).length +
      Number(items !== totals.items) +
      Number(links !== totals.edges),
    disordered: outOfTurn(outcomes) + outOfOrder(outcomes, whole),
    outcomes: outcomes.length,
    items,
    links,
    replaced: outcomes.length - current.length,
  };
}

async function readWhole(results: Results): Promise<ResultEntry[]> {
  const entries: ResultEntry[] = [];
  const query = { kinds: resultKinds, filter: {}, limit: 1_000, absent: 'hold' as const };
  for (let cursor, more = true; more; ) {
    const page = await results.after(simulated, cursor, query);
    entries.push(...page.entries);
    ({ cursor, more } = page);
  }
  return entries;
}

/** A record and what follows it until the next. */
function outcomesIn(log: ResultEntry[]): Outcome[] {
  const outcomes: Outcome[] = [];
  for (const entry of log) {
    if (entry.kind === 'record')
      outcomes.push({ url: entry.url, nth: entry.record.startedAtMs, group: entry.group, entries: [] });
    else outcomes.at(-1)?.entries.push(entry);
  }
  return outcomes;
}

function isWhole({ url, nth, entries }: Outcome): boolean {
  const { items, edges } = yieldOf(url, nth);
  const expected = [
    ...items.map((item) => JSON.stringify([url, item])),
    ...(edges.length > 0 ? [JSON.stringify([url, edges])] : []),
  ];
  const found = entries.map((entry) =>
    JSON.stringify([
      entry.url,
      entry.kind === 'item' ? entry.item : entry.kind === 'links' && entry.links.edges,
    ]),
  );
  return expected.join('\n') === found.join('\n');
}

function countOf(outcomes: Outcome[], kind: 'item' | 'links'): number {
  const entries = outcomes.flatMap((outcome) => outcome.entries);
  return entries.reduce((sum, entry) => {
    if (entry.kind !== kind) return sum;
    return sum + (entry.kind === 'links' ? entry.links.edges.length : 1);
  }, 0);
}

/** A host is fetched from by one at a time, so its outcomes come in the order of its fetches. */
function outOfTurn(outcomes: Outcome[]): number {
  const last = new Map<string, number>();
  let count = 0;
  for (const { url, nth } of outcomes) {
    if (nth < (last.get(hostOf(url)) ?? 0)) count++;
    last.set(hostOf(url), nth);
  }
  return count;
}

/** In each group what is left in the end stands in the follower's log in the same order. */
function outOfOrder(outcomes: Outcome[], whole: Outcome[]): number {
  const places = new Map(outcomes.map(({ url, nth }, place) => [`${url} ${nth}`, place]));
  const last = new Map<number, number>();
  let count = 0;
  for (const { url, nth, group } of whole) {
    const place = places.get(`${url} ${nth}`) ?? Number.POSITIVE_INFINITY;
    if (place < (last.get(group) ?? 0)) count++;
    last.set(group, place);
  }
  return count;
}
