import type { CrawlState, WebfarerError } from '@webfarer/protocol';
import { storeTag } from '../../../redis/keys.ts';
import { replyArray } from '../../../redis/reply-array.ts';
import { scripts } from '../../../redis/client/scripts.ts';
import type { RedisStore, Script } from '../../../redis/store.ts';
import type { Reply } from '../../../redis/wire/resp.ts';
import { type Barred, barredBy } from '../../barred.ts';
import type { RanTime, Tombstone } from '../../frontier.ts';
import type { Ceiling } from './ledger.ts';
import type { StoredCrawl } from './stored-crawl.ts';

/** What is in force of a crawl, read in one step: catalog.lua. */
export type Change = [settings: string, CrawlState, order: number, told: number, groups: string];

/** As crawl/read.lua answers; no settings where the store does not have the crawl. */
export type Read = [Change | [null], nonce: string, forgotten: string, opened: string, unseeded: number];

interface StepParts {
  step(script: Script, ...args: (string | number)[]): Promise<Reply>;
  store: Pick<RedisStore, 'run'>;
  /** What an answer says is in force. */
  take(crawl: StoredCrawl, change: Change): void;
  gone(crawl: StoredCrawl): WebfarerError;
  lookUp(c: string): Promise<unknown>;
  /** The store's time; undefined: by its own clock. */
  nowMs: (() => number) | undefined;
}

/** What groups use that may be in flight, as it was looked at when the ledger had had so many changes. */
export interface LimitLook {
  changes: string;
  which: 'all' | 'some';
  used: (readonly [group: number, used: string])[];
}

export type LimitAnswer =
  | { kind: 'limited'; by: Ceiling | undefined }
  | { kind: 'no' }
  /** These groups are to be looked at first. */
  | { kind: 'look'; changes: string; which: 'all' | 'some'; groups: number[] };

/** Changes of one crawl, each one step of the store. */
export interface CrawlSteps {
  /** Changes which hosts it has forgotten, by the list that stands; others of the store see it when they next look. */
  bar(crawl: StoredCrawl, change: (before: Barred | undefined) => Barred): Promise<void>;
  /** Changes the state, unless a later wish than this one came first. */
  setState(crawl: StoredCrawl, state: CrawlState, wish: number | undefined): Promise<void>;
  /** All its groups were told of a change, and the highest number that one of them has heard of is this. */
  setTold(crawl: StoredCrawl, order: number, highest: number): Promise<void>;
  /** Lists groups that have heard of this change, unless there is a later one. */
  enter(crawl: StoredCrawl, order: number, groups: readonly number[]): Promise<void>;
  /** As the store has it now, whether all its seeds were offered, how often it was opened again, and its groups. */
  read(crawl: StoredCrawl): Promise<{ state: CrawlState; seeded: boolean; opened: string; groups: string }>;
  /** Ends it, unless seeds are missing, or it was opened again or came into other groups since that was read. */
  finish(crawl: StoredCrawl, seen: { opened: string; groups: string }): Promise<boolean>;
  /** Some group has work again: it runs if it was finished. Answers the state before. */
  reopen(crawl: StoredCrawl): Promise<CrawlState>;
  /** Ends it at a ceiling of its own, if one is reached and nothing is drawn or leased. */
  limit(crawl: StoredCrawl, seen: LimitLook | undefined): Promise<LimitAnswer>;
  /** Adds to its running time. */
  keepTime(crawl: StoredCrawl, ran: RanTime): Promise<number>;
}

export function crawlSteps({ step, store, take, gone, lookUp, nowMs }: StepParts): CrawlSteps {
  return {
    async bar(crawl, change) {
      for (let before = barredText(crawl.barred); ; ) {
        const wanted = barredText(change(readBarred(before)));
        const reply = replyArray(await step(scripts.crawlBar, crawl.c, before, wanted));
        if (reply[0] === 'GONE') throw gone(crawl);
        before = reply[1] as string;
        crawl.barred = readBarred(before);
        if (before === wanted) return;
      }
    },
    async setState(crawl, state, wish) {
      const reply = replyArray(await step(scripts.crawlState, crawl.c, state, wish ?? ''));
      if (reply[0] === 'GONE') throw gone(crawl);
      take(crawl, reply[1] as unknown as Change);
    },
    async setTold(crawl, order, highest) {
      const inForce = await step(scripts.crawlTold, crawl.c, order, highest);
      if (inForce === 'GONE') throw gone(crawl);
      if (highest <= order) crawl.told = Math.max(crawl.told, order);
      else await lookUp(crawl.c);
    },
    async enter(crawl, order, groups) {
      const args = [crawl.c, order, ...groups];
      // What a failover forgets of the list is found again: entering.ts.
      const call = { key: storeTag, script: scripts.crawlEnter, args };
      const [reply = null] = await store.run([call], { durable: false });
      const [kind, change] = replyArray(reply);
      if (kind === 'GONE') throw gone(crawl);
      take(crawl, change as unknown as Change);
    },
    async limit(crawl, seen) {
      const { changes = '', which = '', used = [] } = seen ?? {};
      const args = [crawl.c, nowMs?.() ?? '', changes, which, ...used.flat()];
      const [kind, first, second, groups] = replyArray(await step(scripts.crawlLimit, ...args));
      if (kind === 'GONE') throw gone(crawl);
      if (kind === 'NO') return { kind: 'no' };
      if (kind === 'LOOK')
        return {
          kind: 'look',
          changes: first as string,
          which: second as 'all' | 'some',
          groups: (groups as string[]).map(Number),
        };
      take(crawl, first as unknown as Change);
      return { kind: 'limited', by: (second as Ceiling | '') || undefined };
    },
    async keepTime(crawl, { sinceMs, atLeastMs }) {
      const ran = await step(scripts.crawlTime, crawl.c, sinceMs, atLeastMs, nowMs?.() ?? '');
      if (ran === 'GONE') throw gone(crawl);
      return Number(ran);
    },
    async read(crawl) {
      const call = { key: storeTag, script: scripts.crawlRead, args: [crawl.c] };
      const [reply = null] = await store.run([call], { durable: false });
      const [change, , , opened, unseeded] = replyArray(reply) as unknown as Read;
      if (change[0] === null) throw gone(crawl);
      take(crawl, change as Change);
      const [, state, , , groups] = change as Change;
      return { state, seeded: unseeded === 0, opened, groups };
    },
    async finish(crawl, { opened, groups }) {
      const reply = replyArray(await step(scripts.finish, crawl.c, opened, groups));
      if (reply[0] === 'GONE') throw gone(crawl);
      if (reply[0] === 'OK') take(crawl, reply[1] as unknown as Change);
      return reply[0] === 'OK';
    },
    async reopen(crawl) {
      const reply = replyArray(await step(scripts.reopen, crawl.c));
      const [before, change] = reply as unknown as [CrawlState | '', Change];
      if (before === '') throw gone(crawl);
      take(crawl, change);
      return before;
    },
  };
}

export function readBarred(text: string | null): Barred | undefined {
  return text ? barredBy(JSON.parse(text) as Tombstone[]) : undefined;
}

/** As the store has it. */
function barredText(barred: Barred | undefined): string {
  return barred ? JSON.stringify(barred.tombstones) : '';
}
