import type {
  Before,
  CrawlId,
  Edge,
  Entry,
  Job,
  PageRecord,
  PreviousLink,
  PreviousPage,
  SavedAt,
  Url,
} from '@webfarer/protocol';
import { savesPage } from '@webfarer/protocol/job';
import type { Frontier } from '../frontier/frontier.ts';
import type { Results } from '../results/results.ts';

/** A finished crawl as its recrawl sees it: looked up by URL, never changed. */
export interface PreviousCrawl {
  /** Undefined where nothing can be said of it: results of the crawl are out of reach. */
  before(entry: Pick<Entry, 'url' | 'kind'>): Promise<Before | undefined>;
  /** Only what was a page then. */
  page(url: Url, queuedAs: boolean): Promise<PreviousPage | undefined>;
}

export type PreviousStore = Pick<Frontier, 'look'> & { results: Pick<Results, 'edgesOf' | 'itemsOf'> };

export interface PreviousFacts {
  /** What the store does not know was not there then. */
  isWhole: boolean;
  /** Items were made by the same rules then. If not, all pages are fetched whole, so that all items are made anew. */
  hasSameItems: boolean;
  /** All that this crawl keeps of a page was kept then. If not, all pages are fetched whole, so that there is something to keep. */
  keepsSame: boolean;
  /** The job of this crawl. */
  job: Pick<Job, 'fetch' | 'files' | 'save'>;
}

export function previousCrawl(
  store: PreviousStore,
  crawl: CrawlId,
  { isWhole, hasSameItems, keepsSame, job }: PreviousFacts,
): PreviousCrawl {
  async function contentOf(url: Url): Promise<PageRecord | undefined> {
    const story = await store.look(crawl, url);
    return story?.state === 'settled' && isContent(story.record) ? story.record : undefined;
  }

  async function withQueuedAs(edge: Edge): Promise<PreviousLink> {
    const story = await store.look(crawl, edge.to);
    if (!story) return edge;
    const { kind, depth, label, request } = story.state === 'settled' ? story.record : story.entry;
    const asked = {
      ...(label === undefined ? {} : { label }),
      ...(request === undefined ? {} : { request }),
    };
    return { ...edge, queuedAs: { kind, depth, ...asked } };
  }

  return {
    async before({ url, kind }) {
      const record = await contentOf(url);
      if (!record) return isWhole || (await store.look(crawl, url)) ? { content: false } : undefined;
      const isSame = hasSameItems && keepsSame && isWorthRepeating(record, kind, job);
      const { etag, lastModified } = isSame ? record : {};
      const { digest } = record;
      return {
        content: true,
        ...archived(record),
        ...(etag === undefined ? {} : { etag }),
        ...(lastModified === undefined ? {} : { lastModified }),
        ...(digest === undefined ? {} : { digest }),
      };
    },
    async page(url, queuedAs) {
      const record = await contentOf(url);
      if (!record) return undefined;
      const edges = await store.results.edgesOf(crawl, url);
      const links = queuedAs ? await Promise.all(edges.map(withQueuedAs)) : edges;
      return { record, links, items: record.items === 0 ? [] : await store.results.itemsOf(crawl, url) };
    },
  };
}

/** Whether two jobs, as written, make the same items of a page. What is in a module is not looked at. */
export function makesSameItems(a: unknown, b: unknown): boolean {
  const rules = (job: unknown) => {
    const { extract = [], scraper = 'links' } = (job ?? {}) as { extract?: unknown; scraper?: unknown };
    return JSON.stringify([extract, scraper]);
  };
  return rules(a) === rules(b);
}

/** Whether a crawl by the job `now`, as written, keeps nothing of a page that one by the job `before` did not keep. */
export function keepsSame(before: unknown, now: unknown): boolean {
  const kept = new Set(keepers(before));
  return keepers(now).every((keeper) => kept.has(keeper));
}

/** A "not modified" would bring this crawl all that it wants of the page: what was read in it, and what was saved of it. */
function isWorthRepeating(record: PageRecord, kind: Entry['kind'], job: PreviousFacts['job']): boolean {
  if (record.truncated !== undefined) return false;
  // No links were read in what was a requisite then, and a link that was only checked had no body.
  if (record.kind !== kind) return false;
  const { notSaved, saved, signals = [], mime } = record;
  const isWanted = savesPage(job.fetch.types, job.files, mime);
  if (notSaved !== undefined) return notSaved !== 'type' || !isWanted;
  // Folders of versions that did not say so: an archive has a place for each answer that it was given.
  const isArchived = job.save.every((target) => target.kind !== 'warc') || saved?.some(isInArchive);
  return isArchived || kind === 'check' || !isWanted || /noarchive|nocache/i.test(signals.join());
}

const isInArchive = ({ saver }: SavedAt): boolean => saver === 'warc';

/** An archive holds the same whatever its options are; files and texts differ with theirs. */
function keepers(job: unknown): string[] {
  const { save = 'warc' } = (job ?? {}) as { save?: unknown };
  return [save].flat().flatMap((target: unknown) => {
    const options = typeof target === 'string' ? { [target]: {} } : (target as object);
    if ('none' in options) return [];
    return 'warc' in options ? ['warc'] : [JSON.stringify(options)];
  });
}

/** There was a page: it was answered, or it was as in the crawl before. */
export function isContent({ verdict, reason }: Pick<PageRecord, 'verdict' | 'reason'>): boolean {
  return verdict === 'done' && (reason === 'ok' || reason === 'not-modified');
}

/** The capture in an archive that holds the bytes of a page: one of its own, of another URL, or of a crawl still earlier. */
function archived(record: PageRecord): Pick<Before, 'capturedAtMs' | 'capturedUrl'> {
  const { url, reason, saved, startedAtMs } = record;
  const at = saved?.find(isInArchive);
  if (!at) return {};
  const { revisit } = at;
  // A "not modified" that refers to nothing has no bytes.
  if (!revisit) return reason === 'ok' ? { capturedAtMs: startedAtMs } : {};
  const { url: capturedUrl, startedAtMs: capturedAtMs } = revisit;
  return { capturedAtMs, ...(capturedUrl === url ? {} : { capturedUrl }) };
}
