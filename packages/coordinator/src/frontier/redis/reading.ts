import type {
  Balance,
  CrawlId,
  CrawlState,
  DroppedReason,
  HostKey,
  HostSums,
  HostWait,
  OutcomeReason,
  RobotsCopy,
  Url,
  WaitReason,
} from '@webfarer/protocol';
import { doneReasons, failedReasons, refusedReasons } from '@webfarer/protocol/crawl';
import { hostOf } from '@webfarer/protocol/url';
import type { CrawlTotals, UrlStory } from '../frontier.ts';
import type { Context } from './context/context.ts';
import type { StoredCrawl } from './context/stored-crawl.ts';
import { keptResults, notAtHand } from './draining/kept-results.ts';
import { findRecord } from './redis-results.ts';
import { keyText, mergeTails, readEntry } from './context/entry-text.ts';
import { replyArray } from '../../redis/reply-array.ts';
import { groupTag, queueLists } from '../../redis/keys.ts';
import type { Reply } from '../../redis/wire/resp.ts';
import { scripts } from '../../redis/client/scripts.ts';

/** All sums of a crawl over its groups, as they were last read. */
async function readSums({ store }: Context, { c, groups }: StoredCrawl): Promise<Sums> {
  const calls = groups.list.map((group) => {
    const key = groupTag(group);
    return { key, args: ['HGETALL', `${key}${c}c`] };
  });
  const sums: Sums = {};
  // Seen, not promised: a shard that lost its replicas still tells.
  for (const reply of await store.run(calls, { durable: false })) {
    const flat = replyArray(reply) as string[];
    for (let i = 0; i < flat.length; i += 2) {
      const name = flat[i] ?? '';
      sums[name] = (sums[name] ?? 0) + Number(flat[i + 1]);
    }
  }
  return sums;
}

export async function balance(context: Context, id: CrawlId): Promise<Balance> {
  const crawl = await context.crawls.get(id);
  await context.crawls.read(crawl);
  return balanceOf(await readSums(context, crawl));
}

export async function totals(context: Context, id: CrawlId): Promise<CrawlTotals> {
  return (await overview(context, id)).totals;
}

/** Balance and totals of one moment, for the price of one of them. */
export async function overview(
  context: Context,
  id: CrawlId,
): Promise<{ balance: Balance; totals: CrawlTotals }> {
  const crawl = await context.crawls.get(id);
  const { state } = await context.crawls.read(crawl);
  const sums = await readSums(context, crawl);
  return { balance: balanceOf(sums), totals: totalsOf(sums, state) };
}

type Sums = Record<string, number>;

function balanceOf(sums: Sums): Balance {
  const { known = 0, queued = 0, leased = 0 } = sums;
  // Every reason belongs to one verdict, so verdicts need no sums of their own.
  const settled = (reasons: object) =>
    Object.keys(reasons).reduce((sum, reason) => sum + (sums[`r:${reason}`] ?? 0), 0);
  const [done, failed, refused] = [doneReasons, failedReasons, refusedReasons].map(settled);
  return { known, queued, leased, done: done ?? 0, failed: failed ?? 0, refused: refused ?? 0 };
}

function totalsOf(sums: Sums, state: CrawlState): CrawlTotals {
  const named = (prefix: string) =>
    Object.fromEntries(
      Object.entries(sums)
        .filter(([name, sum]) => name.startsWith(prefix) && sum !== 0)
        .map(([name, sum]) => [name.slice(prefix.length), sum]),
    );
  return {
    state,
    bytes: sums['bytes'] ?? 0,
    items: sums['items'] ?? 0,
    edges: sums['edges'] ?? 0,
    hosts: sums['hosts'] ?? 0,
    hostsQueued: sums['hq'] ?? 0,
    byReason: named('r:') as Partial<Record<OutcomeReason, number>>,
    byStatus: named('s:'),
    dropped: named('d:') as Partial<Record<DroppedReason, number>>,
  };
}

/** The soonest hosts stand in the groups that are due soonest: no others are asked. */
export async function waiting(
  context: Context,
  id: CrawlId,
  limit: number,
): Promise<(HostWait & HostSums)[]> {
  const crawl = await context.crawls.get(id);
  const asked = context.hints.order(crawl.c);
  const unknown = crawl.groups.list.length === asked.length;
  const groups = unknown ? asked : asked.slice(0, limit);
  const answers = await context.groups.run(
    groups.map((group) => ({ group, script: scripts.waiting, args: [crawl.c, limit] })),
    { durable: false },
  );
  return answers
    .flatMap((answer) => {
      if (answer.kind !== 'ok') return [];
      const [now, hosts] = answer.values as [string, Reply[]];
      return hosts.map((host) => hostWait(Number(now), host as Reply[]));
    })
    .toSorted((a, b) => a.dueInMs - b.dueInMs)
    .slice(0, limit);
}

