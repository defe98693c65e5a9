import { type CrawlId, WebfarerError } from '@webfarer/protocol';
import type { LinkCrawl } from '@webfarer/protocol/link';
import { megabytes } from './storage-gate.ts';

export interface DiskFloorOptions {
  folder: string;
  /** What the operator of the worker wants; undefined: what its crawls ask for. */
  minFreeBytes: number | undefined;
  freeBytes: (folder: string) => Promise<number>;
  crawls: () => readonly { about: LinkCrawl }[];
  /** Lets go of a crawl here, until there is room or its job has changed. */
  giveUp: (crawl: CrawlId, error: WebfarerError) => void;
}

/** Space on the disk of a worker: for all its crawls, and what single crawls ask for beyond that. */
export interface DiskFloor {
  /** Below this the worker pauses. */
  minFreeBytes(): number;
  /** Throws where a crawl asks for more than there is, and others do not. */
  check(crawl: LinkCrawl): Promise<void>;
  /** Lets go of open crawls that ask for more than there is by now. */
  look(): Promise<void>;
}

export function createDiskFloor({ folder, minFreeBytes: own, ...options }: DiskFloorOptions): DiskFloor {
  async function check({ job }: LinkCrawl): Promise<void> {
    const { minFreeBytes } = job.limits;
    if (own === undefined || minFreeBytes <= own) return;
    // A folder that cannot be asked shows itself when it is written to.
    const free = await options.freeBytes(folder).catch(() => Number.POSITIVE_INFINITY);
    // Below its own floor the worker pauses, and no crawl is to blame.
    if (free >= minFreeBytes || free < own) return;
    const has = `${megabytes(free)} left on the disk of the worker`;
    throw new WebfarerError(
      'min-free',
      `${has}, limits.minFree of the job asks for ${megabytes(minFreeBytes)}`,
      {
        next: 'Free space on that disk, or lower limits.minFree.',
      },
    );
  }
  return {
    minFreeBytes: () =>
      own ?? Math.max(1, ...options.crawls().map(({ about }) => about.job.limits.minFreeBytes)),
    check,
    async look() {
      for (const { about } of options.crawls())
        await check(about).catch((error: WebfarerError) => options.giveUp(about.id, error));
    },
  };
}
