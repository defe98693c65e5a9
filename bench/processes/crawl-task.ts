import { noLimits } from '../no-limits.ts';

/** What one crawl is told, and what it tells at its end. */
export interface CrawlTask {
  seeds: string[];
  inside: string;
  folder: string;
  processes: number;
  /** Hosts that each process fetches from at once. */
  connections: number;
  save: 'none' | 'warc';
}

export interface Crawled {
  pages: number;
  /** From the first page in the store to the last. */
  crawlMs: number;
  /** From opening the folder to the first page: processes start in it. */
  startMs: number;
  /** CPU time of the process that was started, and of those it started, from the first page to the end of the crawl. */
  ownCpuMs: number;
  childrenCpuMs: number;
}

/** The job of such a crawl, as a person would write it. */
export function crawlInput({ seeds, inside, connections, save, processes }: CrawlTask) {
  return {
    name: 'processes',
    seeds,
    contact: 'https://lab.test/crawler',
    scope: { stay: 'web', include: [{ regex: inside }] },
    normalise: { enabled: false },
    limits: noLimits,
    politeness: { gap: '0s', slowFactor: 0, connections },
    fetch: { allowPrivate: ['127.0.0.0/8'] },
    save: [save],
    processes,
  };
}
