import { type Clock, isStorageTrouble } from '@webfarer/protocol';
import { replyArray } from '../../../redis/reply-array.ts';
import type { StoredCrawl } from './stored-crawl.ts';
import { operationId } from '../../../redis/client/operation.ts';
import { groupTag, storeTag } from '../../../redis/keys.ts';
import { scripts } from '../../../redis/client/scripts.ts';
import type { RedisStore } from '../../../redis/store.ts';

export type Ceiling = 'pages' | 'bytes';

/** What a crawl's own ceilings leave it. */
export interface Allowance {
  /** Pages that may be leased now; Infinity without a ceiling. */
  pages: number;
  by?: Ceiling;
  /** Which draw they are from; undefined: nothing was drawn. */
  draw: string | undefined;
  /** The draw that was over had run out, or that is not known: what was leased by it must be given back. */
  isLost: boolean;
}

/**
 * Ceilings of whole crawls, which no group can know (F12). Pages are drawn before they are leased, so that what is leased or
 * done never exceeds the ceiling. A draw belongs to the process that made it and runs out by itself; what is leased by it
 * reaches no worker before the store knows. What a group uses is told as it stands there with the number of its change, so
 * that nothing is forgotten for long: the next one who hears of the group brings what a dead process could not. Crawls
 * without a ceiling cost nothing.
 */
export interface Ledger {
  /** `over`: a draw whose leases are made. */
  draw(crawl: StoredCrawl, pages: number, over?: string): Promise<Allowance>;
  /** What was drawn will not be leased any more, or never reach a worker. */
  abandon(crawl: string, draw: string): void;
  /** Notes what a group uses. */
  note(crawl: string, group: number, used: string): void;
  /** Something that was noted of the crawl is not written yet. */
  owes(crawl: string): boolean;
  /** Writes what was noted. */
  settle(): Promise<void>;
  /** Tells what all its groups use, of a crawl that had no ceiling so far. */
  recount(crawl: StoredCrawl): Promise<void>;
  /** What these groups use now, as the store is told. */
  look(crawl: StoredCrawl, groups: readonly number[]): Promise<string[]>;
}

interface LedgerOptions {
  store: RedisStore;
  clock: Clock;
  /** The store's time; undefined: by its own clock. */
  nowMs: (() => number) | undefined;
  find(c: string): StoredCrawl | undefined;
}

/**
 * The shard that has the ledger may have lost its replica, or not answer. Crawls on the other shards need not wait
 * for it (F10): what is noted is written later, bytes are taken to be below their ceiling as they were, and only a
 * ceiling of pages keeps its crawl waiting, because it must never be passed. For the same reason nobody waits for
 * replicas here.
 */
const patience = { answerMs: 1_000, restMs: 1_000 };
/** A call to lease is over by then, or its leases go back. */
export const drawMs = 15_000;

const endedAtMost = 100;

const counted = ['lv', 'dp', 'lp', 'leased', 'bytes'];

interface Asked {
  pages: number;
  over: readonly string[];
  /** All its groups that use any are among those that are told. */
  isWhole: boolean;
}

interface Answered {
  drawn: number;
  by: Ceiling | undefined;
  lost: Set<string>;
  draw: string | undefined;
}

