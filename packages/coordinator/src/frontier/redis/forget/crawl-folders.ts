import { createHash } from 'node:crypto';
import { type CrawlId, WebfarerError } from '@webfarer/protocol';
import { scripts } from '../../../redis/client/scripts.ts';
import { storeTag } from '../../../redis/keys.ts';
import { replyArray } from '../../../redis/reply-array.ts';
import type { RedisStore } from '../../../redis/store.ts';

/** The folder of a process that has worked on a crawl of the store. Results, report, index and captures may be in it. */
export interface CrawlFolder {
  member: string;
  folder: string;
  machine: string;
}

/** Which folders there are beside the store, so that deleting a host from all of them can be said to be complete. */
export interface CrawlFolders {
  note(crawl: CrawlId, place: CrawlFolder): Promise<void>;
  /** Nothing of these hosts is in the folder of this member any more. */
  erased(crawl: CrawlId, member: string, pattern: string): Promise<void>;
  /** Folders that may still have something of them. */
  holding(crawl: CrawlId, pattern: string): Promise<CrawlFolder[]>;
}

export interface CrawlFoldersOptions {
  store: RedisStore;
  /** Rejects where the store has no such crawl. */
  get: (crawl: CrawlId) => Promise<{ c: string; nonce: string }>;
}

/** One hash for each crawl: members, and beside each a digest of the hosts that are gone from its folder. */
export function crawlFolders({ store, get }: CrawlFoldersOptions): CrawlFolders {
  async function keep(crawl: CrawlId, field: string, text: string): Promise<void> {
    const { c } = await get(crawl);
    const [reply = null] = await store.run([
      { key: storeTag, script: scripts.home, args: [c, field, text, 'w'] },
    ]);
    if (reply === 'GONE') throw new WebfarerError('not-found', 'the crawl was deleted');
    if (reply !== 'OK') replyArray(reply);
  }

  return {
    note: (crawl, { member, ...place }) => keep(crawl, member, JSON.stringify(place)),
    async erased(crawl, member, pattern) {
      await keep(crawl, erasedIn(member, await get(crawl), pattern), '');
    },
    async holding(crawl, pattern) {
      const found = await get(crawl);
      const args = ['HGETALL', `${storeTag}${found.c}w`];
      const [reply = null] = await store.run([{ key: storeTag, args }]);
      const flat = replyArray(reply) as string[];
      const kept = new Map(flat.flatMap((field, i) => (i % 2 === 0 ? [[field, flat[i + 1] ?? '']] : [])));
      return [...kept].flatMap(([member, text]) =>
        text === '' || kept.has(erasedIn(member, found, pattern))
          ? []
          : [{ member, ...(JSON.parse(text) as Omit<CrawlFolder, 'member'>) }],
      );
    },
  };
}

/** The name of the host stands in its tombstone, and nowhere else in the store. */
function erasedIn(member: string, { nonce }: { nonce: string }, pattern: string): string {
  return `${member} ${createHash('sha256').update(`${nonce} ${pattern}`).digest('base64url')}`;
}
