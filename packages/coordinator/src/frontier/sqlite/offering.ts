import { hostOf, type Offer } from '@webfarer/protocol';
import type { OfferVerdict } from '../frontier.ts';
import { spentBudget } from './allowance.ts';
import { bump, type CrawlRow } from './crawl-rows.ts';
import { restOf } from './entry-rows.ts';
import { changeQueued } from './moving.ts';
import type { Store } from './store.ts';

/** Makes new URLs queued. `parent` is the entry they were found on, null for seeds. */
export function offerAll(
  store: Store,
  crawl: CrawlRow,
  { offers, parent }: { offers: Offer[]; parent: number | null },
): OfferVerdict[] {
  return offers.map((offer) => offerOne(store, crawl, { offer, parent }));
}

function offerOne(
  store: Store,
  crawl: CrawlRow,
  { offer, parent }: { offer: Offer; parent: number | null },
): OfferVerdict {
  const print = crawl.print(offer.url);
  if (store.seen.find(print) !== undefined) return 'known';
  const host = store.hosts.ensure(hostOf(offer.url));
  const pair = store.hosts.ensurePair(host, crawl);
  const spent = spentBudget(pair);
  if (spent) {
    bump(crawl.counters.dropped, spent, 1);
    return spent;
  }
  const id = store.entries.nextId();
  store.entries.insert({ id, pair: pair.id, rest: restOf(offer.url, host.key), parent, offer });
  store.seen.add(print, id);
  store.queue.push({ pair: pair.id, kind: offer.kind, ord: id, entry: id });
  if (pair.known === 0) crawl.counters.hosts++;
  pair.known++;
  crawl.counters.known++;
  changeQueued(store, pair, 1);
  // New work reopens a finished crawl: finished always means that nothing is left.
  if (crawl.state === 'finished') crawl.state = 'running';
  return 'accepted';
}
