import type { Entry, PageResource, SavedAt } from '@webfarer/protocol';
import { frameBounds } from '@webfarer/protocol/link';
import type { CrawlContext } from '../context/context.ts';
import { sha1Digest } from '../bytes/digest.ts';
import { decodeBody } from '../extract/decode.ts';
import { type Exchange, header } from '../fetch/fetch.ts';
import type { Capture } from '../save/saver.ts';
import { mimeOf } from './request.ts';
import type { StorageGate } from '../disk/storage-gate.ts';

export interface SaveOptions {
  context: CrawlContext;
  /** The page. */
  entry: Entry;
  storage: StorageGate;
}

/** Hands a capture to every saver, and answers where they put it. */
export async function saveCapture(
  capture: Capture,
  { context, storage }: Pick<SaveOptions, 'context' | 'storage'>,
): Promise<SavedAt[]> {
  const places: SavedAt[] = [];
  for (const saver of context.savers) {
    const place = await storage.attempt(() => saver.save(capture));
    if (place) places.push(place);
  }
  return places;
}

/** What a page loaded beside its own answer: captures of their own, which name the page they belong to. */
export async function saveResources(
  others: readonly Exchange[],
  options: SaveOptions,
): Promise<PageResource[]> {
  const resources: PageResource[] = [];
  for (const exchange of others.slice(0, frameBounds.resources)) {
    const resource = await saveResource(exchange, options);
    if (resource.saved.length > 0) resources.push(resource);
  }
  return resources;
}

async function saveResource(exchange: Exchange, options: SaveOptions): Promise<PageResource> {
  const { url, status, body, unread } = exchange;
  const { depth, cost, hops, url: page } = options.entry;
  const mime = mimeOf(exchange);
  const digest = unread ? undefined : sha1Digest(body);
  const limits = { maxBytes: options.context.job.fetch.maxDecodedBytes };
  const decoded = await decodeBody(body, header(exchange, 'content-encoding'), limits);
  try {
    const saved = await saveCapture(
      {
        entry: { url, kind: 'requisite', depth, cost, hops, attempt: 0, referrer: page },
        account: options.context.account,
        page: exchange,
        mime,
        decoded: decoded.ok ? decoded.body : body,
        digest: digest ?? '',
      },
      options,
    );
    return {
      url,
      status,
      ...(mime === '' ? {} : { mime }),
      bytes: body.length,
      ...(digest === undefined ? {} : { digest }),
      startedAtMs: Math.round(exchange.startedAtMs),
      durationMs: Math.round(exchange.durationMs),
      saved,
    };
  } finally {
    if (decoded.ok) decoded.free?.();
  }
}
