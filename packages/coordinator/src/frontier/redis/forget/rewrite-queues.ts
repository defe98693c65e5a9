import type { HostMatch } from '@webfarer/protocol/url';
import { groupTag, queueLists } from '../../../redis/keys.ts';
import type { Context } from '../context/context.ts';
import type { StoredCrawl } from '../context/crawl-registry.ts';
import { isEntryText, readEntry } from '../context/entry-text.ts';
import { queuesIn, queueStart } from '../context/queue-reader.ts';

/** Queued URLs of a group that were found on pages of forgotten hosts are told so no more. Nobody leases them meanwhile. */
export async function rewriteQueues(
  context: Context,
  crawl: StoredCrawl,
  group: number,
  match: HostMatch,
): Promise<void> {
  const key = groupTag(group);
  for await (const { host, level, from, entries } of queuesIn(context, crawl, {
    group,
    from: queueStart,
    filter: {},
  })) {
    const list = `${key}${crawl.c}${queueLists[level] ?? ''}${host}`;
    const changes = entries.flatMap((entry, i) => {
      if (!isEntryText(entry)) return [];
      const [text = '', tail = ''] = entry.split('\n');
      const { referrer } = readEntry(text, tail, host);
      if (referrer === undefined || !match.url(referrer)) return [];
      return [{ key, args: ['LSET', list, from + i, `${text}\n${withoutReferrer(tail)}`] }];
    });
    if (changes.length > 0) await context.store.run(changes);
  }
}

/** Hops, cost and label stand before it, each behind a comma. */
export function withoutReferrer(tail: string): string {
  return tail.split(',').slice(0, 4).join(',').replace(/,+$/, '');
}
