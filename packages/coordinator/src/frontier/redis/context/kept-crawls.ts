import { createHmac } from 'node:crypto';
import type { CrawlId } from '@webfarer/protocol';
import { type Fingerprinter, fingerprinter } from '@webfarer/protocol/url';
import { bothGroups, groupsReader } from '../../../redis/crawl-groups.ts';
import type { RedisStore } from '../../../redis/store.ts';
import type { FrontierCrawl } from '../../frontier.ts';
import { type Change, readBarred } from './crawl-steps.ts';
import type { StoredCrawl } from './stored-crawl.ts';

/** Crawls as the store last said. */
export interface KeptCrawls {
  all(): StoredCrawl[];
  byNumber(c: string): StoredCrawl | undefined;
  find(id: CrawlId): StoredCrawl | undefined;
  keep(c: string, said: SaidOfCrawl): StoredCrawl;
  /** What an answer says is in force. */
  take(crawl: StoredCrawl, change: Change): void;
  drop(c: string): void;
}

export interface SaidOfCrawl {
  change: Change;
  nonce: string;
  forgotten: string | null;
}

export function keptCrawls(
  store: Pick<RedisStore, 'epoch'>,
  { groups: groupCount, secret }: { groups: number; secret: Buffer },
): KeptCrawls {
  const readGroups = groupsReader(groupCount);
  const byId = new Map<CrawlId, StoredCrawl>();
  const numbers = new Map<string, StoredCrawl>();
  /** In which epoch of the store it was last read, and its settings as they were written then. */
  const read = new WeakMap<StoredCrawl, { epoch: string; text: string }>();

  /** Answers may overtake each other: an older one changes nothing, unless the store itself went back in time. */
  function take(crawl: StoredCrawl, [settings, state, order, told, groups]: Change): void {
    const before = read.get(crawl);
    const isSame = before?.epoch === store.epoch();
    const text = isSame ? bothGroups(groups, crawl.groups.text) : groups;
    if (text !== crawl.groups.text) crawl.groups = readGroups(text);
    if (order < crawl.order && isSame) return;
    read.set(crawl, { epoch: store.epoch(), text: settings });
    Object.assign(crawl, { state, order, told });
    if (before?.text !== settings) crawl.settings = JSON.parse(settings) as FrontierCrawl;
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
    return crawl;
  }

  /** It was erased. */
  function drop(c: string): void {
    const crawl = numbers.get(c);
    numbers.delete(c);
    if (crawl && byId.get(crawl.id) === crawl) byId.delete(crawl.id);
  }

  return {
    all: () => [...numbers.values()],
    byNumber: (c) => numbers.get(c),
    find: (id) => byId.get(id),
    keep,
    take,
    drop,
  };
}
