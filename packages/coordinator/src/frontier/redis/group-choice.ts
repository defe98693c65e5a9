import { groupOf } from '@webfarer/protocol/url';
import { replyArray } from '../../redis/reply-array.ts';
import { groupTag } from '../../redis/keys.ts';
import type { RecordFilter } from '../../results/results.ts';
import { hostIn, type UrlPart } from '../url-search.ts';
import type { Context } from './context/context.ts';
import type { StoredCrawl } from './context/stored-crawl.ts';

/** Groups whose sums are asked for at once. */
const askedAtOnce = 128;

/** The groups of a crawl in which a match can be, in their order: all of a site is in one. */
export async function groupsFor(
  context: Context,
  crawl: StoredCrawl,
  filter: RecordFilter,
): Promise<readonly number[]> {
  await context.crawls.read(crawl);
  const { list, has } = crawl.groups;
  const host = hostIn(filter);
  if (host !== undefined) return [context.placeOf(host).group].filter(has);
  if (filter.site !== undefined) return [groupOf(filter.site) % context.crawls.groups].filter(has);
  return list;
}

export interface GroupChoice {
  /** In the order of their numbers. */
  groups: readonly number[];
  parts: readonly UrlPart[];
  filter: RecordFilter;
}

/** Those of these groups that have something in one of the parts: sums are kept, so others need not be searched. */
export async function* groupsWith(
  { store }: Context,
  { c }: StoredCrawl,
  { groups, parts, filter: { reason } }: GroupChoice,
): AsyncGenerator<number[]> {
  const fields = ['known', 'queued', 'leased', ...(reason === undefined ? [] : [`r:${reason}`])];
  for (let at = 0; at < groups.length; at += askedAtOnce) {
    const some = groups.slice(at, at + askedAtOnce);
    const calls = some.map((group) => {
      const key = groupTag(group);
      return { key, args: ['HMGET', `${key}${c}c`, ...fields] };
    });
    const sums = (await store.run(calls, { durable: false })).map((reply) => replyArray(reply).map(Number));
    yield some.filter((_, n) => {
      const [known = 0, queued = 0, leased = 0, ended = known - queued - leased] = sums[n] ?? [];
      const has = { queued: queued > 0, leased: leased > 0, settled: ended > 0 };
      return parts.some((part) => has[part]);
    });
  }
}
