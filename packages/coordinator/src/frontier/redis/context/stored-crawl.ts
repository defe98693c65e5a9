import { type CrawlId, type CrawlState, WebfarerError } from '@webfarer/protocol';
import type { Barred } from '../../barred.ts';
import type { FrontierCrawl } from '../../frontier.ts';
import type { CrawlGroups } from '../../../redis/crawl-groups.ts';

export interface StoredCrawl {
  /** Its number in key names. */
  c: string;
  id: CrawlId;
  /** Made when it was registered: tells it from one of the same name or number before it. */
  nonce: string;
  settings: FrontierCrawl;
  state: CrawlState;
  /** The number of the change that settings and state are from (F20). */
  order: number;
  /** The last change that all its groups are known to have heard of. */
  told: number;
  /** The groups that something of it has come into, as far as it is known here. */
  groups: CrawlGroups;
  /** Since when there is one that they are not known to have heard of. */
  lateSinceMs: number | undefined;
  /** Somebody asks for its URLs at the moment. */
  alive: boolean;
  /** A group in which something was left when this process last looked. */
  openGroup: number | undefined;
  /** Hosts that were forgotten, as the store last said; undefined: none. */
  barred: Barred | undefined;
  /** 64 bits of a URL under a key of this crawl alone, as a decimal string that is never altered. */
  print(url: string): string;
}

/** The crawl was deleted in the meantime. */
export function isGone(error: unknown): boolean {
  return error instanceof WebfarerError && error.code === 'not-found';
}
