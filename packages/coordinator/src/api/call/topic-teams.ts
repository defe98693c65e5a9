import { WebfarerError } from '@webfarer/protocol';
import type { StreamTopic } from '@webfarer/protocol/api';
import type { Principal } from './call.ts';
import type { CrawlDirectory } from './crawl-directory.ts';
import { maySee, noSuchCrawl, teamIn } from './crawl-teams.ts';

/** Lists that are shown without what belongs to other teams. */
const dividedLists: ReadonlySet<string> = new Set(['crawls']);

/** The team whose documents a list shows; undefined: those of all teams. */
export function confinedTo(principal: Principal): string | undefined {
  return principal.scope === 'admin' ? undefined : teamIn(principal);
}

/** Rejects where a token may not follow a topic: a crawl of another team is as if there were none. */
export async function mayFollow(
  principal: Principal,
  topic: StreamTopic,
  crawls: Pick<CrawlDirectory, 'find'>,
): Promise<void> {
  if (principal.scope === 'admin') return;
  const isDivided = topic.topic === 'crawls' || (topic.topic === 'list' && dividedLists.has(topic.list));
  const isOpen = isDivided || ('crawl' in topic && topic.crawl !== undefined);
  if (!isOpen)
    throw new WebfarerError('forbidden', `the token is for one team, and ${topic.topic} tells of all teams`, {
      next: 'Follow single crawls, or use an admin token.',
    });
  if (!('crawl' in topic) || topic.crawl === undefined) return;
  const entry = await crawls.find(topic.crawl);
  if (!entry || !maySee(principal, entry)) throw noSuchCrawl(topic.crawl);
}
