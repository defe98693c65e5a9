import { WebfarerError } from '@webfarer/protocol';
import type { CrawlDetail, CrawlListEntry, crawlRoutes } from '@webfarer/protocol/api';
import { crawlStates, endedBy } from '@webfarer/protocol/crawl';
import { mergePatch } from '@webfarer/protocol/job';
import type { CatalogEntry } from '../../catalog/catalog.ts';
import { changedMeanwhile } from '../../catalog/crawl-entry.ts';
import { type CountSample, slotMs } from '../../history/samples.ts';
import type { ApiParts } from '../call/api-parts.ts';
import type { Call, HandlersOf, Principal } from '../call/call.ts';
import { maySee, noSuchCrawl, ofTeam, refuseMove } from '../call/crawl-teams.ts';
import type { SteeredState } from '../call/crawl-directory.ts';
import { createOnce, replacedTags, shownTags } from '../call/create-once.ts';
import { inputOf, shownJob } from '../call/job-input.ts';
import { deletedAtMs } from '../../maintenance/retirer.ts';

type EditBody = Call<(typeof crawlRoutes)['editCrawl']>['body'];
/** For an edit that names no version: others may edit the same crawl at the same moment. */
const editTries = 10;

/** Create, watch and steer crawls. */
export function crawlHandlers({ crawls, urls, history, jobs }: ApiParts): HandlersOf<typeof crawlRoutes> {
  const create = createOnce(crawls);

  async function find(name: string): Promise<CatalogEntry> {
    const entry = await crawls.find(name);
    if (entry) return entry;
    throw noSuchCrawl(name);
  }

  async function steer(name: string, state: SteeredState): Promise<CrawlListEntry> {
    return shown(await crawls.want(await find(name), state));
  }

  function shown(entry: CatalogEntry): CrawlListEntry {
    const { id, name, tags, createdAtMs, version } = entry;
    const { state, failure } = crawls.listing(entry);
    const known = { id, name, tags: shownTags(tags), state, createdAtMs, version };
    const deleted = deletedAtMs(entry);
    return {
      ...known,
      ...(failure ? { failure } : {}),
      ...(deleted === undefined ? {} : { deletedAtMs: deleted }),
    };
  }

  async function inDetail(entry: CatalogEntry): Promise<CrawlDetail> {
    const progress = await progressOf(entry);
    return {
      ...shown(entry),
      seeds: entry.seeds,
      job: shownJob(entry.job),
      ...(progress ? { progress } : {}),
    };
  }

  /** URLs of a crawl that nobody works on may have been retried or dropped since: then the store counts. */
  async function progressOf(entry: CatalogEntry): Promise<CrawlDetail['progress']> {
    const last = await crawls.lately(entry)?.snapshot();
    const { state, crawl } = crawls.listing(entry);
    if (crawl || state === 'running' || state === 'paused' || state === 'failed')
      return last && progressIn(last, state);
    const stored = await urls.overview(entry);
    return stored && progressIn({ ...atRest, ...last, ...stored.totals, balance: stored.balance }, state);
  }

  /** Made on the job as it is: where another edit comes first, on the job that this one left. */
  async function edit(name: string, body: EditBody, principal: Principal): Promise<void> {
    for (let tries = 1; ; tries++) {
      const entry = await find(name);
      const { changes, rescope, version = entry.version } = body;
      if (version !== entry.version) throw changedMeanwhile(entry);
      const after = mergePatch(entry.job, changes);
      const input = await jobs.admitChange({ before: entry.job, after }, principal);
      const isLast = body.version !== undefined || tries >= editTries;
      try {
        // A crawl that no catalog lists has no versions.
        const listed = entry.version > 0 ? { version } : {};
        return await crawls.edit(entry, { input, rescope, by: principal.id, ...listed });
      } catch (error) {
        if (isLast || !(error instanceof WebfarerError && error.code === 'conflict')) throw error;
      }
    }
  }

  return {
    async listEdits({ params }) {
      const { edits } = await find(params.crawl);
      return { items: edits.kept, earlier: edits.earlier };
    },
    async getHistory({ params, query: { sinceMs } }) {
      const samples = await history.samples(await find(params.crawl));
      return { stepMs: slotMs, items: samples.filter(({ atMs }) => atMs >= sinceMs).map(shownSample) };
    },
    async listCrawls({ query: { tag, state, after, limit }, principal }) {
      const states = state.length > 0 ? state : crawlStates;
      const { entries, next } = await crawls.list({ after, limit, states, tags: tag });
      const seen = entries.filter((entry) => maySee(principal, entry));
      return { items: seen.map(shown), ...(next === undefined ? {} : { next }) };
    },
    async createCrawl({ body, principal, idempotencyKey }) {
      const asked = ofTeam(inputOf(body.job), principal);
      const input = await jobs.admit(asked, principal);
      return await inDetail(await create({ asked, input, tags: body.tags, idempotencyKey, principal }));
    },
    getCrawl: async ({ params }) => await inDetail(await find(params.crawl)),
    pauseCrawl: ({ params }) => steer(params.crawl, 'paused'),
    resumeCrawl: ({ params, query: { paused } }) => steer(params.crawl, paused ? 'reopened' : 'running'),
    stopCrawl: ({ params }) => steer(params.crawl, 'stopped'),
    async editCrawl({ params, body, principal }) {
      refuseMove(body.changes, principal);
      if (Object.keys(body.changes).length > 0) await edit(params.crawl, body, principal);
      if (body.tags) {
        const now = await find(params.crawl);
        const isFirst = Object.keys(body.changes).length === 0;
        if (isFirst && body.version !== undefined && body.version !== now.version)
          throw changedMeanwhile(now);
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
  };
}

function shownSample({ gap, ...sample }: CountSample) {
  const { queued, leased, done, failed, refused } = sample;
  return { known: queued + leased + done + failed + refused, ...sample, ...(gap ? { gap } : {}) };
}

const atRest = { pagesPerSecond: 0, inFlight: 0 };

type Progress = NonNullable<CrawlDetail['progress']>;

function progressIn(snapshot: Progress, state: string): Progress {
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
    endedBy: endedBy({ state, balance, byReason, dropped }),
    leftMs,
    leftToMs,
    leftAtMost,
    pause,
    stall,
  };
}
