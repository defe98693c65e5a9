import type { DatedClock, Job } from '@webfarer/protocol';
import { readableJob, scopeChanged } from '@webfarer/protocol/job';
import type { Catalog, CatalogEntry } from '../catalog/catalog.ts';
import { changeEntry, edited, isOpen, reopening, wanting } from '../catalog/crawl-entry.ts';
import { compareJobs, requireSameName } from '../crawl/job/compare-jobs.ts';
import type { Crawl, CrawlEdit } from '../crawl/crawl.ts';
import type { RunningCrawl } from '../crawl/running-crawl.ts';
import type { CrawlList, CrawlListing, CrawlQuery } from './crawl-listing.ts';

/** The crawls of a catalog, whether they run or not. What is wanted of one is written down before it is done. */
export interface CrawlsByName {
  /** A page of the catalog: every crawl that was not deleted. */
  list(query: CrawlQuery): Promise<CrawlList>;
  find(name: string): Promise<CrawlListing | undefined>;
  /** Wherever it runs. Changes nothing where it is over or stopped. False: there is no such crawl. */
  pause(name: string): Promise<boolean>;
  /** Wherever it runs. Resolves when it has ended here. False: there is no such crawl. */
  stopCrawl(name: string): Promise<boolean>;
  /** Whether it was paused, stopped, over or failed. Undefined: there is no such crawl. */
  resume(name: string): Promise<Crawl | undefined>;
  /** Opens one that was stopped or is over as paused. Changes nothing where it is open. False: there is no such crawl. */
  reopen(name: string): Promise<boolean>;
  /** Limits, pace or scope, also while it does not run. False: there is no such crawl. */
  edit(name: string, change: CrawlEdit): Promise<boolean>;
}

export interface CrawlsByNameOptions {
  clock: DatedClock;
  /** Undefined where there is none yet. */
  catalog: () => Catalog | undefined;
  /** The crawl of this name that is open here. Waits for one that is being opened or closed. */
  open: (name: string) => Promise<RunningCrawl | undefined>;
  takeUp: (entry: CatalogEntry) => Promise<Crawl>;
  /** Throws where its team may have no more crawls open now. */
  mayOpen: (entry: CatalogEntry) => Promise<void>;
  listing: (entry: CatalogEntry) => CrawlListing;
  resolve: (input: unknown) => Job;
}

export function createCrawlsByName(options: CrawlsByNameOptions): CrawlsByName {
  const { catalog, open, listing, resolve } = options;

  async function find(name: string): Promise<CatalogEntry | undefined> {
    return await catalog()?.find(name);
  }

  async function want(
    name: string,
    state: 'running' | 'paused' | 'stopped',
  ): Promise<CatalogEntry | undefined> {
    const at = catalog();
    const entry = await find(name);
    return at && entry && (await changeEntry(at, entry, (now) => wanting(now, state)));
  }

  /** It was about to end when it was resumed: what is written of its end may be the last word. */
  async function resumedAgain(crawl: RunningCrawl): Promise<Crawl> {
    await crawl.ended.catch(() => undefined);
    const before = await find(crawl.name);
    const isOver = before?.wanted === 'finished' || before?.wanted === 'limited';
    const entry = before?.id === crawl.id && isOver ? await want(crawl.name, 'running') : before;
    return entry && isOpen(entry.wanted) ? await options.takeUp(entry) : crawl;
  }

  return {
    async list(query) {
      const page = await catalog()?.list(query);
      const isListed = ({ wanted }: CatalogEntry) => wanted !== 'deleted' || query.states.includes(wanted);
      return { crawls: page?.entries.filter(isListed).map(listing) ?? [], next: page?.next };
    },
    async find(name) {
      const entry = await find(name);
      return entry && listing(entry);
    },
    async pause(name) {
      const entry = await want(name, 'paused');
      const crawl = await open(name);
      await crawl?.pause();
      return entry !== undefined || crawl !== undefined;
    },
    async stopCrawl(name) {
      const entry = await want(name, 'stopped');
      const crawl = await open(name);
      await crawl?.stop();
      return entry !== undefined || crawl !== undefined;
    },
    async resume(name) {
      const before = await find(name);
      if (before && !isOpen(before.wanted)) await options.mayOpen(before);
      const entry = await want(name, 'running');
      const crawl = await open(name);
      if (!crawl) return entry && (await options.takeUp(entry));
      await crawl.resume();
      return crawl.ending && !crawl.left ? await resumedAgain(crawl) : crawl;
    },
    async reopen(name) {
      const at = catalog();
      const before = await find(name);
      if (!at || !before || isOpen(before.wanted)) return before !== undefined;
      await options.mayOpen(before);
      const entry = await changeEntry(at, before, reopening);
      if (entry && isOpen(entry.wanted) && !(await open(name))) await options.takeUp(entry);
      return entry !== undefined;
    },
    async edit(name, change) {
      const crawl = await open(name);
      if (crawl) {
        await crawl.edit(change);
        return true;
      }
      const at = catalog();
      const entry = await find(name);
      if (!at || !entry) return false;
      const { input, rescope = false, by = 'coordinator', version } = change;
      // An edit may be what makes a job run again that this version refuses.
      const [before, next] = [{ ...readableJob(entry.job), name }, resolve(input)];
      requireSameName(before, next);
      compareJobs(before, next, { rescope, where: `${name} is another crawl` });
      const isRescoped = scopeChanged(before, next).length > 0;
      const atMs = Math.round(options.clock.wall());
      const edit = { input, atMs, by, isRescoped, version };
      return (await changeEntry(at, entry, (now) => edited(now, edit))) !== undefined;
    },
  };
}
