import type { DroppedReason, Job, JobInput, Offer, Reason, Url } from '@webfarer/protocol';
import { resolveJob } from '@webfarer/protocol/job';
import { seedUrl } from '@webfarer/protocol/url';
import { entryOf, handleOnce, type Page, type Scraper } from '@webfarer/worker';
import { type Handlers, hooksOf } from './handlers.ts';
import { contextOutside } from './outside-context.ts';

/** What a handler made of a page. */
export interface Handled<Item = unknown> {
  /** As they would be stored: after `onItem` and the schema. */
  items: Item[];
  /** What would be queued, in order, each URL once. */
  followed: FollowedUrl[];
  /** Links that would not be queued, and why. */
  dropped: ({ url: string } & Reason & { code: DroppedReason })[];
  /** Items that `onItem` dropped, by its reason. */
  droppedItems: Record<string, number>;
}

/** A URL that a handler followed, with its label, data and request. */
export type FollowedUrl = Omit<Offer, 'cost' | 'hops' | 'band'>;

/**
 * Runs a handler on one page, as a crawl does, and answers what it did. An error of the handler is thrown as it is, and
 * so is one of its items that its schema refuses. `job` gives scope and limits; without it every URL is in scope.
 */
export async function runHandler<Item = unknown>(
  handler: Scraper<Item> | Handlers<Item>,
  page: Page,
  { job }: { job?: JobInput } = {},
): Promise<Handled<Item>> {
  const dropped: Handled['dropped'] = [];
  const handlers = typeof handler === 'function' ? { onPage: handler } : handler;
  const hooks = {
    ...hooksOf<Item>(handlers),
    onSkipped: (url: string, reason: Reason) =>
      void dropped.push({ url, ...reason } as Handled['dropped'][number]),
  };
  const context = await contextOutside(hooks, job === undefined ? {} : rulesOf(job));
  const { url, depth, label, referrer } = page;
  const entry = entryOf({ url, kind: 'page', depth, label, referrer });
  const { gather, scraped } = await handleOnce(context, { entry, page }, new AbortController());
  if (!scraped.ok) throw scraped.error ?? new Error(`${scraped.reason}: ${scraped.detail}`);
  return {
    items: scraped.items as Item[],
    followed: gather.offers.map(({ cost: _cost, hops: _hops, band: _band, ...offer }) => offer),
    dropped,
    droppedItems: Object.fromEntries(gather.droppedItems),
  };
}

function rulesOf(input: JobInput): { job: Job; seeds: Url[] } {
  const job = resolveJob(input);
  const seeds = job.seeds.flatMap((seed) => ('url' in seed ? seedUrl(seed.url).slice(0, 1) : []));
  return { job, seeds };
}
