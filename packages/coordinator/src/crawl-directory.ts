import { WebfarerError } from '@webfarer/protocol';
import { resolveJob } from '@webfarer/protocol/job';
import type { CrawlDirectory } from './api/call/crawl-directory.ts';
import type { CatalogEntry } from './catalog/catalog.ts';
import { noEdits } from './catalog/entry-edits.ts';
import type { CoordinatorParts } from './coordinator-parts.ts';
import type { Crawl } from './crawl/crawl.ts';
import { type CrawlListing, listingOf } from './own-crawls/crawl-listing.ts';

/** The crawls of a coordinator for its API: those of its catalog, and those that it works on now. */
export function crawlDirectory(
  coordinator: CoordinatorParts,
  { folder, takesMore }: { folder: string; takesMore: boolean },
): CrawlDirectory {
  const { catalog } = coordinator;

  /** A crawl in a folder that its user chose: no catalog lists it. */
  function unlisted(): CatalogEntry[] {
    return coordinator.crawls().map((crawl) => ({
      id: crawl.id,
      name: crawl.name,
      nonce: crawl.id,
      version: 0,
      createdAtMs: 0,
      job: {},
      seeds: [...crawl.seeds],
      tags: [],
      wanted: crawl.state === 'paused' || crawl.state === 'stopped' ? crawl.state : 'running',
      durability: 'strict',
      ownCode: false,
      edits: noEdits,
    }));
  }

  async function find(named: string): Promise<CatalogEntry | undefined> {
    const listed = (await catalog().get(named as CatalogEntry['id'])) ?? (await catalog().find(named));
    const others = [...unlisted(), ...coordinator.undeleted()];
    return listed ?? others.find(({ id, name }) => id === named || name === named);
  }

  function lately({ id, name }: CatalogEntry): Crawl | undefined {
    const crawl = coordinator.crawl(name);
    return crawl?.id === id ? crawl : undefined;
  }

  function listing(entry: CatalogEntry): CrawlListing {
    if (entry.version > 0) return coordinator.listing(entry);
    const crawl = lately(entry);
    const isOpen = crawl?.state === 'running' || crawl?.state === 'paused';
    return listingOf(entry, isOpen ? crawl : undefined, undefined);
  }

  return {
    async list(query) {
      const { crawls, next } = await coordinator.list(query);
      const page = { entries: crawls.map(({ entry }) => entry), next };
      if (query.after !== '' || query.tags.length > 0) return page;
      const isWanted = ({ wanted }: CatalogEntry) => query.states.includes(wanted as never);
      const others: CatalogEntry[] = [];
      for (const entry of unlisted())
        if (isWanted(entry) && !(await catalog().get(entry.id))) others.push(entry);
      others.push(...coordinator.undeleted());
      return { ...page, entries: [...others, ...page.entries] };
    },
    find,
    listing,
    running: (entry) => listing(entry).crawl,
    lately,
    async create({ input, tags }) {
      if (!takesMore) throw oneCrawl();
      const { name } = resolveJob(input);
      if (await find(name)) throw nameTaken(name);
      await coordinator.create({ input, baseFolder: folder, tags });
      const entry = await catalog().find(name);
      if (!entry) throw new WebfarerError('not-found', `the crawl ${name} was deleted meanwhile`);
      return entry;
    },
    async want(entry, state) {
      const { name } = entry;
      if (state === 'paused') await coordinator.pause(name);
      else if (state === 'running') await coordinator.resume(name);
      else if (state === 'reopened') await coordinator.reopen(name);
      else await coordinator.stopCrawl(name);
      return (await find(entry.id)) ?? entry;
    },
    async edit({ name }, change) {
      await coordinator.edit(name, change);
    },
    change: (id, version, change) => catalog().change(id, version, change),
    delete: ({ name }) => coordinator.delete(name),
  };
}

function oneCrawl(): WebfarerError {
  return new WebfarerError('conflict', 'this console shows one crawl, and takes no others', {
    next: 'Start the other one in another terminal:  webfarer crawl example.org --ui. Or serve many:  webfarer coordinator --with-worker',
  });
}

function nameTaken(name: string): WebfarerError {
  return new WebfarerError('conflict', `there is a crawl named ${name} already`, {
    next: 'Give the new one another name: name in its job.',
  });
}
