import type { CrawlId } from '@webfarer/protocol';
import { siteOf } from '@webfarer/protocol/url';
import type { DropReason, QueueFilter, UrlStep, UrlStepAnswer } from '../frontier.ts';
import { timed } from '../turns.ts';
import { decodePlace, encodePlace, malformed, matchesPlace } from '../url-search.ts';
import { queuedFrom, type QueuedRow, type QueuePosition } from './queue-walk.ts';
import { queueStart } from './rows/queue.ts';
import { settleQueued } from './settling.ts';
import type { Store } from './store.ts';
import { unfetched } from './unfetched.ts';

/** Queued URLs that a step looks at, and URLs that it settles: one transaction. It ends sooner where `only` takes its time. */
const lookedAt = 5_000;
const movedAtOnce = 500;

/** Settles queued URLs that match as refused, those that come next. */
export function dropStep(
  store: Store,
  key: CrawlId,
  { filter, after, only, reason }: UrlStep<QueueFilter> & { reason: DropReason },
): UrlStepAnswer {
  const crawl = store.crawls.change(key);
  const from = positionIn(after, crawl.nonce);
  // Hosts that got their first URL in this transaction are found in the file.
  store.flush();
  const found: QueuedRow[] = [];
  let searched = 0;
  let reached: QueuePosition | undefined;
  const turn = timed(only);
  for (const queued of queuedFrom(store, crawl, { from, filter })) {
    const { pair, row, position } = queued;
    const entry = store.entries.toEntry(row, pair.host.key);
    if (matchesPlace(entry, filter, { host: pair.host.key, siteOf }) && turn.run(entry)) found.push(queued);
    searched++;
    reached = position;
    if (searched >= lookedAt || found.length >= movedAtOnce || turn.isOver()) break;
    reached = undefined;
  }
  for (const { pair, row } of found) settleQueued(store, pair, row, unfetched(store, pair, row, { reason }));
  return {
    moved: found.length,
    searched,
    next:
      reached && encodePlace(crawl.nonce, ['drop', reached.site, reached.pair, reached.level, reached.ord]),
  };
}

function positionIn(after: string, history: string): QueuePosition {
  const place = decodePlace(after, history);
  if (!place) return { site: 0, pair: 0, ...queueStart };
  const [what, site, pair, level, ord] = place;
  const numbers = [site, pair, level, ord];
  if (what !== 'drop' || !numbers.every((number) => typeof number === 'number')) throw malformed();
  return { site, pair, level, ord } as QueuePosition;
}
