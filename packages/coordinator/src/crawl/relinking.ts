import {
  type CrawlId,
  type Edge,
  type Job,
  type Offer,
  type PageRecord,
  WebfarerError,
} from '@webfarer/protocol';
import { linkUse, type Scope } from '@webfarer/protocol/url';
import type { Frontier, UrlStepAnswer } from '../frontier/frontier.ts';
import { eachInTurns } from '../frontier/turns.ts';
import type { ResultEntry, ResultsCursor, ResultsSource } from '../results/results.ts';

/** Outcomes whose links are offered in one step. */
const outcomesAtOnce = 200;

export interface RelinkOptions {
  frontier: Pick<Frontier, 'offer'> & { results: Pick<ResultsSource, 'after'> };
  crawl: CrawlId;
  job: Job;
  scope: Scope;
  /** `next` of the step before; '' for the first. */
  after: string;
}

/**
 * One step of offering the links of the pages so far once more: those that an earlier scope left out are known by their
 * pages. What is known already stays as it is, so a step may be taken again.
 */
export async function relinkStep({
  frontier,
  crawl,
  job,
  scope,
  after,
}: RelinkOptions): Promise<UrlStepAnswer> {
  if (!followsAll(job))
    throw new WebfarerError(
      'conflict',
      `the scraper of the crawl ${job.name} chooses which links it follows`,
      {
        next: 'Retry the pages instead: POST /v1/crawls/{crawl}/retry.',
      },
    );
  const page = await frontier.results.after(crawl, after === '' ? undefined : (after as ResultsCursor), {
    kinds: ['record', 'links'],
    filter: { verdict: 'done' },
    limit: outcomesAtOnce,
    absent: 'pass',
  });
  const outcomes = outcomesIn(page.entries);
  const offers: Offer[] = [];
  for (const { record, edges } of outcomes)
    await eachInTurns(edges, (edge) => offers.push(...offerOf(record, edge, scope)));
  const verdicts = offers.length > 0 ? await frontier.offer(crawl, offers) : [];
  return {
    moved: verdicts.filter((verdict) => verdict === 'accepted').length,
    searched: outcomes.length,
    next: page.more ? page.cursor : undefined,
  };
}

function followsAll({ scraper }: Job): boolean {
  return scraper.kind === 'links' && scraper.follow.length === 0;
}

/** What belongs to one outcome stands together, its record first. */
function outcomesIn(entries: readonly ResultEntry[]): { record: PageRecord; edges: Edge[] }[] {
  const outcomes: { record: PageRecord; edges: Edge[] }[] = [];
  for (const entry of entries) {
    if (entry.kind === 'record') outcomes.push({ record: entry.record, edges: [] });
    else if (entry.kind === 'links') outcomes.at(-1)?.edges.push(...entry.links.edges);
  }
  return outcomes;
}

/** As a worker offers it when it reads the page; none where it is not followed. What led to the page cost nothing, as far as can be told. */
function offerOf({ kind, depth }: PageRecord, { to, rel, nofollow }: Edge, scope: Scope): Offer[] {
  const link = linkAs(rel, { kind, depth });
  if (!link || nofollow) return [];
  const verdict = scope.decide({ url: to, ...link, parentCost: 0 });
  if (!verdict.in) return [];
  const { in: _in, ...more } = verdict;
  return [{ url: to, ...link, ...more }];
}

function linkAs(
  rel: string,
  { kind, depth }: Pick<PageRecord, 'kind' | 'depth'>,
): Pick<Offer, 'kind' | 'depth' | 'hops'> | undefined {
  if (rel === 'redirect') return { kind, depth, hops: 1 };
  if (rel === 'sitemap') return { kind: 'page', depth: depth + 1, hops: 0 };
  const use = linkUse(rel);
  if (use === 'page') return { kind: 'page', depth: depth + 1, hops: 0 };
  return use === 'requisite' ? { kind: 'requisite', depth, hops: 0 } : undefined;
}
