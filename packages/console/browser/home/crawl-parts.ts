import type { CrawlState } from '@webfarer/protocol';
import {
  inListOrder,
  type ListedCounts,
  listedCountsKey,
  type ListedCrawl,
  type StreamTopicInput,
} from '@webfarer/protocol/api';
import type { Feed } from '../api/live.ts';
import type { HomeFilter } from './home-search.ts';

export interface CrawlListState {
  /** Undefined: not told yet. */
  counts: ListedCounts | undefined;
  problem: string | undefined;
  /** The crawl at a place of the list; undefined: it is on its way. */
  at(index: number): ListedCrawl | undefined;
}

/** The list of crawls, of which only the parts in sight are followed. */
export interface CrawlList {
  state(): CrawlListState;
  subscribe(changed: () => void): () => void;
  /** These places are in sight. */
  show(first: number, last: number): void;
}

export interface CrawlListOptions {
  feed(topic: StreamTopicInput): Feed;
  search: { states: CrawlState[]; search: string };
}

/** Which states each filter shows. */
export const statesOf: Record<HomeFilter, CrawlState[]> = {
  all: [],
  running: ['running'],
  paused: ['paused'],
  over: ['finished', 'limited', 'stopped'],
};

/** Crawls in one part: a screenful, and a little more. */
export const partSize = 60;
/** Places before and behind those in sight that are followed too, so that turning the wheel waits for nothing. */
const ahead = 90;
/** Parts whose crawls are remembered after they went out of sight, so that coming back shows no empty places. */
const mostRemembered = 40;

export function openCrawlList({ feed, search }: CrawlListOptions): CrawlList {
  const watchers = new Set<() => void>();
  const followed = new Map<number, { feed: Feed; end: () => void }>();
  /** What a part was made of, so that it is sorted once. */
  const told = new Map<number, ReadonlyMap<string, unknown>>();
  const remembered = new Map<number, readonly ListedCrawl[]>();
  let view = { first: 0, last: 0 };
  let counts: ListedCounts | undefined;
  let state: CrawlListState = { counts, problem: undefined, at: () => undefined };

  function renew(): void {
    let problem: string | undefined;
    for (const [part, { feed: one }] of followed) {
      problem ??= one.problem()?.message;
      const { documents, isWhole } = one.now();
      if (!isWhole) continue;
      counts = documents.get(listedCountsKey) as ListedCounts | undefined;
      if (told.get(part) === documents) continue;
      told.set(part, documents);
      remembered.set(part, crawlsOf(documents));
    }
    state = {
      counts,
      problem,
      at: (index) => remembered.get(Math.floor(index / partSize))?.[index % partSize],
    };
    for (const watcher of watchers) watcher();
  }

  function follow(): void {
    const most = Math.max(0, (counts?.found ?? 1) - 1);
    const first = Math.floor(Math.min(most, Math.max(0, view.first - ahead)) / partSize);
    const last = Math.floor(Math.min(most, view.last + ahead) / partSize);
    const before = [...followed];
    for (let part = first; part <= last; part++) {
      if (followed.has(part)) continue;
      const one = feed({
        topic: 'crawls',
        ...search,
        offset: part * partSize,
        limit: partSize,
        minIntervalMs: 1_000,
      });
      followed.set(part, { feed: one, end: one.subscribe(changed) });
    }
    for (const [part, { end }] of before) {
      if (part >= first && part <= last) continue;
      end();
      followed.delete(part);
    }
    forgetFar(first);
  }

  function forgetFar(near: number): void {
    const byDistance = [...remembered.keys()].sort((a, b) => Math.abs(a - near) - Math.abs(b - near));
    for (const part of byDistance.slice(mostRemembered)) {
      remembered.delete(part);
      told.delete(part);
    }
  }

  function changed(): void {
    renew();
    // A list that has grown or shrunk has other parts in sight.
    follow();
  }

  return {
    state: () => state,
    subscribe(watcher) {
      watchers.add(watcher);
      if (watchers.size === 1) {
        follow();
        renew();
      }
      return () => {
        watchers.delete(watcher);
        if (watchers.size > 0) return;
        for (const { end } of followed.values()) end();
        followed.clear();
      };
    },
    show(first, last) {
      view = { first, last };
      if (watchers.size === 0) return;
      follow();
      renew();
    },
  };
}

function crawlsOf(documents: ReadonlyMap<string, unknown>): readonly ListedCrawl[] {
  return [...documents]
    .filter(([key]) => key !== listedCountsKey)
    .map(([, crawl]) => crawl as ListedCrawl)
    .sort(inListOrder);
}
