import type { CrawlId } from '@webfarer/protocol';
import { replyArray } from '../frontier/redis/group-runner.ts';
import { storeTag } from './keys.ts';
import { type Reply, ReplyError } from './client/resp.ts';
import type { RedisStore } from './store.ts';

/** What is written down of each crawl for those who join it, in the words of who began it. */
export interface Catalog {
  read(crawl: CrawlId): Promise<string | undefined>;
  /** Written by whoever comes first; answers what stands there. */
  keep(crawl: CrawlId, text: string): Promise<string>;
  replace(crawl: CrawlId, text: string): Promise<void>;
}

export function redisCatalog(store: RedisStore): Catalog {
  const key = `${storeTag}j`;

  async function run(...commands: (string | number)[][]): Promise<Reply> {
    const replies = await store.run(commands.map((args) => ({ key: storeTag, args })));
    for (const reply of replies) if (reply instanceof ReplyError) replyArray(reply);
    return replies.at(-1) ?? null;
  }

  return {
    async read(crawl) {
      const [text] = await store.run([{ key: storeTag, args: ['HGET', key, crawl] }], { durable: false });
      if (text instanceof ReplyError) replyArray(text);
      return typeof text === 'string' ? text : undefined;
    },
    async keep(crawl, text) {
      const kept = await run(['HSETNX', key, crawl, text], ['HGET', key, crawl]);
      return typeof kept === 'string' ? kept : text;
    },
    async replace(crawl, text) {
      await run(['HSET', key, crawl, text]);
    },
  };
}
