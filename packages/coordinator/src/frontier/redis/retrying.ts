import type { CrawlId } from '@webfarer/protocol';
import { unpackEdges } from '@webfarer/protocol/link';
import type { RecordFilter } from '../frontier.ts';
import { allGroups, type Context } from './context/context.ts';
import type { StoredCrawl } from './context/crawl-registry.ts';
import { scripts } from '../../redis/client/scripts.ts';
import type { StreamRecord } from './context/record-text.ts';
import { matches } from './redis-results.ts';

const atOnce = 100;
const rounds = 3;

/** Puts settled URLs back into the queue with fresh tries, in bounded steps; each record counts once. */
export async function retry(context: Context, id: CrawlId, filter: RecordFilter): Promise<number> {
  const crawl = await context.crawls.get(id);
  let count = 0;
  for (const group of allGroups(context)) {
    for (let round = 0, missed = true; missed && round < rounds; round++) {
      const { done, asked } = await retryGroup(context, { crawl, group, filter });
      count += done;
      missed = done < asked;
    }
  }
  return count;
}

/** Fewer than asked for are put back where somebody else did so, or where they have just been drained to a file. */
async function retryGroup(
  context: Context,
  { crawl, group, filter }: { crawl: StoredCrawl; group: number; filter: RecordFilter },
): Promise<{ done: number; asked: number }> {
  const found: StreamRecord[] = [];
  let [done, asked] = [0, 0];
  const put = async (some: StreamRecord[]) => {
    asked += some.length;
    if (some.length > 0) done += await requeue(context, crawl, some);
  };
  for await (const page of context.records.all(crawl, group)) {
    found.push(...page.filter((record) => matches(record, filter)));
    while (found.length >= atOnce) await put(found.splice(0, atOnce));
  }
  await put(found);
  return { done, asked };
}

async function requeue(context: Context, crawl: StoredCrawl, found: StreamRecord[]): Promise<number> {
  const group = found[0]?.group ?? 0;
  const args = found.flatMap(({ id, inFile, host, entry, record, itemsText, edgesText }) => [
    id,
    inFile ? 'f' : '',
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
