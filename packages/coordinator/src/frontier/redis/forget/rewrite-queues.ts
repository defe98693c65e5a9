import { WebfarerError } from '@webfarer/protocol';
import type { HostMatch } from '@webfarer/protocol/url';
import { scripts } from '../../../redis/client/scripts.ts';
import { queueLists } from '../../../redis/keys.ts';
import type { Context } from '../context/context.ts';
import type { StoredCrawl } from '../context/stored-crawl.ts';
import { isEntryText, readEntry } from '../context/entry-text.ts';
import { queuesIn, queueStart } from '../context/queue-reader.ts';

/** Passes over the queues of a group: one that is leased from meanwhile is read again. */
const mostPasses = 20;

/**
 * Queued URLs of a group that were found on pages of forgotten hosts are told so no more. Should the crawl be resumed
 * elsewhere meanwhile, what is leased keeps its text, and nothing is written over another entry.
 */
export async function rewriteQueues(
  context: Context,
  crawl: StoredCrawl,
  group: number,
  match: HostMatch,
): Promise<void> {
  for (let pass = 0; pass < mostPasses; pass++)
    if ((await rewriteOnce(context, crawl, group, match)) === 0) return;
  throw new WebfarerError('conflict', 'queued URLs keep moving while a host is being deleted', {
    next: 'Stop the crawl at all coordinators, then run the same command again.',
  });
}

/** Answers how many entries had moved before they could be written. */
async function rewriteOnce(
  context: Context,
  crawl: StoredCrawl,
  group: number,
  match: HostMatch,
): Promise<number> {
  let missed = 0;
  for await (const { host, level, from, entries } of queuesIn(context, crawl, {
    group,
    from: queueStart,
    filter: {},
  })) {
    const changes = entries.flatMap((entry, i) => {
      if (!isEntryText(entry)) return [];
      const [text = '', tail = ''] = entry.split('\n');
      const { referrer } = readEntry(text, tail, host);
      if (referrer === undefined || !match.url(referrer)) return [];
      return [from + i, entry, `${text}\n${withoutReferrer(tail)}`];
    });
    if (changes.length === 0) continue;
    const list = `${queueLists[level] ?? ''}${host}`;
    const answer = await context.groups.one(group, scripts.rewriteQueue, [crawl.c, list, ...changes]);
    missed += answer.kind === 'ok' ? Number(answer.values[0]) : 0;
  }
  return missed;
}

/** Hops, cost and label stand before it, each behind a comma. */
export function withoutReferrer(tail: string): string {
  return tail.split(',').slice(0, 4).join(',').replace(/,+$/, '');
}
