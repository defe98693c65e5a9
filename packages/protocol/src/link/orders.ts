import type { CrawlId, Url } from '../base/brands.ts';
import type { CrawlState } from '../crawl/record.ts';
import type { Job } from '../job/job.ts';

/**
 * What a coordinator tells a worker at any time: the downward half of the link, beside `CoordinatorLink`. In one process
 * these are calls; a pipe or a WebSocket carries each as a frame. None is answered, and none may throw.
 */
export interface Orders {
  /** Ask again: something may be due that was not when the worker last asked. */
  wake(): void;
  /** Finish what is in flight of this crawl, or of all, give back the rest, then ask again. */
  release(crawl: CrawlId | undefined): void;
  /** The same for all hosts that fit one of these patterns, of any crawl: other rules hold for them now. */
  releaseHosts(patterns: readonly string[]): void;
  /** Other workers are idle: give back up to this many hosts that are not being fetched from. */
  water(hosts: number): void;
  /** All crawls there are, in place of those told before. Told first, and again before a lease of a changed one. */
  crawls(crawls: readonly LinkCrawl[]): void;
  /** What has changed since: only to a worker that is told of crawls as it leases them. */
  crawlNews(news: CrawlNews): void;
  /** The crawls with these nonces were deleted: erase what is kept of them on this machine. */
  deleted(nonces: readonly string[]): void;
  /** All coordinators of the network, in place of those told before. */
  peers(peers: readonly Peer[]): void;
  /** Connect to that coordinator, or to any other peer, and leave this one. */
  switch(to: string | undefined): void;
  /** End: finish what is in flight and give back the rest. `now`: drop what is in flight. */
  drain(how: { now: boolean }): void;
}

/** Another coordinator of the same network, by its base address: `http://10.0.0.5:7311`. */
export interface Peer {
  id: string;
  url: string;
}

/** What a worker must know to work on a crawl. */
export interface LinkCrawl {
  id: CrawlId;
  /** Tells it from an earlier crawl of the same id; '' from a coordinator that does not say so. */
  nonce: string;
  /**
   * Names this crawl, should its name be used again, and its job, should that be changed. A worker that knows another
   * revision starts over with this one before it takes a lease.
   */
  revision: string;
  /** Names the secrets of the job, and is another one when they change; absent: it has none. */
  secrets?: string | undefined;
  /** They are not in the job: a worker asks for them while it holds a lease of the crawl. */
  withheld?: boolean | undefined;
  job: Job;
  seeds: Url[];
  userAgent: string;
  /** URLs to take with one lease. */
  urlsPerHost: number;
  state: CrawlState;
}

/** How the crawls of one worker have changed. */
export interface CrawlNews {
  /** New to this worker, because it is about to be granted a lease of them, or changed. */
  crawls: readonly LinkCrawl[];
  /** Not served any more by this coordinator. */
  gone: readonly CrawlId[];
  /** The worker has had nothing of them for a while: it closes them, and is told of them again before the next lease. */
  resting: readonly CrawlId[];
  /** Every crawl of the coordinator is over, those that this worker was not told of included. */
  over: boolean;
}

/** An order as a frame carries it. */
export type Order =
  | { type: 'wake' }
  /** With `hosts`: only those; a worker that does not know the field gives back everything, which does no harm. */
  | { type: 'release'; crawl?: CrawlId | undefined; hosts?: readonly string[] | undefined }
  | { type: 'water'; hosts: number }
  | { type: 'crawls'; crawls: readonly LinkCrawl[] }
  /** Only to a worker whose hello has `asLeased`. */
  | ({ type: 'crawl-news' } & CrawlNews)
  /** Only to a worker whose hello has `keeps`: an older one would take it for malformed. */
  | { type: 'deleted'; nonces: readonly string[] }
  | { type: 'peers'; peers: readonly Peer[] }
  | { type: 'switch'; to?: string | undefined }
  | { type: 'drain'; now: boolean };

/** Orders that are sent as frames. */
export function sendOrders(send: (order: Order) => unknown): Orders {
  return {
    wake: () => void send({ type: 'wake' }),
    release: (crawl) => void send({ type: 'release', crawl }),
    releaseHosts: (hosts) => void send({ type: 'release', hosts }),
    water: (hosts) => void send({ type: 'water', hosts }),
    crawls: (crawls) => void send({ type: 'crawls', crawls }),
    crawlNews: (news) => void send({ type: 'crawl-news', ...news }),
    deleted: (nonces) => void send({ type: 'deleted', nonces }),
    peers: (peers) => void send({ type: 'peers', peers }),
    switch: (to) => void send({ type: 'switch', to }),
    drain: ({ now }) => void send({ type: 'drain', now }),
  };
}

/** Carries out an order that came as a frame. */
export function obey(order: Order, orders: Orders): void {
  switch (order.type) {
    case 'wake':
      return orders.wake();
    case 'release':
      return order.hosts ? orders.releaseHosts(order.hosts) : orders.release(order.crawl);
    case 'water':
      return orders.water(order.hosts);
    case 'crawls':
      return orders.crawls(order.crawls);
    case 'crawl-news': {
      const { type: _type, ...news } = order;
      return orders.crawlNews(news);
    }
    case 'deleted':
      return orders.deleted(order.nonces);
    case 'peers':
      return orders.peers(order.peers);
    case 'switch':
      return orders.switch(order.to);
    case 'drain':
      return orders.drain({ now: order.now });
  }
}
