import type { fileCheckpoint } from './checkpoint.ts';
import { computeJob } from './compute.ts';
import { type Rest, rested } from './cpu-share.ts';
import { inputName } from './job-content.ts';
import { type CrawlPages, pageGraphs } from './read-crawl.ts';
import type { SiteJobs } from './site-jobs.ts';
import type { DependencyStore } from './store.ts';

/** What is kept and merged, unless a person asks for more or less. */
export const usualThreshold = 0.001;

export interface UpdateOptions {
  /** Names the crawl in the database. */
  crawl: string;
  pages: CrawlPages;
  jobs: SiteJobs;
  store: DependencyStore;
  threshold: number;
  checkpoint: ReturnType<typeof fileCheckpoint>;
  rest?: Rest;
  onJob?: (job: string, place: { done: number; all: number }) => void;
}

/** The compute phase: brings the database up to date with a crawl, job by job. May be cut off anywhere and run again. */
export async function updateDependencies(
  options: UpdateOptions,
): Promise<{ jobs: number; computed: number }> {
  const { crawl, jobs, store, threshold, checkpoint, rest, onJob } = options;
  const pages: CrawlPages = {
    records: () => rested(options.pages.records(), rest),
    edges: () => rested(options.pages.edges(), rest),
  };
  const graphs = await pageGraphs(pages, jobs);
  let computed = 0;
  for (const [done, graph] of graphs.entries()) {
    const key = { crawl, job: graph.job };
    const input = `${inputName(graph)}/${threshold}`;
    await rest?.();
    if (store.has(key, input)) continue;
    onJob?.(graph.job, { done, all: graphs.length });
    const scores = await computeJob(graph, { threshold, checkpoint, ...(rest ? { rest } : {}) });
    store.put(key, { input, threshold, scores });
    await checkpoint.remove();
    computed++;
  }
  return { jobs: graphs.length, computed };
}
