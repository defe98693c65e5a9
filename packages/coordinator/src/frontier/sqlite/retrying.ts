import type { CrawlId } from '@webfarer/protocol';
import type { UrlStep, UrlStepAnswer } from '../frontier.ts';
import type { RecordFilter } from '../../results/results.ts';
import { timed } from '../turns.ts';
import { decodePlace, encodePlace, malformed } from '../url-search.ts';
import { bandOf, joinUrl, kindOf } from './rows/entries.ts';
import type { Store } from './store.ts';
import { unsettle } from './upgrading.ts';

/** Outcomes that a step looks at, and URLs that it moves: one transaction. It ends sooner where `only` takes its time. */
const lookedAt = 50_000;
const movedAtOnce = 500;

/** Puts settled URLs back into the queue with fresh tries, those of the next outcomes that match. */
export function retryStep(
  store: Store,
  key: CrawlId,
  { filter, after, only }: UrlStep<RecordFilter>,
): UrlStepAnswer {
  const crawl = store.crawls.change(key);
  const { records } = store;
  const [from, last] = rangeIn(after, crawl.nonce, records.ids.last());
  const upTo = Math.min(last, from + lookedAt);
  const page = records.page(crawl.id, filter, { after: from, upTo, limit: movedAtOnce });
  const turn = timed(only);
  let moved = 0;
  let to = page.length < movedAtOnce ? upTo : (page.at(-1)?.id ?? upTo);
  for (const [at, row] of page.entries()) {
    if (at > 0 && turn.isOver()) {
      to = page[at - 1]?.id ?? to;
      break;
    }
    const url = joinUrl(row.bits, row.host, row.rest);
    if (!turn.run({ url, kind: kindOf(row.bits), depth: Math.floor(row.bits / 2048) })) continue;
    const pair = store.hosts.pairById(row.pair);
    pair.dead = null;
    pair.troubles = 0;
    unsettle(store, pair, row, bandOf(store.entries.get(row.entry)?.ord ?? null));
    moved++;
  }
  if (moved > 0 && crawl.state === 'finished') crawl.state = 'running';
  return {
    moved,
    searched: to - from,
    next: to < last ? encodePlace(crawl.nonce, ['retry', to, last]) : undefined,
  };
}

/** Up to the last outcome there was at the first step: what is settled since is not meant. */
function rangeIn(after: string, history: string, last: number): [from: number, to: number] {
  const place = decodePlace(after, history);
  if (!place) return [0, last];
  const [what, from, to] = place;
  if (what !== 'retry' || typeof from !== 'number' || typeof to !== 'number' || from < 0 || to > last)
    throw malformed();
  return [from, to];
}
