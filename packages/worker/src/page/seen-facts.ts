import type { PageRecord, RenderWhy } from '@webfarer/protocol';
import { sha1Digest } from '../bytes/digest.ts';
import type { HandlingContext } from '../context/context.ts';
import { readSignals } from '../extract/signals.ts';
import { type Exchange, type FetchedPage, header } from '../fetch/fetch.ts';
import type { Document } from './document.ts';

/** Of the name of a server's software, in characters. */
const maxServer = 100;

/** What an answer says about itself, whatever it is. */
export function describe(page: Exchange, mime: string): Partial<PageRecord> {
  const server = header(page, 'server')?.trim();
  const etag = header(page, 'etag');
  const lastModified = header(page, 'last-modified');
  const facts: Partial<PageRecord> = { status: page.status };
  if (mime !== '') facts.mime = mime;
  facts.bytes = page.body.length;
  if (!page.unread) facts.digest = sha1Digest(page.body);
  if (page.truncated) facts.truncated = page.truncated;
  if (page.ip !== undefined) facts.ip = page.ip;
  if (page.tls !== undefined) facts.tls = page.tls;
  if (server) facts.server = server.slice(0, maxServer);
  if (etag !== undefined) facts.etag = etag;
  if (lastModified !== undefined) facts.lastModified = lastModified;
  return facts;
}

/** What was read in a page. */
export function addFacts(seen: Partial<PageRecord>, document: Document, isShown: boolean): void {
  const { charset, language, title, signals, looksEmpty } = document;
  if (charset !== undefined) seen.charset = charset;
  if (language !== undefined) seen.language = language;
  if (title !== undefined) seen.title = title;
  if (signals.seen.length > 0) seen.signals = signals.seen;
  // One that was shown in a browser had its scripts.
  if (looksEmpty && !isShown) seen.looksEmpty = true;
}

/** What the head of an answer asks of crawlers; false: that its body is not kept. */
export function obeyHeaders(
  { agentToken }: Pick<HandlingContext, 'agentToken'>,
  { headers }: Exchange,
  seen: Partial<PageRecord>,
): boolean {
  const signals = readSignals({ headers, metaRobots: [], agentToken });
  if (signals.seen.length > 0) seen.signals = signals.seen;
  return !signals.noarchive;
}

/** Of the notes on a page, so many go into its record. */
const mostNotes = 20;

/** What became of a page in a browser. */
export function renderedFacts(page: FetchedPage, renderedWhy: RenderWhy | undefined): Partial<PageRecord> {
  const { rendered, others } = page;
  const why = renderedWhy === undefined ? {} : { renderedWhy };
  if (!rendered) return why;
  const { durationMs, leftOut, restless, errors, movedTo } = rendered;
  return {
    ...why,
    rendered: {
      durationMs: Math.round(durationMs),
      loaded: others.length,
      ...(movedTo === undefined ? {} : { movedTo }),
      ...(leftOut.length > 0 ? { leftOut: leftOut.slice(0, mostNotes) } : {}),
      ...(restless ? { restless } : {}),
      ...(errors.length > 0 ? { errors: errors.slice(0, mostNotes) } : {}),
    },
  };
}