/** As the scripts give it: host, queued, clock, held until, why, dead, pages done, bytes, troubles. */
function hostWait(now: number, reply: Reply[]): HostWait & HostSums {
  const [host, queued, clock, heldUntil, why, dead, pages, bytes, troubles] = reply as [
    HostKey,
    number,
    ...string[],
  ];
  const held = Number(heldUntil) >= Number(clock) && Number(heldUntil) > now;
  return {
    host,
    queued,
    dueInMs: Math.max(0, Number(clock) - now),
    why: held ? 'held' : (why as WaitReason),
    dead: dead === '1',
    pages: Number(pages),
    bytes: Number(bytes),
    troubles: Number(troubles),
  };
}

/** Hosts whose sums one command reads. */
const sumsAtOnce = 500;

/** Read as they stand: of a host that is being written, those before or after. */
export async function hostSums(
  { store, crawls, placeOf }: Context,
  id: CrawlId,
  hosts: readonly HostKey[],
): Promise<Map<HostKey, HostSums>> {
  const { c } = await crawls.get(id);
  const byGroup = Map.groupBy(new Set(hosts), (host) => placeOf(host).group);
  const parts = [...byGroup].flatMap(([group, all]) =>
    Array.from({ length: Math.ceil(all.length / sumsAtOnce) }, (_, n) => ({
      key: groupTag(group),
      hosts: all.slice(n * sumsAtOnce, (n + 1) * sumsAtOnce),
    })),
  );
  const replies = await store.run(
    parts.map((part) => ({
      key: part.key,
      args: ['MGET', ...part.hosts.map((host) => `${part.key}${c}p:${host}`)],
    })),
    { durable: false },
  );
  const found = new Map<HostKey, HostSums>();
  for (const [n, part] of parts.entries()) {
    const texts = replyArray(replies[n] ?? null);
    for (const [at, host] of part.hosts.entries()) {
      const sums = sumsIn(texts[at]);
      if (sums) found.set(host, sums);
    }
  }
  return found;
}

/** Of the text that state.lua keeps of a host in a crawl: pages done and leased, bytes, troubles, and more. */
function sumsIn(text: unknown): HostSums | undefined {
  if (typeof text !== 'string') return undefined;
  const [pages, , bytes, troubles] = text.split(' ', 4).map(Number);
  if (!Number.isInteger(pages) || !Number.isInteger(bytes) || !Number.isInteger(troubles)) return undefined;
  return { pages: pages ?? 0, bytes: bytes ?? 0, troubles: troubles ?? 0 };
}

export async function look(context: Context, id: CrawlId, url: Url): Promise<UrlStory | undefined> {
  const crawl = await context.crawls.get(id);
  const host = hostOf(url);
  const { group } = context.placeOf(host);
  await context.crawls.read(crawl);
  if (!crawl.groups.has(group)) return undefined;
  const key = keyText(url, host);
  const answer = await context.groups.one(group, scripts.look, [crawl.c, host, crawl.print(url), key]);
  if (answer.kind !== 'ok' || answer.values[0] === 'unknown') return undefined;
  if (answer.values[0] === 'leased') {
    const [, tail = '', worker = '', forMs = ''] = answer.values as string[];
    return { state: 'leased', entry: readEntry(key, tail, host), worker, forMs: Number(forMs) };
  }
  const [, now, reply, asked] = answer.values as [string, string, Reply[], string | null];
  const place = await findQueued(context, crawl, { host, group, key });
  if (place) {
    // What it has been asked for since is kept beside the queue: upgrades.lua.
    const tail = asked?.startsWith('w') ? mergeTails(place.tail, asked.slice(1)) : place.tail;
    const entry = readEntry(key, tail, host);
    return { state: 'queued', entry, host: hostWait(Number(now), reply), ahead: place.ahead };
  }
  const found = await findRecord(context, crawl, url);
  if (found) return { state: 'settled', record: found.record };
  // It is settled all the same: its record is in a file that is not here, or another process has just moved it.
  const { absent } = await keptResults(context, id);
  if (absent.length > 0) throw notAtHand(absent);
  return undefined;
}

const pageSize = 1000;

/** Reads through the host's queue; a question people ask, not a step of a crawl. */
async function findQueued(
  { store }: Context,
  { c }: StoredCrawl,
  { host, group, key }: { host: HostKey; group: number; key: string },
): Promise<{ tail: string; ahead: number } | undefined> {
  let ahead = 0;
  for (const list of queueLists) {
    for (let at = 0; ; at += pageSize) {
      const tag = groupTag(group);
      const args = ['LRANGE', `${tag}${c}${list}${host}`, at, at + pageSize - 1];
      const [reply = null] = await store.run([{ key: tag, args }], { durable: false });
      const page = replyArray(reply) as string[];
      const index = page.findIndex((entry) => entry.startsWith(`${key}\n`));
      if (index >= 0) return { tail: page[index]?.slice(key.length + 1) ?? '', ahead: ahead + index };
      ahead += page.length;
      if (page.length < pageSize) break;
    }
  }
  return undefined;
}

export async function robotsCopy(
  { store, placeOf }: Context,
  origin: string,
): Promise<RobotsCopy | undefined> {
  const key = groupTag(placeOf(hostOf(`${origin}/` as Url)).group);
  const [copy] = await store.run([{ key, args: ['GET', `${key}rb:${origin}`] }]);
  return typeof copy === 'string' ? (JSON.parse(copy) as RobotsCopy) : undefined;
}
