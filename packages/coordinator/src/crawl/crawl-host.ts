import { type Job, type Url, WebfarerError } from '@webfarer/protocol';
import { resolveJob } from '@webfarer/protocol/job';
import type { Manifest } from '../folder/manifest.ts';
import type { FolderFrontier } from '../folder/open-frontier.ts';
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
  /** Where bodies go that workers send to the coordinator. */
  intake(parts: IntakeParts): Promise<CrawlIntake>;
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
  intake: () => Promise.resolve(noIntake),
};
