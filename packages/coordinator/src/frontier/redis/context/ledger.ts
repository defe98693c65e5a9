import { type Clock, isStorageTrouble } from '@webfarer/protocol';
import { replyArray } from '../../../redis/reply-array.ts';
import type { StoredCrawl } from './stored-crawl.ts';
import { operationId } from '../../../redis/client/operation.ts';
import { storeTag } from '../../../redis/keys.ts';
import { scripts } from '../../../redis/client/scripts.ts';
import type { RedisStore } from '../../../redis/store.ts';

/** What a crawl's own ceilings leave it. */
export interface Allowance {
  /** Pages that may be leased now; Infinity without a ceiling. */
  pages: number;
  by?: 'pages' | 'bytes';
}

/**
 * Ceilings of whole crawls, which no group can know (F12). Pages in use, leased or done, are drawn from one
 * number before they are leased, so they never exceed the ceiling; what a page gave back is put back. Crawls
 * without a ceiling cost nothing.
 */
export interface Ledger {
  draw(crawl: StoredCrawl, pages: number): Promise<Allowance>;
  /** Notes a change of what is in use. */
  note(crawl: string, change: { pages: number; bytes: number }): void;
  /** Writes what was noted. */
  settle(): Promise<void>;
  /** Starts over from sums, after the ceiling changed. */
  reset(crawl: StoredCrawl, sums: { pages: number; bytes: number }): Promise<void>;
}

interface LedgerOptions {
  store: RedisStore;
  clock: Clock;
  member: string;
  find(c: string): StoredCrawl | undefined;
}

interface Unanswered {
  c: string;
  args: (string | number)[];
  /** The crawl had a ceiling of pages when this was sent: without one nothing is drawn. */
  isBound: boolean;
}

/**
 * The shard that has the ledger may have lost its replica, or not answer. Crawls on the other shards need not wait
 * for it (F10): what is noted is written later, bytes are taken to be below their ceiling as they were, and only a
 * ceiling of pages keeps its crawl waiting, because it must never be passed. For the same reason nobody waits for
 * replicas here: what a failover forgets is counted anew when the crawl is next opened.
 */
const patience = { answerMs: 1_000, restMs: 1_000 };

export function createLedger({ store, clock, member, find }: LedgerOptions): Ledger {
  /** One after the other: the store remembers the last operation of each process. */
  let turn: Promise<unknown> = Promise.resolve();
  /** Sent without an answer: sent again as it was before anything else, so that it is done once. */
  let open: Unanswered | undefined;
  /** Nothing is asked before: the last question had no answer. */
  let restsUntilMs = Number.NEGATIVE_INFINITY;
  const noted = new Map<string, { pages: number; bytes: number }>();

  const limits = (crawl: StoredCrawl) => crawl.settings.limits;
  const isBounded = (crawl: StoredCrawl) =>
    limits(crawl).pages !== undefined || limits(crawl).bytes !== undefined;

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = turn.then(work);
    turn = mine.catch(() => undefined);
    return mine;
  }

  /** Undefined where the store does not answer. */
  function move(crawl: StoredCrawl, wanted: number): Promise<Allowance | undefined> {
    if (clock.now() < restsUntilMs) return Promise.resolve(undefined);
    return inTurn(() => moveNow(crawl, wanted));
  }

  async function moveNow(crawl: StoredCrawl, wanted: number): Promise<Allowance | undefined> {
    if (clock.now() < restsUntilMs) return undefined;
    try {
      if (open) await repeat(open);
      const { pages = 0, bytes = 0 } = noted.get(crawl.c) ?? {};
      noted.delete(crawl.c);
      const ceilings = [limits(crawl).pages ?? '', limits(crawl).bytes ?? ''];
      const args = [crawl.c, pages, bytes, wanted, ...ceilings, member, operationId()];
      open = { c: crawl.c, args, isBound: limits(crawl).pages !== undefined };
      const { drawn, by } = await ask(args);
      open = undefined;
      return by === '' ? { pages: drawn } : { pages: 0, by };
    } catch (error) {
      if (!isStorageTrouble(error)) throw error;
      restsUntilMs = clock.now() + patience.restMs;
      return undefined;
    }
  }

  /** What it drew is not needed any more. */
  async function repeat({ c, args, isBound }: Unanswered): Promise<void> {
    const { drawn } = await ask(args);
    open = undefined;
    if (isBound) note(c, { pages: -drawn, bytes: 0 });
  }

  async function ask(args: (string | number)[]): Promise<{ drawn: number; by: '' | 'pages' | 'bytes' }> {
    const [reply = null] = await store.run([{ key: storeTag, script: scripts.ledger, args }], {
      durable: false,
      deadlineMs: patience.answerMs,
    });
    const [drawn, by] = replyArray(reply) as [number, '' | 'pages' | 'bytes'];
    return { drawn, by };
  }

  function note(c: string, change: { pages: number; bytes: number }): void {
    const crawl = find(c);
    if (!crawl || !isBounded(crawl) || (change.pages === 0 && change.bytes === 0)) return;
    const before = noted.get(c) ?? { pages: 0, bytes: 0 };
    noted.set(c, { pages: before.pages + change.pages, bytes: before.bytes + change.bytes });
  }

  return {
    async draw(crawl, pages) {
      if (!isBounded(crawl)) return { pages: Number.POSITIVE_INFINITY };
      const allowed = await move(crawl, pages);
      if (limits(crawl).pages !== undefined) return allowed ?? { pages: 0 };
      // Only bytes are bounded: nothing was drawn.
      return allowed?.by ? allowed : { pages: Number.POSITIVE_INFINITY };
    },
    note,
    async settle() {
      if (noted.size === 0) return;
      const crawls = [...noted.keys()].map((c) => ({ c, crawl: find(c) }));
      // Deleted since: nobody counts its pages any more.
      for (const { c, crawl } of crawls) if (!crawl) noted.delete(c);
      await Promise.all(crawls.map(async ({ crawl }) => crawl && (await move(crawl, 0))));
    },
    reset: ({ c }, sums) =>
      inTurn(async () => {
        noted.delete(c);
        // Whatever it drew, or put back, is not in the new sums: sent again, it would be put back once too often.
        if (open?.c === c) open = undefined;
        const args = [c, sums.pages, sums.bytes];
        await store.run([{ key: storeTag, script: scripts.ledgerReset, args }]);
      }),
  };
}
