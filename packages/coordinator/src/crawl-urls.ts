import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, type CrawlId, type Job, type Url, WebfarerError } from '@webfarer/protocol';
import { resolveJob, robotsToken, userAgentFor } from '@webfarer/protocol/job';
import { createScope, type Scope } from '@webfarer/protocol/url';
import type { CrawlUrls } from './api/call/crawl-urls.ts';
import type { CatalogEntry } from './catalog/catalog.ts';
import type { Crawl } from './crawl/crawl.ts';
import { storedOwnCode } from './crawl/job/own-code.ts';
import { relinkStep } from './crawl/relinking.ts';
import { explainUrl } from './crawl/reading/explain.ts';
import { linksToStep, urlFacts } from './crawl/reading/url-facts.ts';
import { lockFolder } from './folder/folder-lock.ts';
import { databaseName } from './folder/manifest.ts';
import type { Frontier, UrlStepAnswer } from './frontier/frontier.ts';
import { openSqliteFrontier } from './frontier/sqlite/sqlite-frontier.ts';
import type { HostRules } from './host-rules/host-rules.ts';
import { hostRuling } from './host-rules/host-ruling.ts';
import type { Results } from './results/results.ts';

export interface CrawlUrlsOptions {
  clock: Clock;
  /** Of the software: part of the name under which a crawl asks. */
  version: string;
  /** The store that all crawls are kept in; undefined: each is kept in its folder. */
  frontier: (Frontier & { results: Results }) | undefined;
  rules: HostRules;
  /** The crawl, where this coordinator works on it. */
  running: (entry: CatalogEntry) => Crawl | undefined;
  folderOf: (name: string) => string;
}

/** Reads and changes the URLs of crawls beside those who work on them, also when nobody does. */
export function createCrawlUrls(options: CrawlUrlsOptions): CrawlUrls {
  const { clock, frontier, running } = options;

  function databaseOf(entry: CatalogEntry): { folder: string; path: string } {
    const folder = running(entry)?.folder ?? options.folderOf(entry.name);
    const path = join(folder, databaseName);
    if (existsSync(path)) return { folder, path };
    throw new WebfarerError('not-found', `the URLs of the crawl ${entry.name} are not on this machine`, {
      next: 'Ask the coordinator that keeps it.',
    });
  }

  const agentTokenOf = (job: Job): string => robotsToken(userAgentFor(job, options.version));

  async function reading<T>(
    entry: CatalogEntry,
    read: (from: Frontier & { results: Results }) => Promise<T>,
  ): Promise<T> {
    if (frontier) return await read(frontier);
    // Beside the process that writes it, which may be this one.
    const file = openSqliteFrontier({ path: databaseOf(entry).path, clock, readOnly: true });
    try {
      return await read(file);
    } finally {
      await file.close();
    }
  }

  async function changing(
    entry: CatalogEntry,
    change: (of: Frontier & { results: Results }, crawl: CrawlId) => Promise<UrlStepAnswer>,
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
    search: (entry, search) => reading(entry, (from) => from.urls(entry.id, search)),
    async relink(entry, after) {
      if (entry.ownCode) throw storedOwnCode(entry.name);
      const here = running(entry);
      if (here) return await here.relink(after);
      const { job, scope } = scopeOf(entry);
      return await changing(entry, (of, crawl) => relinkStep({ frontier: of, crawl, job, scope, after }));
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
      const { job } = scopeOf(entry);
      return await reading(entry, (frontier) =>
        urlFacts(url, { crawl: entry.id, job, agentToken: agentTokenOf(job), frontier }),
      );
    },
    async linksTo(entry, url, after) {
      const { job } = scopeOf(entry);
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

function scopeOf({ job: input, seeds }: CatalogEntry): { job: Job; scope: Scope } {
  const job = resolveJob(input);
  return { job, scope: createScope(job, seeds as Url[]) };
}
