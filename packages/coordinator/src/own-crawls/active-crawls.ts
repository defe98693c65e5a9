import type { CrawlState } from '@webfarer/protocol';
import type { RedisFrontier } from '../frontier/redis/redis-frontier.ts';

/**
 * Whether the crawl of a name exists and is not over. Kept in its folder, it is active only while it is open here; in a
 * store others may work on it.
 */
export function activeCrawls(
  open: ReadonlyMap<string, { readonly state: CrawlState }>,
  frontier: Pick<RedisFrontier, 'catalog' | 'state'> | undefined,
): (name: string) => Promise<boolean> {
  return async (name) => {
    const crawl = open.get(name);
    const entry = crawl ? undefined : await frontier?.catalog.find(name);
    const state = crawl?.state ?? (entry && (await frontier?.state(entry.id).catch(() => undefined)));
    return state === 'running' || state === 'paused';
  };
}
