import { type CrawlId, type HostKey, WebfarerError } from '@webfarer/protocol';
import { unpackEdges } from '@webfarer/protocol/link';
import { type HostMatch, hostMatch } from '@webfarer/protocol/url';
import { start } from '../draining/group-records.ts';
import { scripts } from '../../../redis/client/scripts.ts';
import { groupTag, hostIn, queueLists } from '../../../redis/keys.ts';
import { replyArray } from '../../../redis/reply-array.ts';
import { barring } from '../../barred.ts';
import { movedFinder } from '../../forgetting.ts';
import type { ForgetOrder, ForgetStep } from '../../frontier.ts';
import { decodePlace, encodePlace, malformed } from '../../url-search.ts';
import type { Context } from '../context/context.ts';
import type { StoredCrawl } from '../context/stored-crawl.ts';
import { urlOfKey } from '../context/entry-text.ts';
import type { StreamRecord } from '../context/record-text.ts';
import { rewriteQueues } from './rewrite-queues.ts';
import { rewriteResults } from './rewrite-results.ts';

/** URLs that one script deletes. */
const atOnce = 200;

/** By then all processes have heard that a host is barred: what they took in of it until then is erased with the rest. */
const heardMs = 2_000;

/** What is done once the hosts are barred, in this order: all of the hosts themselves, then what names them, group by group. */
const phases = ['hosts', 'others'] as const;
type Phase = (typeof phases)[number];

/**
 * One step of forgetting hosts. Records are texts of a stream that cannot be changed, and deleting one only marks it: so
 * what is left of a group is written anew, in the store and in its files.
 */
export async function forgetStep(
  context: Context,
  id: CrawlId,
  order: ForgetOrder,
  after: string,
): Promise<ForgetStep> {
  const crawl = await context.crawls.get(id);
  await context.crawls.read(crawl);
  const match = hostMatch(order.pattern);
  const [phase, from] = placeIn(after, crawl.nonce);
  const next = (to: Phase | undefined, group: number) =>
    to === undefined ? undefined : encodePlace(crawl.nonce, ['forget', to, group]);
  if (after === '') {
    await context.crawls.bar(crawl, (before) => barring(before, order, context.clock.wall()));
    // Entries of a lease that ends go back to the queue, so that is first.
    for (const host of await hostsOf(context, crawl, match)) await call(context, crawl, host, '', []);
    const since = crawl.barred?.tombstones.find(({ pattern }) => pattern === order.pattern)?.sinceMs ?? 0;
    // The clock of the process that barred it may be ahead.
    const waitMs = Math.min(heardMs, since + heardMs - context.clock.wall());
    return { urls: 0, next: next('hosts', 0), ...(waitMs > 0 ? { waitMs } : {}) };
  }
  if (phase === 'hosts') {
    const { urls, heldMs } = await forgetHosts(context, crawl, match);
    if (heldMs !== undefined) return { urls, next: next('hosts', 0), waitMs: heldMs };
    await forgetRobots(context, match);
    return { urls, next: next('others', 0) };
  }
  const work = { match, findMoved: movedFinder(order.moved) };
  const left = crawl.groups.list.filter((group) => group >= from);
  for (const group of left.slice(0, 1)) {
    await rewriteQueues(context, crawl, group, match);
    await rewriteResults(context, crawl, group, work);
  }
  const [, second] = left;
  return { urls: 0, next: next(second === undefined ? undefined : 'others', second ?? 0) };
}

interface Gone {
  urls: number;
  /** A request may still be under way, for this long at most. */
  heldMs: number | undefined;
}

async function forgetHosts(context: Context, crawl: StoredCrawl, match: HostMatch): Promise<Gone> {
  const sum: Gone = { urls: 0, heldMs: undefined };
  for (const host of await hostsOf(context, crawl, match)) {
    // Entries of a lease that ends go back to the queue, so that is first.
    await call(context, crawl, host, '', []);
    const { group } = context.placeOf(host);
    for await (const page of context.records.all(crawl, { group, after: start }))
      sum.urls += await forgetSettled(context, crawl, host, page);
    sum.urls += await forgetQueued(context, crawl, host);
    const { held } = await call(context, crawl, host, 'end', []);
    if (held > 0) sum.heldMs = Math.max(sum.heldMs ?? 0, held);
  }
  return sum;
}

