import type { CrawlId } from '@webfarer/protocol';
import type { RanTime } from '../frontier.ts';
import type { FrontierModel } from './plain.model.ts';

/** A crawl that has reached a ceiling of its own ends, unless something of it is leased: that may fail. */
export function limitPlainly(model: FrontierModel, id: CrawlId): 'pages' | 'bytes' | undefined {
  const crawl = model.crawl(id);
  const isLeased = model.of(id).some((url) => url.state === 'leased');
  const by = isLeased ? undefined : model.limitedBy(id);
  if (crawl.state === 'running' && by) Object.assign(crawl, { state: 'limited', limitedBy: by });
  return crawl.state === 'limited' ? crawl.limitedBy : undefined;
}

/**
 * A process has run the crawl for this long since it last said so, or for as long as there was since then. Answers what it
 * tells the frontier, and the sum of all processes.
 */
export function runPlainly(
  model: FrontierModel,
  id: CrawlId,
  { ms, process }: { ms: number; process: number },
): { ran: RanTime; sumMs: number } {
  const crawl = model.crawl(id);
  const before = crawl.ran ?? { sumMs: 0, atMs: model.now - ms, ownMs: 0, process };
  const sinceMs = Math.min(ms, model.now - before.atMs);
  // A process knows only its own time.
  const ownMs = sinceMs + (before.process === process ? before.ownMs : 0);
  const sumMs = before.sumMs + sinceMs;
  crawl.ran = { sumMs, atMs: model.now, ownMs, process };
  return { ran: { sinceMs, atLeastMs: ownMs }, sumMs };
}
