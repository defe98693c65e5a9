import type { PageRecord, Url } from '@webfarer/protocol';
import { linkProblem, normaliser, parseUrl } from '@webfarer/protocol/url';
import { isXml, type PageAnchors, readAnchors, readPlaces } from '@webfarer/worker';
import { isReadPage, type SavedPages, type SavedPlace, typeOf } from '../folder/saved-pages.ts';
import type { CrawledLinks, JudgedLinks } from './judge-links.ts';
import {
  type AnchorCounts,
  type BrokenLink,
  type FoundOn,
  foundIn,
  type UncheckedLink,
} from './link-report.ts';

export interface AnchorFindings {
  broken: BrokenLink[];
  unchecked: UncheckedLink[];
  counts: AnchorCounts;
}

type Kept = SavedPlace & { scripted: boolean };

/** Fragments of one target, and where links to each stand. */
type Fragments = Map<string, FoundOn[]>;

/**
 * Looks up the fragments of links in the pages they lead to, and finds links that are no URL at all. Both are gone from
 * what a crawl records, so the kept pages are read again: first all of them, then those that fragments point into.
 */
export async function checkAnchors(
  crawl: CrawledLinks,
  judged: Pick<JudgedLinks, 'endOf'>,
  saved: SavedPages,
): Promise<AnchorFindings> {
  const kept = new Map<Url, Kept>();
  for await (const record of crawl.records()) if (isReadPage(record)) kept.set(record.url, keptOf(record));
  const broken = new Map<string, BrokenLink>();
  const unchecked = new Map<string, UncheckedLink>();
  const wanted = new Map<Url, Fragments>();
  const normalise = normaliser(crawl.job.normalise);
  const counts: AnchorCounts = { checked: 0, pagesNotKept: 0 };

  for (const [page, place] of kept) {
    const source = await saved.source(place);
    if (source === undefined) {
      counts.pagesNotKept++;
      continue;
    }
    const read = readAnchors(source, { xml: isXml(typeOf(place)) });
    const base = baseOf(read, page);
    for (const { href, rel, text } of read.links) {
      const on = { page, text, rel };
      const url = href.startsWith('#') && read.base === undefined ? page : normalise(href, base);
      if (url === undefined) {
        if (linkProblem(href, base) === 'invalid')
          foundIn(broken, { url: href, kind: 'address', reason: 'invalid', on: [] }, on);
        continue;
      }
      const fragment = fragmentOf(href);
      if (fragment === undefined) continue;
      const fragments: Fragments = wanted.get(url) ?? new Map<string, FoundOn[]>();
      const found = fragments.get(fragment) ?? [];
      found.push(on);
      wanted.set(url, fragments.set(fragment, found));
    }
  }

  for (const [target, fragments] of wanted) {
    const end = judged.endOf(target);
    // Whatever is wrong with the page itself is told already.
    if (end.judgement?.is !== 'good') continue;
    const place = kept.get(end.url);
    const source = place && !place.scripted ? await saved.source(place) : undefined;
    const places = source === undefined ? undefined : readPlaces(source, isXml(typeOf(place ?? {})));
    for (const [fragment, ons] of fragments) {
      const url = `${target}#${fragment}`;
      if (places) counts.checked += ons.length;
      if (places && leadsTo(fragment, places)) continue;
      for (const on of ons) {
        if (places) foundIn(broken, { url, kind: 'anchor', reason: 'anchor-missing', on: [] }, on);
        else foundIn(unchecked, { url, reason: place?.scripted ? 'scripted' : 'anchor-unread', on: [] }, on);
      }
    }
  }
  return { broken: [...broken.values()], unchecked: [...unchecked.values()], counts };
}

function keptOf({ url, saved, mime, mimeDetected, charset, looksEmpty = false }: PageRecord): Kept {
  return {
    url,
    scripted: looksEmpty,
    ...(saved ? { saved } : {}),
    ...(mime === undefined ? {} : { mime }),
    ...(mimeDetected === undefined ? {} : { mimeDetected }),
    ...(charset === undefined ? {} : { charset }),
  };
}

function baseOf({ base }: PageAnchors, page: Url): string {
  const parsed = base === undefined ? undefined : parseUrl(base.trim(), page);
  return parsed && /^https?:$/.test(parsed.protocol) ? parsed.href : page;
}

/**
 * As written; undefined where it leads to no place in the page: `#`, `#top`, the state of a script (`#/…`, `#!…`) and
 * text to highlight (`:~:`).
 */
function fragmentOf(href: string): string | undefined {
  const hash = href.indexOf('#');
  if (hash < 0) return undefined;
  const fragment = href.slice(hash + 1).split(':~:', 1)[0] ?? '';
  return fragment === '' || /^(?:[/!]|top$)/i.test(fragment) ? undefined : fragment;
}

/** As the HTML standard finds the indicated part of a document: the fragment itself, then decoded. */
function leadsTo(fragment: string, places: ReadonlySet<string>): boolean {
  return places.has(fragment) || places.has(decoded(fragment));
}

function decoded(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}
