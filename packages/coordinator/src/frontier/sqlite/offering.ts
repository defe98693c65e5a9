import type { Offer } from '@webfarer/protocol';
import { hostOf } from '@webfarer/protocol/url';
import type { OfferVerdict } from '../frontier.ts';
import { spentBudget } from './rows/allowance.ts';
import { bump, type CrawlRow } from './rows/crawls.ts';
import { placeIn, restOf } from './rows/entries.ts';
import { appendQueued } from './moving.ts';
import { upgrade } from './upgrading.ts';
import type { Store } from './store.ts';

/** Makes new URLs queued. `parent` is the entry they were found on, null for seeds. */
export function offerAll(
  store: Store,
  crawl: CrawlRow,
  { offers, parent }: { offers: Offer[]; parent: number | null },
): OfferVerdict[] {
  const verdicts: OfferVerdict[] = [];
  for (const offer of offers) {
    if (crawl.barred?.host(hostOf(offer.url))) {
      bump(crawl.counters.dropped, 'forgotten', 1);
      crawl.dirty = true;
      verdicts.push('forgotten');
      continue;
    }
    // The hot path of a crawl: most links are known, and for them nothing else is touched.
    const id = store.seen.find(crawl.print, offer.url);
    verdicts.push(id === 0 ? accept(store, crawl, offer, parent) : 'known');
    if (id !== 0 && crawl.settings.upgrades) upgrade(store, crawl, { id, offer, parent });
  }
  return verdicts;
}

// oxlint-disable-next-line max-params -- called for every new URL
function accept(store: Store, crawl: CrawlRow, offer: Offer, parent: number | null): OfferVerdict {
  const host = store.hosts.ensure(hostOf(offer.url));
  const pair = store.hosts.ensurePair(host, crawl);
  const spent = spentBudget(pair);
  if (spent) {
    bump(crawl.counters.dropped, spent, 1);
    crawl.dirty = true;
    return spent;
  }
  const id = store.entries.nextId();
  const { kind, band } = offer;
  const ord = band === undefined || kind === 'sitemap' ? null : placeIn(band, id);
  store.entries.insert({ id, pair: pair.id, rest: restOf(offer.url, host.key), parent, offer, ord });
  store.seen.addLast(id);
  if (ord === null) store.queue.append(pair.id, kind, id);
  else store.queue.push({ pair: pair.id, kind, ord, entry: id });
  appendQueued(store, pair, ord !== null);
  // New work reopens a finished crawl: finished always means that nothing is left.
  if (crawl.state === 'finished') crawl.state = 'running';
  return 'accepted';
}
