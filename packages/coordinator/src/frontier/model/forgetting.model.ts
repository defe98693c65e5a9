import type { CrawlId, HostKey } from '@webfarer/protocol';
import { hostOf } from '@webfarer/protocol/url';
import { isForgotten } from './plain-url.model.ts';
import type { FrontierModel } from './plain.model.ts';

/** All URLs of the hosts go at once, and what names them; their leases are over. Answers how many. */
export function forgetPlainly(model: FrontierModel, id: CrawlId, pattern: string): number {
  model.crawl(id).forgotten.push(pattern);
  const isGone = (host: HostKey) => isForgotten([pattern], host);
  for (const [key, { hold }] of model.hosts) {
    if (!isGone(key) || hold?.crawl !== id || hold.over) continue;
    model.abandon(hold, key);
    hold.over = true;
  }
  let gone = 0;
  for (const url of model.of(id)) {
    if (isGone(url.host)) {
      model.urls.delete(`${id} ${url.offer.url}`);
      gone++;
      continue;
    }
    url.edges = url.edges.filter((to) => !isGone(hostOf(to)));
    if (url.referrer === undefined || !isGone(hostOf(url.referrer))) continue;
    url.referrer = undefined;
    if (url.record) {
      const { referrer: _gone, ...record } = url.record;
      url.record = record;
    }
  }
  return gone;
}

/** For how long a request to the hosts may still be under way. */
export function heldFor(model: FrontierModel, id: CrawlId, pattern: string): number {
  const held = [...model.hosts]
    .filter(([key, { hold }]) => isForgotten([pattern], key) && hold?.crawl === id)
    .map(([, { hold }]) => (hold?.heldUntil ?? 0) - model.now);
  return Math.max(0, ...held);
}

/** No request is under way any more: the clocks go too, unless another crawl has met the host. */
export function forgotPlainly(model: FrontierModel, id: CrawlId, pattern: string): void {
  for (const [key, host] of model.hosts) {
    if (!isForgotten([pattern], key)) continue;
    if (host.hold?.crawl === id) {
      host.notBefore = Math.max(host.notBefore, host.hold.heldUntil);
      delete host.hold;
    }
    model.members.delete(`${id} ${key}`);
    model.pairs.delete(`${id} ${key}`);
    const others = [...model.crawls.keys()].some((crawl) => model.members.has(`${crawl} ${key}`));
    if (!others) model.hosts.delete(key);
  }
}
