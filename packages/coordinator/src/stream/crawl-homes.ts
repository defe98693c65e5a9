import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type DatedClock, type CrawlId, WebfarerError } from '@webfarer/protocol';
import { isOver } from '@webfarer/protocol/crawl';
import type { Crawl } from '../crawl/crawl.ts';
import type { EventBus } from '../events/event-bus.ts';
import { databaseName } from '../folder/manifest.ts';
import type { Frontier } from '../frontier/frontier.ts';
import { openSqliteFrontier } from '../frontier/sqlite/sqlite-frontier.ts';
import { settledListeners } from '../results/follow.ts';
import type { Results } from '../results/results.ts';
import type { CrawlHome, CrawlHomes } from './crawl-home.ts';

/** Where a crawl is kept. */
export interface CrawlPlace {
  id: CrawlId;
  name: string;
  /** Tells it from an earlier crawl of the same name. */
  nonce: string;
  folder: string;
}

type Readable = Pick<Frontier, 'state' | 'overview' | 'waiting'> & { results: Results };

export interface CrawlHomesOptions {
  clock: DatedClock;
  events: EventBus;
  /** The store that all crawls are kept in; undefined: each is kept in its folder. */
  frontier: Readable | undefined;
  /** By id or name. */
  find: (crawl: string) => Promise<CrawlPlace | undefined>;
  /** The error where there is none, in the same words as everywhere. */
  missing: (crawl: string) => Error;
  /** The crawl, where this coordinator works on it. */
  running: (id: CrawlId) => Crawl | undefined;
}

/** Reads crawls beside those who work on them, also when nobody does any more. */
export function createCrawlHomes(options: CrawlHomesOptions): CrawlHomes {
  const { find, frontier } = options;
  const openFolders = new Map<string, Promise<SharedFolder>>();

  async function placeOf(crawl: string): Promise<CrawlPlace> {
    const place = await find(crawl);
    if (place) return place;
    throw options.missing(crawl);
  }

  async function joinFolder(place: CrawlPlace): Promise<SharedFolder> {
    const opening = openFolders.get(place.nonce) ?? openFolder(place, options);
    openFolders.set(place.nonce, opening);
    try {
      const folder = await opening;
      folder.users++;
      return folder;
    } catch (error) {
      openFolders.delete(place.nonce);
      throw error;
    }
  }

  async function leaveFolder({ nonce }: CrawlPlace, folder: SharedFolder): Promise<void> {
    if (--folder.users > 0) return;
    openFolders.delete(nonce);
    await folder.close();
  }

  function statusOf({ id, name }: CrawlPlace, read: Readable): () => Promise<Record<string, unknown>> {
    return async () => {
      const running = options.running(id);
      // One that was stopped keeps its last state, whatever became of it since.
      const last = running && running.state !== 'stopped' ? await running.snapshot() : undefined;
      if (last && !isOver(last)) return { ...last };
      // URLs of one that is over may have been retried or dropped since.
      const { balance, totals } = await read.overview(id);
      return { ...last, crawl: id, name, ...totals, balance };
    };
  }

  return {
    folderOf: async (crawl) => (await placeOf(crawl)).folder,
    async open(crawl) {
      const place = await placeOf(crawl);
      const folder = frontier ? undefined : await joinFolder(place);
      const read: Readable = frontier ?? (folder as SharedFolder).frontier;
      let isOpen = true;
      return {
        id: place.id,
        nonce: place.nonce,
        results: folder?.results ?? read.results,
        state: () => read.state(place.id),
        status: statusOf(place, read),
        hosts: (limit) => read.waiting(place.id, limit),
        async check() {
          const { nonce } = await placeOf(place.id);
          if (nonce === place.nonce && (await folder?.isThere()) !== false) return;
          throw new WebfarerError('not-found', `the crawl ${place.name} was deleted`);
        },
        async close() {
          if (isOpen && folder) await leaveFolder(place, folder);
          isOpen = false;
        },
      } satisfies CrawlHome;
    },
  };
}

interface SharedFolder {
  frontier: Readable;
  results: Results;
  users: number;
  isThere(): Promise<boolean>;
  close(): Promise<void>;
}

/** Beside the process that writes it, which may be this one: it is read-only, and sees what was committed. */
async function openFolder(
  { id, folder }: CrawlPlace,
  { clock, events }: CrawlHomesOptions,
): Promise<SharedFolder> {
  const path = join(folder, databaseName);
  const inode = await inodeOf(path);
  if (inode === undefined)
    throw new WebfarerError('not-found', 'the results of the crawl are not on this machine');
  const frontier = openSqliteFrontier({ path, clock, readOnly: true });
  const listeners = settledListeners();
  const deaf = events.listen(['record'], ({ crawl }) => {
    if (crawl === id) listeners.tell('anywhere');
  });
  return {
    frontier,
    results: { ...frontier.results, onSettled: (listener) => listeners.add(listener) },
    users: 0,
    isThere: async () => (await inodeOf(path)) === inode,
    async close() {
      deaf();
      await frontier.close();
    },
  };
}

async function inodeOf(path: string): Promise<number | undefined> {
  return await stat(path).then(
    ({ ino }) => ino,
    () => undefined,
  );
}