export function createLedger({ store, clock, nowMs, find }: LedgerOptions): Ledger {
  /** What groups use that the store was not told yet. */
  const noted = new Map<string, Map<number, string>>();
  /** Draws that are over, also those of which nobody knows whether they were made. */
  const ended = new Map<string, Set<string>>();
  /** Nothing is asked before: the last question had no answer. */
  let restsUntilMs = Number.NEGATIVE_INFINITY;

  const hasCeiling = ({ settings: { limits } }: StoredCrawl) =>
    limits.pages !== undefined || limits.bytes !== undefined;

  /** Undefined where the store does not answer. */
  async function ask(crawl: StoredCrawl, { pages, over, isWhole }: Asked): Promise<Answered | undefined> {
    const { c, settings } = crawl;
    remember(c, over);
    if (clock.now() < restsUntilMs) return undefined;
    const ends = [...(ended.get(c) ?? [])];
    const told = [...(noted.get(c) ?? [])];
    const draw = pages > 0 && settings.limits.pages !== undefined ? operationId() : undefined;
    const whole = isWhole ? 'all' : '';
    const args = [c, pages, draw ?? '', drawMs, ends.join(' '), nowMs?.() ?? '', whole, ...told.flat()];
    try {
      const [reply = null] = await store.run([{ key: storeTag, script: scripts.ledger, args }], {
        durable: false,
        deadlineMs: patience.answerMs,
      });
      const [drawn, by, lost, isCounted] = replyArray(reply) as [number, Ceiling | '', string, number];
      forget(c, told, ends);
      if (isCounted === 0) await recount(crawl);
      return { drawn, by: by || undefined, lost: new Set(lost.split(' ')), draw };
    } catch (error) {
      // Nobody knows whether it was made.
      if (draw !== undefined) remember(c, [draw]);
      if (!isStorageTrouble(error)) throw error;
      restsUntilMs = clock.now() + patience.restMs;
      return undefined;
    }
  }

  /** To be told with the next question. While the store is silent the oldest run out by themselves. */
  function remember(c: string, over: readonly string[]): void {
    if (over.length === 0) return;
    const all = [...(ended.get(c) ?? []), ...over];
    ended.set(c, new Set(all.slice(-endedAtMost)));
  }

  /** The store knows them now. */
  function forget(c: string, told: readonly [number, string][], ends: readonly string[]): void {
    const [news, over] = [noted.get(c), ended.get(c)];
    for (const [group, used] of told) if (news?.get(group) === used) news.delete(group);
    for (const one of ends) over?.delete(one);
    if (news?.size === 0) noted.delete(c);
    if (over?.size === 0) ended.delete(c);
  }

  function note(c: string, group: number, used: string): void {
    const crawl = find(c);
    if (!crawl || !hasCeiling(crawl)) return;
    const news = noted.get(c) ?? new Map<number, string>();
    const before = news.get(group);
    if (before === undefined || versionIn(before) < versionIn(used)) news.set(group, used);
    noted.set(c, news);
  }

  async function look({ c }: StoredCrawl, some: readonly number[]): Promise<string[]> {
    const calls = some.map((group) => {
      const key = groupTag(group);
      return { key, args: ['HMGET', `${key}${c}c`, ...counted] };
    });
    const replies = await store.run(calls, { durable: false });
    return replies.map((reply) => replyArray(reply).map(Number).join(' '));
  }

  async function recount(crawl: StoredCrawl): Promise<void> {
    const { list } = crawl.groups;
    for (const [i, used] of (await look(crawl, list)).entries())
      if (/[1-9]/.test(used)) note(crawl.c, list[i] as number, used);
    await ask(crawl, { pages: 0, over: [], isWhole: true });
  }

  return {
    async draw(crawl, pages, over) {
      const unbounded = { pages: Number.POSITIVE_INFINITY, draw: undefined, isLost: false };
      if (!hasCeiling(crawl)) return unbounded;
      const ending = over === undefined ? [] : [over];
      const answer = await ask(crawl, { pages, over: ending, isWhole: false });
      const isLost = over !== undefined && (answer?.lost.has(over) ?? true);
      const by = answer?.by && { by: answer.by };
      if (crawl.settings.limits.pages === undefined)
        return by ? { pages: 0, ...by, draw: undefined, isLost } : { ...unbounded, isLost };
      const { drawn = 0, draw } = answer ?? {};
      return { pages: drawn, ...by, draw: drawn > 0 ? draw : undefined, isLost };
    },
    abandon: (c, draw) => remember(c, [draw]),
    note,
    owes: (c) => noted.has(c) || ended.has(c),
    async settle() {
      const open = new Set([...noted.keys(), ...ended.keys()]);
      await Promise.all(
        [...open].map(async (c) => {
          const crawl = find(c);
          if (crawl) return void (await ask(crawl, { pages: 0, over: [], isWhole: false }));
          // Deleted since: nobody counts its pages any more.
          noted.delete(c);
          ended.delete(c);
        }),
      );
    },
    recount,
    look,
  };
}

/** The number of the change that a group tells of. */
function versionIn(used: string): number {
  return Number(used.slice(0, used.indexOf(' ')));
}
