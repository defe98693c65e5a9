import {
  type Edge,
  type Entry,
  type FailedReason,
  type PageRecord,
  type Settlement,
  type SavedAt,
  type Url,
} from '@webfarer/protocol';
import type { CrawlContext } from './context.ts';
import { type Document, readDocument } from './document.ts';
import { readSitemap } from './extract/sitemap.ts';
import { decodeBody } from './extract/decode.ts';
import { type FetchedPage, header } from './fetch/fetch.ts';
import type { SessionParts } from './session.ts';
import { outcome, recordOf } from './records.ts';
import { mimeOf } from './request.ts';
import { sha1Digest } from './save/digest.ts';
import { createGatherer, type Gatherer } from './scrape/gather.ts';
import { createPage } from './scrape/page.ts';
import { runScraper } from './scrape/run-scraper.ts';
import { meaningOf } from './verdict.ts';

export interface SettleOptions {
  context: CrawlContext;
  entry: Entry;
  page: FetchedPage;
  parts: Pick<SessionParts, 'storage'>;
  /** Set when this was the last try of a page that only answered with this trouble. */
  failed?: FailedReason;
}

/** From bytes to an outcome: decode, read links, run the scraper, save. All of it commits together. */
export async function settlePage(options: SettleOptions): Promise<Settlement> {
  const { context, entry, page } = options;
  const abort = new AbortController();
  const gather = createGatherer(context, entry, abort.signal);
  const edges: Edge[] = [];
  const mime = mimeOf(page);
  const seen = describe(page, mime);
  const meaning = meaningOf(page.status, header(page, 'location') !== undefined);

  if (page.unread)
    return ended(options, {
      verdict: 'refused',
      reason: 'type',
      detail: mime || 'no content type',
      more: seen,
    });

  const body = await decodeBody(page.body, header(page, 'content-encoding'), {
    maxBytes: context.job.fetch.maxDecodedBytes,
  });
  if (!body.ok && meaning.kind === 'content') {
    return ended(options, { verdict: 'failed', reason: 'bad-encoding', detail: body.detail, more: seen });
  }
  const decoded = body.ok ? body.body : page.body;
  let keep = true;

  if (meaning.kind === 'redirect') {
    const to = redirect(context, entry, header(page, 'location') ?? '', gather);
    if (to) {
      seen.redirectTo = to;
      edges.push({ to, rel: 'redirect' });
    }
  } else if (meaning.kind === 'content' && entry.kind === 'sitemap') {
    await followSitemap(context, entry, decoded, gather, edges);
  } else if (meaning.kind === 'content') {
    const document = readDocument({
      url: entry.url,
      headers: page.headers,
      body: decoded,
      normalise: context.normalise,
      agentToken: context.agentToken,
    });
    Object.assign(seen, facts(document));
    keep = !document.signals.noarchive;
    edges.push(...document.edges);
    for (const _ of document.requisites) gather.dropped.requisite = (gather.dropped.requisite ?? 0) + 1;
    const shown = createPage({
      entry,
      fetched: page,
      mime,
      body: decoded,
      text: document.text,
      links: document.links,
    });
    const scraped = await runScraper(context, shown, gather, abort);
    if (!scraped.ok) {
      const again = scraped.reason !== 'item-invalid' && entry.attempt < context.job.fetch.retries.count;
      if (again) return { kind: 'retry', url: entry.url, reason: scraped.reason, detail: scraped.detail };
      return ended(options, {
        verdict: 'failed',
        reason: scraped.reason,
        detail: scraped.detail,
        more: seen,
      });
    }
    gather.items.splice(0, gather.items.length, ...scraped.items);
  }

  const saved =
    keep && shouldSave(context, meaning.kind, mime)
      ? await save(options, mime, decoded, seen.digest ?? '')
      : [];
  const more = {
    ...seen,
    links: edges.length,
    items: gather.items.length,
    ...(saved.length > 0 ? { saved } : {}),
  };
  const reason =
    meaning.kind === 'redirect' ? 'redirect' : meaning.kind === 'again' ? meaning.reason : meaning.reason;
  const verdict = options.failed ? 'failed' : 'done';
  const record = recordOf(entry, {
    verdict,
    reason: options.failed ?? reason,
    times: page,
    charged: true,
    more,
  });
  return outcome(record, { offers: gather.offers, items: gather.items, dropped: gather.dropped, edges });
}

function ended(
  options: SettleOptions,
  facts: Omit<Parameters<typeof recordOf>[1], 'times' | 'charged'>,
): Settlement {
  return outcome(recordOf(options.entry, { ...facts, times: options.page, charged: true }));
}

/** The target is a URL of its own: decided, queued and recorded like any other, at the same depth. */
function redirect(context: CrawlContext, entry: Entry, location: string, gather: Gatherer): Url | undefined {
  const to = context.normalise(location, entry.url);
  if (to === undefined) {
    gather.drop(location, { code: 'invalid' });
    return undefined;
  }
  const hops = entry.hops + 1;
  if (hops > context.job.fetch.redirects) gather.drop(to, { code: 'redirect-limit' });
  else {
    const label = entry.label === undefined ? {} : { label: entry.label };
    gather.offer(to, { kind: entry.kind, depth: entry.depth, hops, ...label });
  }
  return to;
}

async function followSitemap(
  context: CrawlContext,
  entry: Entry,
  body: Buffer,
  gather: Gatherer,
  edges: Edge[],
): Promise<void> {
  for (const found of readSitemap(body)) {
    const to = context.normalise(found.url, entry.url);
    if (to === undefined) {
      gather.drop(found.url, { code: 'invalid' });
      continue;
    }
    edges.push({ to, rel: 'sitemap' });
    const index = found.kind === 'sitemap';
    gather.offer(to, { kind: index ? 'sitemap' : 'page', depth: index ? entry.depth : entry.depth + 1 });
  }
}

function describe(page: FetchedPage, mime: string): Partial<PageRecord> {
  const etag = header(page, 'etag');
  const lastModified = header(page, 'last-modified');
  return {
    status: page.status,
    ...(mime === '' ? {} : { mime }),
    bytes: page.body.length,
    ...(page.unread ? {} : { digest: sha1Digest(page.body) }),
    ...(page.truncated ? { truncated: page.truncated } : {}),
    ...(page.ip === undefined ? {} : { ip: page.ip }),
    ...(etag === undefined ? {} : { etag }),
    ...(lastModified === undefined ? {} : { lastModified }),
  };
}

function facts(document: Document): Partial<PageRecord> {
  return {
    ...(document.charset === undefined ? {} : { charset: document.charset }),
    ...(document.title === undefined ? {} : { title: document.title }),
    ...(document.signals.seen.length > 0 ? { signals: document.signals.seen } : {}),
    ...(document.looksEmpty ? { looksEmpty: true } : {}),
  };
}

function shouldSave(context: CrawlContext, kind: string, mime: string): boolean {
  return kind !== 'content' || context.types.saves(mime);
}

async function save(
  options: SettleOptions,
  mime: string,
  decoded: Buffer,
  digest: string,
): Promise<SavedAt[]> {
  const { context, entry, page, parts } = options;
  const places: SavedAt[] = [];
  for (const saver of context.savers) {
    const place = await parts.storage.attempt(() => saver.save({ entry, page, mime, decoded, digest }));
    if (place) places.push(place);
  }
  return places;
}
