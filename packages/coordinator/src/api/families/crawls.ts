import { WebfarerError } from '@webfarer/protocol';
import type { CrawlDetail, CrawlListEntry, crawlRoutes } from '@webfarer/protocol/api';
import { crawlStates } from '@webfarer/protocol/crawl';
import { resolveJob } from '@webfarer/protocol/job';
import type { CatalogEntry } from '../../catalog/catalog.ts';
import type { Crawl } from '../../crawl/crawl.ts';
import type { RecordFilter } from '../../frontier/frontier.ts';
import type { ApiParts } from '../call/api-parts.ts';
import type { HandlersOf } from '../call/call.ts';
import { maySee, noSuchCrawl, ofTeam, refuseMove } from '../call/crawl-teams.ts';
import type { SteeredState } from '../call/crawl-directory.ts';
import { createOnce, replacedTags, shownTags } from '../call/create-once.ts';
import { inputOf, shownJob } from '../call/job-input.ts';
import { refuseJobPowers, refuseNewPowers } from '../call/job-powers.ts';
import { mergePatch } from '../call/merge-patch.ts';

/** Create, watch and steer crawls. */
export function crawlHandlers({ crawls }: ApiParts): HandlersOf<typeof crawlRoutes> {
  const create = createOnce(crawls);

  async function find(name: string): Promise<CatalogEntry> {
    const entry = await crawls.find(name);
    if (entry) return entry;
    throw noSuchCrawl(name);
  }

  /** The crawl, where this coordinator works on it. */
  function runningNow(entry: CatalogEntry): Crawl {
    const crawl = crawls.running(entry);
    if (crawl) return crawl;
    throw new WebfarerError('conflict', `this coordinator does not work on the crawl ${entry.name}`, {
      next: 'Resume the crawl, or ask a coordinator that works on it.',
    });
  }

  async function steer(name: string, state: SteeredState): Promise<CrawlListEntry> {
    return shown(await crawls.want(await find(name), state));
  }

  function shown(entry: CatalogEntry): CrawlListEntry {
    const { id, name, tags, createdAtMs, version } = entry;
    const { state, failure } = crawls.listing(entry);
    const known = { id, name, tags: shownTags(tags), state, createdAtMs, version };
    return failure ? { ...known, failure } : known;
  }

  async function inDetail(entry: CatalogEntry): Promise<CrawlDetail> {
    const crawl = crawls.lately(entry);
    return {
      ...shown(entry),
      seeds: entry.seeds,
      job: shownJob(entry.job),
      ...(crawl ? { progress: progressIn(await crawl.snapshot()) } : {}),
    };
  }

  return {
    async listCrawls({ query: { tag, state, after, limit }, principal }) {
      const states = state.length > 0 ? state : crawlStates;
      const { entries, next } = await crawls.list({ after, limit, states, tags: tag });
      const seen = entries.filter((entry) => maySee(principal, entry));
      return { items: seen.map(shown), ...(next === undefined ? {} : { next }) };
    },
    async createCrawl({ body, principal, idempotencyKey }) {
      const input = ofTeam(inputOf(body.job), principal);
      refuseJobPowers(resolveJob(input), principal);
      return await inDetail(await create({ input, tags: body.tags, idempotencyKey, principal }));
    },
    getCrawl: async ({ params }) => await inDetail(await find(params.crawl)),
    pauseCrawl: ({ params }) => steer(params.crawl, 'paused'),
    resumeCrawl: ({ params }) => steer(params.crawl, 'running'),
    stopCrawl: ({ params }) => steer(params.crawl, 'stopped'),
    async editCrawl({ params, body, principal }) {
      refuseMove(body.changes, principal);
      const entry = await find(params.crawl);
      if (body.version !== undefined && body.version !== entry.version) throw changedMeanwhile(entry);
      if (Object.keys(body.changes).length > 0) {
        const input = mergePatch(entry.job, body.changes);
        refuseNewPowers({ before: resolveJob(entry.job), after: resolveJob(input) }, principal);
        await crawls.edit(entry, { input, rescope: body.rescope });
      }
      if (body.tags) {
        const now = await find(params.crawl);
        const answer = await crawls.change(now.id, now.version, {
          tags: replacedTags(now.tags, body.tags),
        });
        if (answer.kind !== 'changed') throw changedMeanwhile(now);
      }
      return await inDetail(await find(params.crawl));
    },
    async deleteCrawl({ params }) {
      await crawls.delete(await find(params.crawl));
      return undefined;
    },
    explainUrl: async ({ params, query }) => await runningNow(await find(params.crawl)).explain(query.url),
    async retryUrls({ params, body }) {
      const given = Object.entries(body).filter(([, value]) => value !== undefined);
      const filter = Object.fromEntries(given) as RecordFilter;
      return { queued: await runningNow(await find(params.crawl)).retry(filter) };
    },
  };
}

function progressIn(snapshot: Awaited<ReturnType<Crawl['snapshot']>>): NonNullable<CrawlDetail['progress']> {
  const { elapsedMs, balance, byStatus, byReason, dropped, bytes, items, pagesPerSecond } = snapshot;
  const { hostsQueued, inFlight, limitedBy, leftMs, leftToMs, leftAtMost, pause, stall } = snapshot;
  return {
    elapsedMs,
    balance,
    byStatus,
    byReason,
    dropped,
    bytes,
    items,
    pagesPerSecond,
    hostsQueued,
    inFlight,
    limitedBy,
    leftMs,
    leftToMs,
    leftAtMost,
    pause,
    stall,
  };
}

function changedMeanwhile({ name, version }: CatalogEntry): WebfarerError {
  return new WebfarerError('conflict', `the crawl ${name} has changed and is now at version ${version}`, {
    next: 'Read it again and repeat the change.',
  });
}
