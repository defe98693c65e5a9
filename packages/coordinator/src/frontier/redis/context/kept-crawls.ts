import { createHmac } from 'node:crypto';
import type { Clock, CrawlId } from '@webfarer/protocol';
import { type Fingerprinter, fingerprinter } from '@webfarer/protocol/url';
import { bothGroups, groupsReader } from '../../../redis/crawl-groups.ts';
import type { RedisStore } from '../../../redis/store.ts';
import type { FrontierCrawl } from '../../frontier.ts';
import { type Change, readBarred } from './crawl-steps.ts';
import type { StoredCrawl } from './stored-crawl.ts';

/** Crawls as the store last said: those that are not finished, and for a while those that are. */
export interface KeptCrawls {
  all(): StoredCrawl[];
  /** Those that are not finished. */
  active(): StoredCrawl[];
  byNumber(c: string): StoredCrawl | undefined;
  find(id: CrawlId): StoredCrawl | undefined;
  keep(c: string, said: SaidOfCrawl): StoredCrawl;
  /** What an answer says is in force. */
  take(crawl: StoredCrawl, change: Change): void;
  drop(c: string): void;
  /** Drops what has been finished for a while and is not needed here. */
  prune(): void;
}

/** What of a finished crawl is left to do in this process. */
export interface CrawlNeeds {
  /** Something is, as far as is known from what was looked at since then. */
  isNeeded(crawl: StoredCrawl, sinceMs: number): boolean;
  /** It is not kept any more. */
  dropped(c: string): void;
}

interface KeptOptions extends CrawlNeeds {
  groups: number;
  secret: Buffer;
  clock: Pick<Clock, 'now'>;
}

/** Longer than any call that has looked the crawl up works with it. */
const finishedForMs = 30_000;

export interface SaidOfCrawl {
  change: Change;
  nonce: string;
  forgotten: string | null;
}

export function keptCrawls(
  store: Pick<RedisStore, 'epoch'>,
  { groups: groupCount, secret, clock, isNeeded, dropped }: KeptOptions,
): KeptCrawls {
  const readGroups = groupsReader(groupCount);
  const byId = new Map<CrawlId, StoredCrawl>();
  const numbers = new Map<string, StoredCrawl>();
  const active = new Map<string, StoredCrawl>();
  /** Those that are finished, and when they were last used here: the latest is the last. */
  const finished = new Map<StoredCrawl, number>();
  /** In which epoch of the store it was last read, and its settings as they were written then. */
  const read = new WeakMap<StoredCrawl, { epoch: string; text: string }>();

  /** Its state may be another one now. */
  function sort(crawl: StoredCrawl): void {
    finished.delete(crawl);
    // One that was dropped is still in the hands of a call.
    if (numbers.get(crawl.c) !== crawl) return;
    if (crawl.state === 'finished') {
      active.delete(crawl.c);
      crawl.alive = false;
      finished.set(crawl, clock.now());
    } else active.set(crawl.c, crawl);
  }

  /** Answers may overtake each other: an older one changes nothing, unless the store itself went back in time. */
  function take(crawl: StoredCrawl, [settings, state, order, told, groups]: Change): void {
    const before = read.get(crawl);
    const isSame = before?.epoch === store.epoch();
    const text = isSame ? bothGroups(groups, crawl.groups.text) : groups;
    if (text !== crawl.groups.text) crawl.groups = readGroups(text);
    if (order < crawl.order && isSame) return sort(crawl);
    read.set(crawl, { epoch: store.epoch(), text: settings });
    Object.assign(crawl, { state, order, told });
    if (before?.text !== settings) crawl.settings = JSON.parse(settings) as FrontierCrawl;
    sort(crawl);
  }

  function keep(c: string, { change, nonce, forgotten }: SaidOfCrawl): StoredCrawl {
    const known = numbers.get(c);
    const barred = readBarred(forgotten);
    if (known?.nonce === nonce) {
      take(known, change);
      return Object.assign(known, { barred });
    }
    const [text, state, order, told, groups] = change;
    const settings = JSON.parse(text) as FrontierCrawl;
    // A store that went back in time gives numbers out again.
    if (known) drop(c);
    const key = createHmac('sha256', secret).update(settings.id).digest();
    const print: Fingerprinter = fingerprinter(key);
    const crawl = {
      c,
      id: settings.id,
      nonce,
      settings,
      state,
      order,
      told,
      groups: readGroups(groups),
      lateSinceMs: undefined,
      alive: false,
      openGroup: undefined,
      barred,
      print: (url: string) => print(url).toString(),
    };
    read.set(crawl, { epoch: store.epoch(), text });
    byId.set(crawl.id, crawl);
    numbers.set(c, crawl);
    sort(crawl);
    return crawl;
  }

  /** It was erased, or is not needed any more. */
  function drop(c: string): void {
    const crawl = numbers.get(c);
    if (!crawl) return;
    numbers.delete(c);
    active.delete(c);
    finished.delete(crawl);
    if (byId.get(crawl.id) === crawl) byId.delete(crawl.id);
    dropped(c);
  }

  function prune(): void {
    const now = clock.now();
    for (const [crawl, sinceMs] of finished) {
      if (now - sinceMs < finishedForMs) return;
      if (isNeeded(crawl, sinceMs)) sort(crawl);
      else drop(crawl.c);
    }
  }

  return {
    all: () => [...numbers.values()],
    active: () => [...active.values()],
    byNumber: (c) => numbers.get(c),
    find: (id) => byId.get(id),
    keep,
    take,
    drop,
    prune,
  };
}
