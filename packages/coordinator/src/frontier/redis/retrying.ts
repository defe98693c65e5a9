import type { CrawlId } from '@webfarer/protocol';
import { unpackEdges } from '@webfarer/protocol/link';
import type { UrlStep, UrlStepAnswer } from '../frontier.ts';
import type { RecordFilter } from '../../results/results.ts';
import { filterInTurns } from '../turns.ts';
import { decodePlace, encodePlace, malformed, matchesOutcome, matchesPlace } from '../url-search.ts';
import { isBehind, start } from './draining/group-records.ts';
import type { Context } from './context/context.ts';
import type { StoredCrawl } from './context/stored-crawl.ts';
import { scripts } from '../../redis/client/scripts.ts';
import type { StreamRecord } from './context/record-text.ts';
import { groupsFor, groupsWith } from './group-choice.ts';

/** Outcomes that a step looks at, and URLs that it moves, about. */
const lookedAt = 20_000;
const movedAtOnce = 1_000;
const atOnce = 100;
const rounds = 3;

interface Place {
  group: number;
  /** The last outcome that was looked at. */
  after: string;
  /** The last one that is meant: what was settled when the group was begun. */
  to: string;
}

/** Puts settled URLs back into the queue with fresh tries, those of the next outcomes that match. */
export async function retryStep(
  context: Context,
  id: CrawlId,
  { filter, after, only }: UrlStep<RecordFilter>,
): Promise<UrlStepAnswer> {
  const crawl = await context.crawls.get(id);
  const groups = await groupsFor(context, crawl, filter);
  let place = placeIn(after, crawl.nonce, groups[0] ?? 0);
  let [moved, searched] = [0, 0];
  const isMeant = ({ host, record }: StreamRecord) =>
    matchesOutcome(record, filter) &&
    matchesPlace(record, filter, { host, siteOf: context.crawls.siteOf }) &&
    only(record);
  const left = groups.filter((group) => group >= place.group);
  for await (const some of groupsWith(context, crawl, { groups: left, parts: ['settled'], filter })) {
    for (const group of some) {
      if (group !== place.group) place = { group, after: start, to: '' };
      if (place.to === '') place.to = (await context.records.tips(crawl, [group]))[0] ?? start;
      for (let tries = 0; ; ) {
        if (moved >= movedAtOnce || searched >= lookedAt)
          return { moved, searched, next: encodePlace(crawl.nonce, ['retry', group, place.after, place.to]) };
        const page = await nextPage(context, crawl, place);
        if (page.length === 0) break;
        const meant = await filterInTurns(page, isMeant);
        const { done, asked } = await requeueAll(context, crawl, meant);
        moved += done;
        // Fewer where somebody else did so, or where they have just been drained to a file.
        if (done < asked && ++tries < rounds) continue;
        tries = 0;
        searched += page.length;
        place.after = page.at(-1)?.id ?? place.after;
      }
    }
  }
  return { moved, searched, next: undefined };
}

async function nextPage(
  { records }: Context,
  crawl: StoredCrawl,
  { group, after, to }: Place,
): Promise<StreamRecord[]> {
  for await (const page of records.all(crawl, { group, after }))
    return page.filter(({ id }) => !isBehind(id, to));
  return [];
}

async function requeueAll(
  context: Context,
  crawl: StoredCrawl,
  found: StreamRecord[],
): Promise<{ done: number; asked: number }> {
  let done = 0;
  for (let at = 0; at < found.length; at += atOnce)
    done += await requeue(context, crawl, found.slice(at, at + atOnce));
  return { done, asked: found.length };
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

const recordId = /^\d{1,15}-\d{1,15}$/;

function placeIn(text: string, history: string, first: number): Place {
  const place = decodePlace(text, history);
  if (!place) return { group: first, after: start, to: '' };
  const [what, group, after, to] = place;
  if (
    what !== 'retry' ||
    typeof group !== 'number' ||
    !recordId.test(String(after)) ||
    !recordId.test(String(to))
  )
    throw malformed();
  return { group, after: String(after), to: String(to) };
}
