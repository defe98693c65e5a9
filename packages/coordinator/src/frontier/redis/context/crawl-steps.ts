import type { CrawlState, WebfarerError } from '@webfarer/protocol';
import { storeTag } from '../../../redis/keys.ts';
import { replyArray } from '../../../redis/reply-array.ts';
import { scripts } from '../../../redis/client/scripts.ts';
import type { RedisStore, Script } from '../../../redis/store.ts';
import type { Reply } from '../../../redis/wire/resp.ts';
import { type Barred, barredBy } from '../../barred.ts';
import type { Tombstone } from '../../frontier.ts';
import type { StoredCrawl } from './stored-crawl.ts';

/** What is in force of a crawl, read in one step. */
export type Change = [settings: string, CrawlState, order: number, told: number];

interface StepParts {
  step(script: Script, ...args: (string | number)[]): Promise<Reply>;
  store: Pick<RedisStore, 'run'>;
  /** What an answer says is in force. */
  take(crawl: StoredCrawl, change: Change): void;
  gone(crawl: StoredCrawl): WebfarerError;
  lookUp(c: string): Promise<void>;
}

/** Changes of one crawl, each one step of the store. */
export interface CrawlSteps {
  /** Changes which hosts it has forgotten, by the list that stands; others of the store see it when they next look. */
  bar(crawl: StoredCrawl, change: (before: Barred | undefined) => Barred): Promise<void>;
  /** Changes the state, unless a later wish than this one came first. */
  setState(crawl: StoredCrawl, state: CrawlState, wish: number | undefined): Promise<void>;
  /** All groups were told of a change, and the highest number that one of them has heard of is this. */
  setTold(crawl: StoredCrawl, order: number, highest: number): Promise<void>;
  /** As the store has it now, whether all its seeds were offered, and how often it was opened again. */
  read(crawl: StoredCrawl): Promise<{ state: CrawlState; seeded: boolean; opened: string }>;
  /** Ends it, unless seeds are missing or it was opened again since `opened` was read. */
  finish(crawl: StoredCrawl, opened: string): Promise<boolean>;
  /** Some group has work again: it runs if it was finished. Answers the state before. */
  reopen(crawl: StoredCrawl): Promise<CrawlState>;
}

export function crawlSteps({ step, store, take, gone, lookUp }: StepParts): CrawlSteps {
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
    async read(crawl) {
      const fields = ['settings', 'state', 'order', 'told', 'opened', 'unseeded'];
      const args = ['HMGET', storeTag + crawl.c, ...fields];
      const [reply = null] = await store.run([{ key: storeTag, args }], { durable: false });
      const [text, state, order, told, opened, unseeded] = replyArray(reply) as (string | null)[];
      if (typeof text !== 'string') throw gone(crawl);
      take(crawl, [text, state as CrawlState, Number(order), Number(told)]);
      return { state: state as CrawlState, seeded: unseeded === null, opened: opened ?? '0' };
    },
    async finish(crawl, opened) {
      const reply = replyArray(await step(scripts.finish, crawl.c, opened));
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
