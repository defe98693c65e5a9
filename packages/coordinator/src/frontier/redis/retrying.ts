import { type CrawlId, unpackEdges } from '@webfarer/protocol';
import type { RecordFilter } from '../frontier.ts';
import { allGroups, type Context } from './context.ts';
import type { StoredCrawl } from './crawl-registry.ts';
import { scripts } from './scripts.ts';
import type { StreamRecord } from './record-text.ts';
import { groupRecords, matches } from './redis-results.ts';

const atOnce = 100;

/** Puts settled URLs back into the queue with fresh tries, in bounded steps; each record counts once. */
export async function retry(context: Context, id: CrawlId, filter: RecordFilter): Promise<number> {
  const crawl = await context.crawls.get(id);
  let count = 0;
  for (const group of allGroups(context)) {
    const found: StreamRecord[] = [];
    for await (const page of groupRecords(context, crawl, group)) {
      found.push(...page.filter((record) => matches(record, filter)));
      while (found.length >= atOnce) count += await requeue(context, crawl, found.splice(0, atOnce));
    }
    if (found.length > 0) count += await requeue(context, crawl, found);
  }
  return count;
}

async function requeue(context: Context, crawl: StoredCrawl, found: StreamRecord[]): Promise<number> {
  const group = found[0]?.group ?? 0;
  const args = found.flatMap(({ id, host, entry, record, itemsText, edgesText }) => [
    id,
    host,
    context.placeOf(host).site,
    entry,
    record.verdict,
    record.reason,
    record.status ?? '',
    record.bytes,
    itemsText === '' ? 0 : (JSON.parse(itemsText) as unknown[]).length,
    edgesText === '' ? 0 : unpackEdges(record.url, Buffer.from(edgesText, 'base64')).length,
  ]);
  const answer = await context.groups.one(group, scripts.requeue, [crawl.c, ...args]);
  return answer.kind === 'ok' ? Number(answer.values[0]) : 0;
}
