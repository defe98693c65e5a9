import type { Entry, SavedAt, Url } from '@webfarer/protocol';
import type { Exchange, Rendition } from '../fetch/fetch.ts';
import type { Page } from '../scrape/scraper.ts';
import type { Account } from '../shares/account.ts';

/** Where bodies go. A capture may be saved twice after a crash; only the committed record counts. */
export interface Saver {
  readonly name: string;
  /** Opens files and repairs what a crash left. */
  start(): Promise<void>;
  /**
   * Appends one capture. Not durable yet. Throws WebfarerError `storage` when the disk is full. The memory of large
   * bodies is free when this resolves: what is kept of them is a copy.
   */
  save(capture: Capture): Promise<SavedAt | undefined>;
  /** Everything saved before the call is on disk when it resolves. Called once per batch of reports. */
  sync(): Promise<void>;
  stop(): Promise<void>;
  /** What it has written so far, for the live view. */
  written(): { files: number; bytes: number };
}

export interface Capture {
  entry: Entry;
  /** Of the crawl, which pays where a document has to be read; absent: one that shares with no other. */
  account?: Account;
  /** The request and its answer. */
  page: Exchange;
  /** Content type without parameters, lower case. */
  mime: string;
  /** The body with content encodings undone. */
  decoded: Buffer;
  /** `sha1:BASE32` of the payload (body as sent, transfer coding removed). */
  digest: string;
  /** The page as its handler saw it; requisites, redirects and errors have no handler. */
  shown?: Page;
  /** What a browser made of the page. */
  renditions?: readonly Rendition[];
  /** What was read in the page, for those who keep it beside the body. */
  facts?: { links?: number; signals?: readonly string[] };
  /** An earlier crawl's capture of this URL, when the answer was asked for in comparison to it. */
  previous?: { url: Url; startedAtMs: number; digest?: string };
}
