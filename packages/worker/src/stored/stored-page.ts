import { type Entry, type PageRecord, type PageRequest, type Url, WebfarerError } from '@webfarer/protocol';
import type { HandlingContext } from '../context/context.ts';
import { decodeBody } from '../bytes/decode.ts';
import { encodingsOf } from '../bytes/headers.ts';
import { asShown } from '../page/as-shown.ts';
import { readPage } from '../page/handle-page.ts';
import { mimeOf } from '../page/request.ts';
import type { Page } from '../scrape/scraper.ts';
import type { Stored } from './stored-exchange.ts';

export interface StoredPage {
  page: Page;
  /** The page is no longer used: its body is empty from now on. */
  free(): void;
}

/** The page that a stored answer was, and that its handler saw. */
export async function storedPage(
  context: HandlingContext,
  { entry, stored }: { entry: Entry; stored: Stored },
): Promise<StoredPage> {
  const { html, picture } = stored;
  const exchange = html === undefined ? stored.exchange : asShown(stored.exchange, html);
  const { maxDecodedBytes: maxBytes } = context.job.fetch;
  const decoded = await decodeBody(exchange.body, encodingsOf(exchange), { maxBytes });
  if (!decoded.ok) throw new WebfarerError('not-found', `${entry.url} cannot be decoded: ${decoded.detail}`);
  const mime = mimeOf(exchange);
  const { page } = await readPage(context, { entry, exchange, mime, body: decoded.body, picture });
  return { page, free: () => decoded.free?.() };
}

export interface EntryFacts extends Pick<PageRecord, 'url' | 'kind' | 'depth'> {
  label?: string | undefined;
  request?: PageRequest | undefined;
  referrer?: Url | undefined;
}

/** The entry that a record came from, as far as its handler can tell. Cost and hops are not recorded. */
export function entryOf(record: EntryFacts): Entry {
  const { url, kind, depth, label, request, referrer } = record;
  return {
    url,
    kind,
    depth,
    cost: 0,
    hops: 0,
    attempt: 0,
    ...(label === undefined ? {} : { label }),
    ...(request === undefined ? {} : { request }),
    ...(referrer === undefined ? {} : { referrer }),
  };
}
