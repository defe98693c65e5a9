import type { Entry, PageResource, SavedAt } from '@webfarer/protocol';
import { frameBounds } from '@webfarer/protocol/link';
import type { CrawlContext } from '../context/context.ts';
import { sha1Digest } from '../bytes/digest.ts';
import { decodeBody } from '../bytes/decode.ts';
import type { Exchange } from '../fetch/fetch.ts';
import { encodingsOf } from '../bytes/headers.ts';
import type { Capture } from '../save/saver.ts';
import { mimeOf } from './request.ts';
import { obeyHeaders } from './seen-facts.ts';
import type { WriteGate } from '../disk/storage-gate.ts';
import type { Handling } from '../shares/handling.ts';
import { mainThread } from '../shares/main-thread.ts';

export interface SaveOptions {
  context: CrawlContext;
  /** The page. */
  entry: Entry;
  storage: WriteGate;
}

/** Hands a capture to every saver, and answers where they put it. */
export async function saveCapture(
  capture: Capture,
  { context, storage }: Pick<SaveOptions, 'context' | 'storage'>,
): Promise<SavedAt[]> {
  const places: SavedAt[] = [];
  const handling: Handling = { account: context.account, url: capture.entry.url, stage: 'save' };
  for (const saver of context.savers) {
    const save = () => saver.save(capture);
    const place = await storage.attempt(() => mainThread.run(handling, save));
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
    if (!obeyHeaders(options.context, exchange, {})) continue;
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
  const decoded = await decodeBody(body, encodingsOf(exchange), limits);
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
