import { type HostKey, type SiteKey, WebfarerError } from '@webfarer/protocol';
import type { ShownUrl, urlRoutes } from '@webfarer/protocol/api';
import { mergePatch } from '@webfarer/protocol/job';
import { hostPattern, methodOf } from '@webfarer/protocol/url';
import type { CatalogEntry } from '../../catalog/catalog.ts';
import { anyUrl } from '../../frontier/all-steps.ts';
import type {
  KnownUrl,
  QueueFilter,
  UrlFilter,
  UrlStep,
  UrlStepAnswer,
  UrlStory,
} from '../../frontier/frontier.ts';
import type { RecordFilter } from '../../results/results.ts';
import type { UrlFacts } from '../../crawl/reading/url-facts.ts';
import { changedMeanwhile } from '../../catalog/crawl-entry.ts';
import type { ApiParts } from '../call/api-parts.ts';
import type { HandlersOf } from '../call/call.ts';
import { noSuchCrawl, refuseMove } from '../call/crawl-teams.ts';

/** Steps that one request takes, each a change of its own; on a long list the client repeats the request. */
const stepsAtOnce = 20;

/** What became of the URLs of a crawl. */
export function urlHandlers({
  crawls,
  urls,
  forgetting,
  comparisons,
  surveys,
  jobs,
}: ApiParts): HandlersOf<typeof urlRoutes> {
  async function find(name: string): Promise<CatalogEntry> {
    const entry = await crawls.find(name);
    if (entry) return entry;
    throw noSuchCrawl(name);
  }

  return {
    async listUrls({ params, query: { after, limit, ...given } }) {
      const filter = conditionsIn<UrlFilter>(given);
      const page = await urls.search(await find(params.crawl), { filter, after, limit });
      const { next, searched } = page;
      return { items: page.urls.map(shown), searched, ...(next === undefined ? {} : { next }) };
    },
    explainUrl: async ({ params, query }) => await urls.explain(await find(params.crawl), query.url),
    getUrl: async ({ params, query }) => factsShown(await urls.facts(await find(params.crawl), query.url)),
    async findLinksTo({ params, query: { url, after } }) {
      const { found, next, searched } = await urls.linksTo(await find(params.crawl), url, after);
      return { items: found, searched, ...(next === undefined ? {} : { next }) };
    },
    async retryUrls({ params, body: { after, ...given } }) {
      const entry = await find(params.crawl);
      const chosen = chosenIn<RecordFilter>(given);
      const { moved, ...rest } = await someSteps({ ...chosen, after }, (step) => urls.retry(entry, step));
      return { queued: moved, ...rest };
    },
    async dropUrls({ params, body: { after, ...given } }) {
      const entry = await find(params.crawl);
      const chosen = chosenIn<QueueFilter>(given);
      const { moved, ...rest } = await someSteps({ ...chosen, after }, (step) => urls.drop(entry, step));
      return { dropped: moved, ...rest };
    },
    async forgetHost({ params, body: { host, subdomains, dryRun, gone } }) {
      const pattern = hostPattern(subdomains && !host.startsWith('*.') ? `*.${host}` : host);
      if (pattern === undefined || pattern === '*') throw notAHost(host);
      const entry = await find(params.crawl);
      const found = await forgetting.forget(entry, { pattern, dryRun, gone });
      if (!dryRun) for (const each of [comparisons, surveys]) each?.forget(entry);
      return { ...found, complete: !dryRun && found.left.length === 0 };
    },
    async listForgotten({ params }) {
      return { items: await forgetting.forgotten(await find(params.crawl)) };
    },
    async previewScope({ params, body: { changes, version, after }, principal }) {
      const entry = await find(params.crawl);
      if (version !== undefined && version !== entry.version) throw changedMeanwhile(entry);
      refuseMove(changes, principal);
      const edited = { before: entry.job, after: mergePatch(entry.job, changes) };
      const input = await jobs.admitChange(edited, principal);
      const { next, ...found } = await urls.previewScope(entry, { input, after });
      return { ...found, ...(next === undefined ? {} : { next }) };
    },
    async relinkUrls({ params, body }) {
      const entry = await find(params.crawl);
      const take = ({ after }: { after: string }) => urls.relink(entry, after);
      const { moved, ...rest } = await someSteps({ filter: {}, only: anyUrl, after: body.after }, take);
      return { queued: moved, ...rest };
    },
  };
}

