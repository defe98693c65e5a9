import { replyArray } from './group-runner.ts';
import type { StoredCrawl } from './crawl-registry.ts';
import { operationId } from './operation.ts';
import { storeTag } from './keys.ts';
import { scripts } from './scripts.ts';
import type { RedisStore } from './store.ts';

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

export function createLedger(
  store: RedisStore,
  member: string,
  find: (c: string) => StoredCrawl | undefined,
): Ledger {
  /** One after the other: the store remembers the last operation of each process. */
  let turn: Promise<unknown> = Promise.resolve();
  let noted = new Map<string, { pages: number; bytes: number }>();

  const limits = (crawl: StoredCrawl) => crawl.settings.limits;
  const isBounded = (crawl: StoredCrawl) =>
    limits(crawl).pages !== undefined || limits(crawl).bytes !== undefined;

  function move(crawl: StoredCrawl, wanted: number): Promise<Allowance> {
    const mine = turn.then(() => moveNow(crawl, wanted));
    turn = mine.catch(() => undefined);
    return mine;
  }

  async function moveNow(crawl: StoredCrawl, wanted: number): Promise<Allowance> {
    const { pages = 0, bytes = 0 } = noted.get(crawl.c) ?? {};
    noted.delete(crawl.c);
    const ceilings = [limits(crawl).pages ?? '', limits(crawl).bytes ?? ''];
    const args = [crawl.c, pages, bytes, wanted, ...ceilings, member, operationId()];
    const [reply = null] = await store.run([{ key: storeTag, script: scripts.ledger, args }]);
    const [drawn, by] = replyArray(reply) as [number, string];
    return by === '' ? { pages: drawn } : { pages: 0, by: by as 'pages' | 'bytes' };
  }

  return {
    async draw(crawl, pages) {
      if (!isBounded(crawl)) return { pages: Number.POSITIVE_INFINITY };
      const allowed = await move(crawl, pages);
      // Only bytes are bounded: nothing was drawn.
      if (limits(crawl).pages === undefined && !allowed.by) return { pages: Number.POSITIVE_INFINITY };
      return allowed;
    },
    note(c, change) {
      const crawl = find(c);
      if (!crawl || !isBounded(crawl) || (change.pages === 0 && change.bytes === 0)) return;
      const before = noted.get(c) ?? { pages: 0, bytes: 0 };
      noted.set(c, { pages: before.pages + change.pages, bytes: before.bytes + change.bytes });
    },
    async settle() {
      if (noted.size === 0) return;
      await Promise.all([...noted.keys()].map((c) => move(find(c) as StoredCrawl, 0)));
    },
    async reset(crawl, sums) {
      noted.delete(crawl.c);
      await store.run([
        {
          key: storeTag,
          args: ['HSET', storeTag + crawl.c, 'drawn', sums.pages, 'bytes', sums.bytes],
        },
      ]);
    },
  };
}
