import { type CrawlId, type Job, type Url, WebfarerError } from '@webfarer/protocol';
import { readableJob, resolveJob, robotsToken, userAgentFor } from '@webfarer/protocol/job';
import { createScope, type Scope } from '@webfarer/protocol/url';
import type { CrawlUrls } from './api/call/crawl-urls.ts';
import type { CatalogEntry } from './catalog/catalog.ts';
import { compareJobs, requireSameName } from './crawl/job/compare-jobs.ts';
import { storedOwnCode } from './crawl/job/own-code.ts';
import { relinkStep } from './crawl/relinking.ts';
import { scopePreviewStep } from './crawl/scope-preview.ts';
import { explainUrl } from './crawl/reading/explain.ts';
import { linksToStep, urlFacts } from './crawl/reading/url-facts.ts';
import { lockFolder } from './folder/folder-lock.ts';
import { frontierOf, type FrontierOfOptions, type ReadFrontier } from './frontier-of.ts';
import type { UrlStepAnswer } from './frontier/frontier.ts';
import { openSqliteFrontier } from './frontier/sqlite/sqlite-frontier.ts';
import type { HostRules } from './host-rules/host-rules.ts';
import { hostRuling } from './host-rules/host-ruling.ts';

export interface CrawlUrlsOptions extends FrontierOfOptions {
  /** Of the software: part of the name under which a crawl asks. */
  version: string;
  rules: HostRules;
}

/** Reads and changes the URLs of crawls beside those who work on them, also when nobody does. */
export function createCrawlUrls(options: CrawlUrlsOptions): CrawlUrls {
  const { clock, frontier, running } = options;

  const { reading, databaseOf } = frontierOf(options);
  const agentTokenOf = (job: Job): string => robotsToken(userAgentFor(job, options.version));

  async function changing(
    entry: CatalogEntry,
    change: (of: ReadFrontier, crawl: CrawlId) => Promise<UrlStepAnswer>,
  ): Promise<UrlStepAnswer> {
    if (frontier) return await change(frontier, entry.id);
    const { folder, path } = databaseOf(entry);
    const lock = lockFolder(folder);
    try {
      const file = openSqliteFrontier({ path, clock });
      try {
        const answer = await change(file, entry.id);
        // Not finished any more where something was queued, and nobody works on it until it is resumed.
        if (answer.moved > 0 && (await file.state(entry.id)) === 'running')
          await file.setState(entry.id, 'stopped');
        return answer;
      } finally {
        await file.close();
      }
    } finally {
      lock.release();
    }
  }

  return {
    async overview(entry) {
      try {
        return await reading(entry, (from) => from.overview(entry.id));
      } catch (error) {
        if (error instanceof WebfarerError && error.code === 'not-found') return undefined;
        throw error;
      }
    },
    search: (entry, search) => reading(entry, (from) => from.urls(entry.id, search)),
    async relink(entry, after) {
      if (entry.ownCode) throw storedOwnCode(entry.name);
      const here = running(entry);
      if (here) return await here.relink(after);
      const { job, scope } = scopeOf(entry);
      return await changing(entry, (of, crawl) => relinkStep({ frontier: of, crawl, job, scope, after }));
    },
    async previewScope(entry, { input, after }) {
      const { name, id: crawl } = entry;
      const before = jobOf(entry);
      // What an edit would refuse is refused here already.
      const { job, scope } = scopeOf({ ...entry, job: input });
      requireSameName(before, job);
      compareJobs(before, job, { rescope: true, where: `${name} is another crawl` });
      return await reading(entry, (from) => scopePreviewStep({ frontier: from, crawl, scope, after, clock }));
    },
    async explain(entry, url) {
      const here = running(entry);
      if (here) return await here.explain(url);
      const { job, scope } = scopeOf(entry);
      return await reading(entry, (from) =>
        explainUrl(url, {
          crawl: entry.id,
          job,
          scope,
          agentToken: agentTokenOf(job),
          frontier: from,
          ruling: hostRuling(options.rules, () => job),
          held: undefined,
        }),
      );
    },
    async facts(entry, url) {
      const job = jobOf(entry);
      return await reading(entry, (frontier) =>
        urlFacts(url, { crawl: entry.id, job, agentToken: agentTokenOf(job), frontier }),
      );
    },
    async linksTo(entry, url, after) {
      const job = jobOf(entry);
      return await reading(entry, ({ results }) =>
        linksToStep(url, { crawl: entry.id, job, results, after }),
      );
    },
    async retry(entry, step) {
      const here = running(entry);
      return here ? await here.retry(step) : await changing(entry, (of, id) => of.retry(id, step));
    },
    async drop(entry, step) {
      const here = running(entry);
      return here ? await here.drop(step) : await changing(entry, (of, id) => of.drop(id, step, 'dropped'));
    },
  };
}

/** For what was crawled by it, whatever this version makes of it. */
function jobOf({ name, job }: CatalogEntry): Job {
  return { ...readableJob(job, ['normalise']), name };
}

/** Throws where this version refuses the job: nobody knows what its scope would say. */
function scopeOf({ job: input, seeds }: Pick<CatalogEntry, 'job' | 'seeds'>): { job: Job; scope: Scope } {
  const job = resolveJob(input);
  return { job, scope: createScope(job, seeds as Url[]) };
}