function notAHost(text: string): WebfarerError {
  return new WebfarerError('usage', `"${text}" is not a host name`, {
    next: 'Name a host without scheme, port and path: example.org',
  });
}

async function someSteps<Filter>(
  { filter, only, after }: UrlStep<Filter>,
  take: (step: UrlStep<Filter>) => Promise<UrlStepAnswer>,
): Promise<{ moved: number; searched: number; next?: string }> {
  let [moved, searched] = [0, 0];
  let next: string | undefined = after;
  for (let steps = 0; steps < stepsAtOnce && next !== undefined; steps++) {
    const answer: UrlStepAnswer = await take({ filter, after: next, only });
    moved += answer.moved;
    searched += answer.searched;
    ({ next } = answer);
  }
  return { moved, searched, ...(next === undefined ? {} : { next }) };
}

type Chosen<Filter> = Pick<UrlStep<Filter>, 'filter' | 'only'>;

/** A URL is also a prefix of others: the search is confined by it, and then only the URL itself is taken. */
function chosenIn<Filter>({ url, ...given }: { url?: string | undefined } & object): Chosen<Filter> {
  if (url === undefined) return { filter: conditionsIn<Filter>(given), only: anyUrl };
  const filter = conditionsIn<Filter>({ ...given, prefix: url } as object);
  return { filter, only: (one) => one.url === url };
}

/** Hosts and sites are kept in lower case. */
function conditionsIn<Filter>(given: { host?: string | undefined; site?: string | undefined }): Filter {
  const { host, site } = given;
  const named = {
    ...given,
    host: host?.toLowerCase() as HostKey | undefined,
    site: site?.toLowerCase() as SiteKey | undefined,
  };
  return Object.fromEntries(Object.entries(named).filter(([, value]) => value !== undefined)) as Filter;
}

function shown(known: KnownUrl): ShownUrl {
  if ('entry' in known) {
    const { url, kind, depth, attempt, label, referrer } = known.entry;
    const method = methodIn(url);
    return { url, ...method, state: known.state, kind, depth, attempts: attempt, label, referrer };
  }
  const { url, kind, depth, attempts, label, referrer, reason, detail, status, bytes, startedAtMs } =
    known.record;
  const { state } = known;
  const outcome = { reason, detail, status, bytes, startedAtMs };
  return { url, ...methodIn(url), state, kind, depth, attempts, label, referrer, ...outcome };
}

function factsShown({ url, story, foundAtMs, robots, links, items }: UrlFacts) {
  return {
    url,
    ...storyShown(story),
    ...(foundAtMs === undefined ? {} : { foundAtMs }),
    ...(robots ? { robots } : {}),
    links: { total: links.total, first: links.first.map((edge) => ({ ...edge })) },
    items,
  };
}

function storyShown(story: UrlStory | undefined) {
  if (story === undefined) return { state: 'unknown' as const };
  if (story.state === 'settled') {
    const { record } = story;
    return { state: record.verdict, known: shown({ state: record.verdict, record }), record: { ...record } };
  }
  const known = shown({ state: story.state, entry: story.entry });
  if (story.state === 'queued')
    return { state: story.state, known, queue: { ...story.host, ahead: story.ahead } };
  return { state: story.state, known, lease: { worker: story.worker, forMs: story.forMs } };
}

/** Where it is not GET. */
function methodIn(url: string): { method?: string } {
  const method = methodOf(url);
  return method === 'GET' ? {} : { method };
}
