import type { CrawlId } from '@webfarer/protocol';
import { scripts } from '../../redis/client/scripts.ts';
import { queueLists } from '../../redis/keys.ts';
import type { DropReason, QueueFilter, UrlStep, UrlStepAnswer } from '../frontier.ts';
import { filterInTurns } from '../turns.ts';
import { decodePlace, encodePlace, malformed, matchesPlace } from '../url-search.ts';
import type { Context } from './context/context.ts';
import type { StoredCrawl } from './context/stored-crawl.ts';
import { isEntryText, readEntry } from './context/entry-text.ts';
import { groupsFor, groupsWith } from './group-choice.ts';
import {
  endOf,
  entriesAtOnce,
  isLevel,
  queuesIn,
  type QueuePart,
  type QueuePlace,
  queueStart,
} from './context/queue-reader.ts';

/** Queued URLs that a step looks at, about, and those that one script settles. */
const lookedAt = 10_000;
const settledAtOnce = 500;
/** Entries before the first that was read: some may have been put back to the front since. */
const slack = 500;
const rounds = 3;

/** Settles queued URLs that match as refused, those that come next. */
export async function dropStep(
  context: Context,
  id: CrawlId,
  { filter, after, only, reason }: UrlStep<QueueFilter> & { reason: DropReason },
): Promise<UrlStepAnswer> {
  const crawl = await context.crawls.get(id);
  let place = placeIn(after, crawl.nonce);
  let [moved, searched] = [0, 0];
  const isMeant = (text: string, { host }: QueuePart) => {
    if (!isEntryText(text)) return false;
    const [key = '', tail = ''] = text.split('\n');
    const entry = readEntry(key, tail, host);
    return matchesPlace(entry, filter, { host, siteOf: context.crawls.siteOf }) && only(entry);
  };
  const groups = (await groupsFor(context, crawl, filter)).filter((group) => group >= place.group);
  for await (const some of groupsWith(context, crawl, { groups, parts: ['queued'], filter })) {
    for (const group of some) {
      if (group !== place.group) place = { group, queue: queueStart };
      let tries = 0;
      for (let isRead = false; !isRead; ) {
        isRead = true;
        for await (const part of queuesIn(context, crawl, { group, from: place.queue, filter })) {
          const meant = await filterInTurns(part.entries, (text) => isMeant(text, part));
          const gone = await settle(context, crawl, { group, part, meant, reason });
          moved += gone;
          searched += part.entries.length;
          if (gone < meant.length && ++tries < rounds) {
            // Some have been leased or moved: what is left of them is met when the host is read again.
            place = { group, queue: { ...queueStart, host: part.host } };
            isRead = false;
            break;
          }
          place = { group, queue: behind(place.queue, part, meant) };
          if (searched >= lookedAt)
            return { moved, searched, next: encodePlace(crawl.nonce, valuesOf(place)) };
          tries = 0;
          // More of the list follows, and it is shorter now: read on from where the rest of it stands.
          if (gone > 0 && part.entries.length === entriesAtOnce) {
            isRead = false;
            break;
          }
        }
      }
    }
  }
  return { moved, searched, next: undefined };
}

/** Behind what of a part is left in the list; where nothing is, the place before it. */
function behind(before: QueuePlace, part: QueuePart, meant: string[]): QueuePlace {
  const went = new Set(meant);
  const left = part.entries.filter((text) => !went.has(text));
  if (left.length > 0) return endOf({ ...part, entries: left });
  const { host, level } = part;
  return before.host === host && before.level === level ? before : { ...queueStart, host, level };
}

interface Settle {
  group: number;
  part: QueuePart;
  meant: string[];
  reason: DropReason;
}

async function settle(
  context: Context,
  crawl: StoredCrawl,
  { group, part, meant, reason }: Settle,
): Promise<number> {
  const { host, level, from, entries } = part;
  const { site } = context.placeOf(host);
  let gone = 0;
  for (let at = 0; at < meant.length; at += settledAtOnce) {
    const range = [Math.max(0, from - slack), from + entries.length - 1 + slack];
    const args = [
      crawl.c,
      host,
      site,
      reason,
      queueLists[level] ?? '',
      ...range,
      ...meant.slice(at, at + settledAtOnce),
    ];
    const answer = await context.groups.one(group, scripts.drop, args);
    if (answer.kind === 'ok') gone += Number(answer.values[0]);
  }
  return gone;
}

interface Place {
  group: number;
  queue: QueuePlace;
}

function valuesOf({ group, queue }: Place): (string | number)[] {
  return ['drop', group, queue.host, queue.level, queue.index, queue.mark];
}

function placeIn(after: string, history: string): Place {
  const given = decodePlace(after, history);
  if (!given) return { group: 0, queue: queueStart };
  const [what, group, host, level, index, mark] = given;
  const isPlace =
    what === 'drop' &&
    typeof group === 'number' &&
    typeof host === 'string' &&
    isLevel(level) &&
    typeof index === 'number' &&
    index >= 0 &&
    typeof mark === 'string';
  if (!isPlace) throw malformed();
  return { group, queue: { host, level, index, mark } };
}
