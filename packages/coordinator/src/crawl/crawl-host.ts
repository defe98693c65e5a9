import { type DatedClock, type Job, type Url, WebfarerError } from '@webfarer/protocol';
import { resolveJob } from '@webfarer/protocol/job';
import type { Manifest } from '../folder/manifest.ts';
import type { FolderFrontier } from '../folder/open-frontier.ts';
import { forgetAll } from '../frontier/forgetting.ts';
import type { BodyIntake } from '../link/bodies.ts';
import type { Crawl, CrawlEnding } from './crawl.ts';
import type { CrawlOutside } from './open-crawl.ts';

/** What the host of a crawl does for it; `headless` where it does nothing. */
export interface CrawlHost extends CrawlOutside {
  /** The job that an input describes, with secrets that are not written down. */
  resolve(input: unknown): Job;
  /** Writes what a person opens after a crawl; undefined where a stop left no time for it. */
  conclude(
    ending: CrawlEnding & { manifest: Manifest; frontier: FolderFrontier },
  ): Promise<Manifest['outputs'] | undefined>;
  /** Deletes everything of a host from the folder of a crawl that nobody works on, or counts what that would be. */
  erase(parts: ErasingParts): Promise<Forgotten>;
  /** What a crawl has in object storage; undefined: nothing. */
  objectsOf(crawl: { job: unknown; id: string; nonce: string }): Promise<CrawlObjects | undefined>;
  /** Where bodies go that workers send to the coordinator. */
  intake(parts: IntakeParts): Promise<CrawlIntake>;
}

/** The archive of a crawl in object storage, when the crawl is deleted. */
export interface CrawlObjects {
  /** As people name it on the command line. */
  readonly address: string;
  /** Rejects where this machine cannot write and remove there. Changes nothing. */
  check(): Promise<void>;
  /** Nothing is completed there any more. */
  mark(): Promise<void>;
  /** Removes everything. May be called again. */
  purge(): Promise<void>;
  close(): void;
}

export interface ErasingParts {
  folder: string;
  manifest: Manifest;
  frontier: FolderFrontier;
  /** The hosts, as `hostPattern` writes them. */
  pattern: string;
  /** Only count. */
  dryRun: boolean;
  /** Folders of others that are known to be deleted, by their members. */
  gone?: readonly string[];
  clock: DatedClock;
}

/** What was deleted of a host, and what could not be. */
export interface Forgotten {
  pattern: string;
  urls: number;
  captures: number;
  bytes: number;
  /** Not deleted from here: what it is, and what to do about it. */
  left: string[];
}

export interface IntakeParts {
  job: Crawl['job'];
  folder: string;
  baseFolder: string;
  manifest: Manifest;
}

/** Where a crawl keeps the bodies that workers send to its coordinator. */
export interface CrawlIntake extends BodyIntake {
  stop(): Promise<void>;
  written(): { files: number; bytes: number };
}

const noIntake: CrawlIntake = {
  mostBytes: 0,
  arriving() {
    throw new WebfarerError('frame-invalid', 'bodies are not taken here');
  },
  sync: () => Promise.resolve(),
  stop: () => Promise.resolve(),
  written: () => ({ files: 0, bytes: 0 }),
};

/** A crawl without outputs, whose seeds are taken as they stand. */
export const headless: CrawlHost = {
  resolve: (input) => resolveJob(input),
  chooseSeeds: (seeds) => Promise.resolve(seeds.map(({ candidates }) => candidates[0] as Url)),
  check: () => Promise.resolve(),
  prepared: () => Promise.resolve(),
  conclude: () => Promise.resolve({}),
  // Without archives everything is in the frontier.
  async erase({ manifest: { id }, frontier, pattern, dryRun, clock }) {
    const urls = dryRun ? 0 : await forgetAll(frontier, id, { pattern, moved: [] }, (ms) => clock.sleep(ms));
    if (!dryRun) await frontier.forgot(id, pattern, { urls, captures: 0 });
    return { pattern, urls, captures: 0, bytes: 0, left: [] };
  },
  objectsOf: () => Promise.resolve(undefined),
  intake: () => Promise.resolve(noIntake),
};
