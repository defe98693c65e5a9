import { WebfarerError } from '@webfarer/protocol';
import type { CrawlRun } from '../crawl/crawl-run.ts';

/** A crawl that agents wait for. */
export interface RunningCrawl {
  run: CrawlRun;
  /** Calls that wait for it. */
  waiters: number;
}

/** The crawls that run now, by their folders: so many at once, and each once. */
export interface RunningCrawls {
  /** The crawl of the folder that runs, or the one that `open` begins. `open`: rejects where it cannot. */
  join(
    folder: string,
    open: () => Promise<{ run: CrawlRun }>,
  ): Promise<{ crawl: RunningCrawl; joined: boolean }>;
  /** Stops all of them; each can be resumed from its folder. */
  stop(): Promise<void>;
}

export function createRunningCrawls(most: number, titleOf: (folder: string) => string): RunningCrawls {
  const running = new Map<string, Promise<RunningCrawl>>();
  let isStopped = false;

  function begin(folder: string, open: () => Promise<{ run: CrawlRun }>): Promise<RunningCrawl> {
    const opened = open().then(({ run }): RunningCrawl => ({ run, waiters: 0 }));
    running.set(folder, opened);
    const free = () => void running.delete(folder);
    opened.then(({ run }) => run.then(free, free), free);
    return opened;
  }

  return {
    async join(folder, open) {
      const there = running.get(folder);
      if (there) return { crawl: await there, joined: true };
      if (isStopped) throw new WebfarerError('interrupted', 'The server is stopping.');
      if (running.size >= most) throw tooMany(most, [...running.keys()].map(titleOf));
      return { crawl: await begin(folder, open), joined: false };
    },
    async stop() {
      isStopped = true;
      const all = await Promise.allSettled(running.values());
      const open = all.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      await Promise.all(open.map(({ run }) => run.stop()));
    },
  };
}

function tooMany(most: number, names: string[]): WebfarerError {
  return new WebfarerError('quota', `The operator allows ${most} at once, and ${names.join(', ')} run now.`, {
    next: 'Wait until one of them is over.',
  });
}