/** Hosts that the crawl knows. */
async function hostsOf(
  { store, placeOf }: Context,
  { c, groups }: StoredCrawl,
  { pattern, host }: HostMatch,
): Promise<HostKey[]> {
  if (!pattern.startsWith('*.')) return [pattern as HostKey].filter((one) => groups.has(placeOf(one).group));
  const found = new Set<HostKey>();
  for await (const keys of store.scan(`{g*}${c}p:*${pattern.slice(2)}`))
    for (const key of keys) {
      const known = hostIn(key);
      if (known?.c === c && host(known.host as HostKey)) found.add(known.host as HostKey);
    }
  return [...found];
}

async function forgetSettled(
  context: Context,
  crawl: StoredCrawl,
  host: HostKey,
  page: readonly StreamRecord[],
): Promise<number> {
  const own = page.filter((record) => record.host === host);
  let count = 0;
  for (let at = 0; at < own.length; at += atOnce) {
    const args = own
      .slice(at, at + atOnce)
      .flatMap(({ id, inFile, entry, record, itemsText, edgesText }): (string | number)[] => [
        's',
        id,
        inFile ? 'f' : '',
        entry,
        `${record.verdict} ${record.reason} ${record.status ?? ''}`,
        record.bytes,
        itemsText === '' ? 0 : (JSON.parse(itemsText) as unknown[]).length,
        edgesText === '' ? 0 : unpackEdges(record.url, Buffer.from(edgesText, 'base64')).length,
        crawl.print(record.url),
      ]);
    count += (await call(context, crawl, host, '', args)).count;
  }
  return count;
}

async function forgetQueued(context: Context, crawl: StoredCrawl, host: HostKey): Promise<number> {
  const key = groupTag(context.placeOf(host).group);
  let count = 0;
  for (const list of queueLists) {
    for (;;) {
      const args = ['LRANGE', `${key}${crawl.c}${list}${host}`, 0, atOnce - 1];
      const [reply = null] = await context.store.run([{ key, args }]);
      const entries = replyArray(reply) as string[];
      if (entries.length === 0) break;
      const parts = entries.flatMap((entry) => {
        const [text = ''] = entry.split('\n', 1);
        return ['q', list, entry, crawl.print(urlOfKey(text, host))];
      });
      count += (await call(context, crawl, host, '', parts)).count;
    }
  }
  return count;
}

// oxlint-disable-next-line max-params -- the arguments of one script
async function call(
  context: Context,
  { c, id }: StoredCrawl,
  host: HostKey,
  what: '' | 'end',
  parts: (string | number)[],
): Promise<{ count: number; held: number }> {
  const { group, site } = context.placeOf(host);
  const answer = await context.groups.one(group, scripts.forgetHost, [c, host, site, what, ...parts]);
  if (answer.kind === 'stale') throw new WebfarerError('not-found', `no crawl ${id} in this store`);
  const [count, held] = answer.kind === 'ok' ? answer.values : [0, ''];
  return { count: Number(count), held: Number(held) };
}

/** Copies of robots.txt, which all crawls share: another one reads it again. */
async function forgetRobots({ store }: Context, match: HostMatch): Promise<void> {
  for await (const keys of store.scan(`{g*}rb:*${match.pattern.replace(/^\*\./, '')}*`)) {
    const own = keys.filter((key) => match.url(key.slice(key.indexOf('}rb:') + 4)));
    if (own.length > 0) await store.run(own.map((key) => ({ key, args: ['UNLINK', key] })));
  }
}

function placeIn(after: string, history: string): [Phase, number] {
  const place = decodePlace(after, history);
  if (!place) return ['hosts', 0];
  const [what, phase, group] = place;
  if (what !== 'forget' || !phases.includes(phase as Phase) || typeof group !== 'number' || group < 0)
    throw malformed();
  return [phase as Phase, group];
}
