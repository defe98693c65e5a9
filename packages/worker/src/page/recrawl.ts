import type { Edge, Entry, PageRecord, PreviousLink, PreviousPage } from '@webfarer/protocol';
import { linkUse, targetOf } from '@webfarer/protocol/url';
import type { Gatherer } from './gather.ts';

/** Longer ones are no validators but a server's mistake; they would only make requests fail. */
const maxValidator = 1_024;

/** The headers that let a server answer "not modified" instead of sending the page again. */
export function validatorsFor({ before, request }: Entry): [string, string][] {
  // They are about what a GET of the URL answers.
  if (request?.method !== undefined) return [];
  const headers: [string, string][] = [];
  if (before?.etag && before.etag.length <= maxValidator) headers.push(['If-None-Match', before.etag]);
  if (before?.lastModified && before.lastModified.length <= maxValidator)
    headers.push(['If-Modified-Since', before.lastModified]);
  return headers;
}

/** How a page that was sent whole compares with the previous crawl. */
export function changeOf({ before }: Entry, digest: string | undefined): Pick<PageRecord, 'change'> {
  if (!before) return {};
  if (!before.content) return { change: 'new' };
  return { change: digest !== undefined && digest === before.digest ? 'unchanged' : 'changed' };
}

/** The earlier capture that a saver may refer to instead of keeping the same bytes again. */
export function earlierCapture({ before, url }: Entry) {
  if (before?.capturedAtMs === undefined) return {};
  const { capturedAtMs: startedAtMs, capturedUrl = url, digest } = before;
  return { previous: { url: capturedUrl, startedAtMs, ...(digest === undefined ? {} : { digest }) } };
}

/** What a record of a 304 takes from the previous one, so that the next recrawl can start from it. */
const kept = [
  ...(['digest', 'mime', 'mimeDetected', 'charset', 'language', 'title'] as const),
  ...(['etag', 'lastModified', 'signals', 'looksEmpty', 'droppedItems', 'truncated'] as const),
];

/** A 304 names what is new about a page (a later ETag); all else is as it was. */
export function asBefore({ record }: PreviousPage, seen: Partial<PageRecord>): Partial<PageRecord> {
  const facts = Object.fromEntries(
    kept.filter((name) => record[name] !== undefined).map((name) => [name, record[name]]),
  ) as Partial<PageRecord>;
  const { etag = facts.etag, lastModified = facts.lastModified } = seen;
  return {
    ...seen,
    ...facts,
    ...(etag === undefined ? {} : { etag }),
    ...(lastModified === undefined ? {} : { lastModified }),
    change: 'unchanged',
    capturedAtMs: record.capturedAtMs ?? record.startedAtMs,
  };
}

/** Its links as the link graph keeps them. */
export function edgesBefore({ links }: PreviousPage): Edge[] {
  return links.map((link) => {
    const { queuedAs: _queuedAs, ...edge } = link;
    return edge;
  });
}

export interface RepeatOptions {
  entry: Entry;
  gather: Gatherer;
  /** The scraper follows all links of a page. Else only what it followed the last time is followed again. */
  followsAll: boolean;
}

/** Offers the links of an unchanged page again, so that a crawl does not end at it. */
export function offerAgain(links: Iterable<PreviousLink>, options: RepeatOptions): void {
  for (const link of links) offerOne(link, options);
}

function offerOne(link: PreviousLink, { entry, gather, followsAll }: RepeatOptions): void {
  const { to, rel, nofollow, queuedAs } = link;
  const use = linkUse(rel);
  if (use === 'requisite') return gather.offer(to, { kind: 'requisite', depth: entry.depth });
  if (use === 'edge') return;
  if (nofollow) return gather.drop(to, { code: 'nofollow' });
  if (!followsAll && !queuedAs) return gather.drop(to, { code: 'not-followed' });
  const { label, request } = queuedAs ?? {};
  // A handler may have counted it as less deep than its link is, as the pages of a list.
  const depth = Math.min(entry.depth + 1, Math.max(1, queuedAs?.depth ?? Infinity));
  const asked = { ...(label === undefined ? {} : { label }), ...(request === undefined ? {} : { request }) };
  gather.offer(targetOf(to), { kind: 'page', depth, ...asked });
}
