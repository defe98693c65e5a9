import type { CrawlId, Url } from '@webfarer/protocol';
import type { Frontier, UrlStory } from '../../frontier/frontier.ts';

/**
 * When a URL was found: the end of the request for the page that it was found on. Stores keep no time with what is
 * queued. Undefined for seeds, where that page has no outcome, and where it was fetched again since.
 */
export async function foundAtMs(
  frontier: Pick<Frontier, 'look'>,
  crawl: CrawlId,
  story: UrlStory | undefined,
): Promise<number | undefined> {
  if (!story) return undefined;
  const isSettled = story.state === 'settled';
  const referrer: Url | undefined = isSettled ? story.record.referrer : story.entry.referrer;
  const page = referrer === undefined ? undefined : await frontier.look(crawl, referrer);
  if (page?.state !== 'settled') return undefined;
  const atMs = page.record.startedAtMs + page.record.durationMs;
  if (!isSettled) return atMs;
  const { startedAtMs, fetched } = story.record;
  return atMs <= startedAtMs - (fetched?.waitedMs ?? 0) ? atMs : undefined;
}
