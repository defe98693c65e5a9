import {
  type CrawlId,
  type PageChange,
  type PageRecord,
  systemClock,
  type Url,
  WebfarerError,
} from '@webfarer/protocol';
import type { UrlStory } from '../../frontier/frontier.ts';
import { isContent } from '../../folder/previous-crawl.ts';
import { readLookup } from '../../folder/stored-lookup.ts';
import type { GivenStore } from '../../folder/store-password.ts';
import { type Manifest, readManifest } from '../../folder/manifest.ts';
import { type FolderFrontier, readFrontier } from '../../folder/open-frontier.ts';

/** What became of a page since the previous crawl. `unclear`: trouble or an unfinished crawl hides it. */
export interface Change {
  url: Url;
  change: PageChange | 'gone' | 'unclear';
  /** What it answered now. */
  status?: number;
  title?: string;
  /** In words, for what is not there. */
  why?: string;
}

export interface ChangesOptions {
  folder: string;
  manifest: Manifest;
  /** The folder of the crawl before, or of another one to compare with. */
  previous: string;
  given?: GivenStore | undefined;
}

/**
 * What changed since another crawl. First what is there now, as its records say in a recrawl, or as those of both do;
 * then, in a second pass over the other crawl, what is there no more. Only pages and what belongs to them, no sitemaps.
 */
export async function* changesIn(options: ChangesOptions): AsyncIterable<Change> {
  const both = await openBoth(options);
  const { now, before } = both;
  try {
    const then = both.isRecrawl ? undefined : await both.finder(before);
    const later = await both.finder(now);
    for await (const record of now.results.records(now.crawl, { verdict: 'done' })) {
      if (!isPage(record)) continue;
      const change = then ? await changeSince(then, record) : record.change;
      if (change) yield { change, ...shown(record) };
    }
    for await (const record of before.results.records(before.crawl, { verdict: 'done' })) {
      if (!isContent(record) || !isPage(record)) continue;
      const missing = whatBecame(await later.look(record.url), later.isWhole);
      if (missing) yield { url: record.url, ...missing };
    }
  } finally {
    await both.close();
  }
}

/** One of two crawls that are compared, as it stands. */
export interface ComparedCrawl {
  crawl: CrawlId;
  results: FolderFrontier['results'];
  frontier: FolderFrontier;
}

/** Finds what became of a URL in one of them. */
export interface Finder {
  look(url: Url): Promise<UrlStory | undefined>;
  /** How many results cannot be read, so that nothing can be said of what is not found. */
  absent: number;
  /** The crawl is finished and all of it can be read: what is not found was not there. */
  isWhole: boolean;
}

export interface BothCrawls {
  now: ComparedCrawl;
  before: ComparedCrawl;
  /** What is there now was compared with the earlier crawl when it was fetched. */
  isRecrawl: boolean;
  finder(of: ComparedCrawl): Promise<Finder>;
  close(): Promise<void>;
}

/** Opens both crawls as they stand now. */
export async function openBoth({ folder, manifest, previous, given }: ChangesOptions): Promise<BothCrawls> {
  const opened: { close(): Promise<void> }[] = [];
  async function open(path: string, crawl: CrawlId): Promise<ComparedCrawl> {
    const frontier = await snapshotOf(path, given);
    opened.push(frontier);
    return { crawl, frontier, results: frontier.results };
  }
  const close = async () => void (await Promise.all(opened.map((one) => one.close())));
  try {
    const id = (await readManifest(previous))?.id ?? manifest.id;
    return {
      now: await open(folder, manifest.id),
      before: await open(previous, id),
      isRecrawl: manifest.previous?.id === id,
      async finder({ crawl, frontier }) {
        const { state } = await frontier.totals(crawl);
        const isOver = state === 'finished';
        if (!frontier.kept) return { look: (url) => frontier.look(crawl, url), absent: 0, isWhole: isOver };
        // One page after the other is asked for: a store would read through all of its group for each.
        const lookup = await readLookup(frontier.results, crawl);
        opened.push(lookup);
        const { absent } = lookup;
        return { look: (url) => lookup.look(crawl, url), absent, isWhole: isOver && absent === 0 };
      },
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** By what both crawls recorded; undefined where it is no page now. */
async function changeSince(before: Finder, record: PageRecord): Promise<Change['change'] | undefined> {
  if (!isContent(record)) return undefined;
  const story = await before.look(record.url);
  if (!story && before.absent > 0) return 'unclear';
  if (story?.state !== 'settled' || !isContent(story.record)) return 'new';
  if (record.digest === undefined || story.record.digest === undefined) return 'unclear';
  return record.digest === story.record.digest ? 'unchanged' : 'changed';
}

async function snapshotOf(folder: string, given: GivenStore | undefined): Promise<FolderFrontier> {
  const manifest = await readManifest(folder);
  if (!manifest) throw new WebfarerError('not-found', `${folder} is not a crawl folder`);
  return await readFrontier({ folder, manifest }, { clock: systemClock(), snapshot: true, given });
}

function isPage({ kind }: PageRecord): boolean {
  return kind === 'page' || kind === 'requisite';
}

function shown({ url, status, title }: PageRecord): Omit<Change, 'change'> {
  return { url, ...(status === undefined ? {} : { status }), ...(title === undefined ? {} : { title }) };
}

/** Undefined when the page is still there. Trouble and a crawl that is not over say nothing about a page. */
export function whatBecame(
  story: UrlStory | undefined,
  whole: boolean,
): (Omit<Change, 'url' | 'change'> & { change: 'gone' | 'unclear' }) | undefined {
  if (!story)
    return whole ? { change: 'gone', why: 'no longer linked' } : { change: 'unclear', why: 'not reached' };
  if (story.state !== 'settled') return { change: 'unclear', why: 'not fetched yet' };
  const { record } = story;
  if (isContent(record)) return undefined;
  const { verdict, status, redirectTo, reason } = record;
  const seen = status === undefined ? {} : { status };
  if (verdict !== 'done') return { change: 'unclear', why: `${verdict}: ${reason}`, ...seen };
  return { change: 'gone', why: redirectTo ? `redirects to ${redirectTo}` : `answered ${status}`, ...seen };
}
