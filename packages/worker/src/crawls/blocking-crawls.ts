import { type Clock, type CrawlId, WebfarerError, type WorkerLook } from '@webfarer/protocol';
import type { LinkCrawl } from '@webfarer/protocol/link';
import { type Blocking, createBlockRule } from '../shares/block-rule.ts';
import type { Block } from '../shares/block-watch.ts';

export interface BlockingCrawlsOptions {
  clock: Clock;
  /** Whether other people's crawls are worked on here: then one that blocks is paused for them. */
  pauses: boolean;
  /** How many crawls are open here. */
  open: () => number;
  /** Lets go of it here, and takes it up again after so long or when its job changes. */
  pause: (crawl: CrawlId, error: WebfarerError, pauseMs: number) => void;
}

/** Crawls whose pages block the event loop of this worker. */
export interface BlockingCrawls {
  add(crawl: LinkCrawl, block: Block): void;
  /** What is to be told of those that are not paused, each once; undefined: there are none. */
  told(): WorkerLook['blocking'];
}

/** Of a URL, as it is shown. */
const urlChars = 300;

export function createBlockingCrawls({ clock, pauses, open, pause }: BlockingCrawlsOptions): BlockingCrawls {
  const rule = createBlockRule();
  const told = new Map<string, { crawl: CrawlId; message: string }>();
  return {
    add(crawl, block) {
      const blocking = rule.add(crawl.nonce, block.ms, clock.now());
      if (!blocking) return;
      const message = wordsFor(crawl, block, blocking);
      // Alone it takes time from nobody.
      if (pauses && open() > 1) pause(crawl.id, pausedFor(message, blocking), blocking.pauseMs);
      else if (!told.has(crawl.nonce)) told.set(crawl.nonce, { crawl: crawl.id, message });
    },
    told: () => (told.size > 0 ? [...told.values()] : undefined),
  };
}

const stages: Record<Block['stage'], string> = {
  read: 'while it was read',
  handler: 'in the handler',
  save: 'while it was saved',
};

function wordsFor({ job }: LinkCrawl, { url, stage, ms }: Block, { count, sumMs }: Blocking): string {
  const last = `${url.slice(0, urlChars)} for ${Math.round(ms)} ms ${stages[stage]}`;
  return `pages of ${job.name} blocked the event loop ${count} times within 5 minutes, for ${Math.round(sumMs)} ms in all; the last one was ${last}`;
}

function pausedFor(message: string, { pauseMs }: Blocking): WebfarerError {
  const minutes = Math.ceil(pauseMs / 60_000);
  return new WebfarerError('blocks-worker', `${message}. It is paused here for ${minutes} minutes`, {
    next: 'Compute less per page, in turns or in a thread. A changed job is taken up at once; a worker that has no other crawl pauses none.',
  });
}
