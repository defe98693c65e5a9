import type { Clock, CrawlId } from '@webfarer/protocol';
import { scripts } from '../../../redis/client/scripts.ts';
import { storeTag } from '../../../redis/keys.ts';
import { replyArray } from '../../../redis/reply-array.ts';
import type { RedisStore } from '../../../redis/store.ts';
import type { Change } from './crawl-steps.ts';
import type { KeptCrawls } from './kept-crawls.ts';
import type { StoredCrawl } from './stored-crawl.ts';

/** As crawl/changes.lua answers. */
type Changes = [
  latest: string,
  kind: 'ALL' | 'SOME',
  crawls: [c: string, Change | [null], nonce: string, forgotten: string][],
  changed: string[],
  asked: string[],
];

/** All crawls are read so often, and less often the more there are. */
const wholeEveryMs = 30_000;
const wholeMsEach = 10;
/** The version before notes no change: for so long after one was met that nobody noted, all crawls are read each time. */
const unnotedForMs = 600_000;

export interface Refreshing {
  store: RedisStore;
  clock: Clock;
  /** The store's time; undefined: by its own clock. */
  nowMs: (() => number) | undefined;
  kept: KeptCrawls;
  /** Reads one that may be finished, or gone. */
  lookUp(c: string): Promise<unknown>;
  /** Something of this crawl is not as it was known here. */
  changed(id: CrawlId): void;
}

/**
 * Follows what other processes change of the crawls of a store. It reads those that have changed since it last did, so that crawls
 * that wait cost nothing. All are read at first, where the store may have gone back in time, and now and then.
 */
export function followCrawls({
  store,
  clock,
  nowMs,
  kept,
  lookUp,
  changed,
}: Refreshing): () => Promise<void> {
  let heard = '';
  /** The epoch of the store in which that is the number of a change. */
  let heardIn: string | undefined;
  let wholeAtMs = Number.NEGATIVE_INFINITY;
  /** How many were read then. */
  let wholeCount = 0;
  let unnotedUntilMs = Number.NEGATIVE_INFINITY;

  function tell(c: string): void {
    const id = kept.byNumber(c)?.id;
    if (id !== undefined) changed(id);
  }

  function isWholeDue(epoch: string): boolean {
    const now = clock.now();
    const everyMs = wholeEveryMs + wholeMsEach * wholeCount;
    return heardIn !== epoch || now < unnotedUntilMs || now - wholeAtMs >= everyMs;
  }

  return async () => {
    const epoch = store.epoch();
    const isWhole = isWholeDue(epoch);
    const args = [heardIn === epoch ? heard : '', nowMs?.() ?? '', isWhole ? 'all' : ''];
    const call = { key: storeTag, script: scripts.crawlChanges, args };
    const [reply = null] = await store.run([call], { durable: false });
    const [latest, kind, rows, changes, asked] = replyArray(reply) as unknown as Changes;
    const noted = new Set(changes);
    const found = new Set<string>();
    for (const [c, change, nonce, forgotten] of rows) {
      found.add(c);
      if (change[0] === null) {
        tell(c);
        kept.drop(c);
        continue;
      }
      const before = versionOf(kept.byNumber(c));
      const after = versionOf(kept.keep(c, { change: change as Change, nonce, forgotten }));
      if (before === after) continue;
      tell(c);
      if (heardIn === epoch && !noted.has(c)) unnotedUntilMs = clock.now() + unnotedForMs;
    }
    if (kind === 'ALL') {
      wholeAtMs = clock.now();
      wholeCount = rows.length;
      const over = kept.active().filter(({ c }) => !found.has(c));
      await Promise.all(over.map(({ c }) => lookUp(c)));
      for (const { id } of over) changed(id);
    }
    const isAsked = new Set(asked);
    for (const crawl of kept.active()) crawl.alive = isAsked.has(crawl.c);
    kept.prune();
    heard = latest;
    heardIn = epoch;
  };
}

function versionOf(crawl: StoredCrawl | undefined): string {
  return crawl ? `${crawl.nonce} ${crawl.order} ${crawl.groups.text}` : '';
}
