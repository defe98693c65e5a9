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
export async function* changesIn({
  folder,
  manifest,
  previous,
  given,
}: ChangesOptions): AsyncIterable<Change> {
  const now = await snapshotOf(folder, given);
  const before = await snapshotOf(previous, given);
  const opened: { close(): Promise<void> }[] = [now, before];
  /** One page after the other is asked for: a store would read through all of its group for each. */
  const finder = async (frontier: FolderFrontier, crawl: CrawlId): Promise<Finder> => {
    if (!frontier.kept) return { look: (...about) => frontier.look(...about), absent: 0 };
    const lookup = await readLookup(frontier.results, crawl);
    opened.push(lookup);
    return lookup;
  };
  try {
    const id = (await readManifest(previous))?.id ?? manifest.id;
    const isRecrawl = manifest.previous?.id === id;
    const then = isRecrawl ? undefined : await finder(before, id);
    const later = await finder(now, manifest.id);
    for await (const record of now.results.records(manifest.id, { verdict: 'done' })) {
      if (!isPage(record)) continue;
      const change = then ? await changeSince(then, id, record) : record.change;
      if (change) yield { change, ...shown(record) };
    }
    const whole = (await now.totals(manifest.id)).state === 'finished' && later.absent === 0;
    for await (const record of before.results.records(id, { verdict: 'done' })) {
      if (!isContent(record) || !isPage(record)) continue;
      const missing = whatBecame(await later.look(manifest.id, record.url), whole);
      if (missing) yield { url: record.url, ...missing };
    }
  } finally {
    await Promise.all(opened.map((one) => one.close()));
  }
}

/** `absent`: how many results cannot be read, so that nothing can be said of what is not found. */
type Finder = Pick<FolderFrontier, 'look'> & { absent: number };

/** By what both crawls recorded; undefined where it is no page now. */
async function changeSince(
  before: Finder,
  id: CrawlId,
  record: PageRecord,
): Promise<Change['change'] | undefined> {
  if (!isContent(record)) return undefined;
  const story = await before.look(id, record.url);
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
function whatBecame(story: UrlStory | undefined, whole: boolean): Omit<Change, 'url'> | undefined {
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
