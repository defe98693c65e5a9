import type { CrawlId, LeaseReport } from '@webfarer/protocol';
import type { FrontierModel } from './plain.model.ts';

/** Whoever holds a host for a crawl that is gone. */
const noCrawl = '' as CrawlId;

/** Nothing is left of the crawl but the clocks of its hosts, and the holds on them: a request may be under way. */
export function erasePlainly(model: FrontierModel, id: CrawlId): void {
  for (const url of model.of(id)) model.urls.delete(`${id} ${url.offer.url}`);
  for (const key of model.hosts.keys()) {
    model.pairs.delete(`${id} ${key}`);
    model.members.delete(`${id} ${key}`);
  }
  for (const { hold } of model.hosts.values()) if (hold?.crawl === id) hold.crawl = noCrawl;
  model.crawls.delete(id);
}

/** What its worker reports too late says one thing all the same: that it has ended, so the host is free. */
export function releaseErased(model: FrontierModel, { host: key, fence, close, news }: LeaseReport): void {
  const host = model.host(key);
  const { hold } = host;
  if (!hold || hold.crawl !== noCrawl || hold.fence !== fence || hold.over || !close) return;
  delete host.hold;
  if (news.endedAgoMs === null) return;
  const end = model.now - news.endedAgoMs;
  host.lastEnd = Math.max(host.lastEnd ?? 0, end);
  if (end + news.gapMs > host.notBefore) Object.assign(host, { notBefore: end + news.gapMs, why: news.why });
}
