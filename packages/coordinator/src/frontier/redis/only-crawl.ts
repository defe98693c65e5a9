import { type CrawlId, type HostLeaseRequest, WebfarerError } from '@webfarer/protocol';
import type { GrantRequest } from '../frontier.ts';
import type { RedisFrontier } from './redis-frontier.ts';

/** Whose calls begin with the id of a crawl and read or change it. */
const byId = [
  'setState',
  'offer',
  'seed',
  'limit',
  'finish',
  'retry',
  'drop',
  'forget',
  'forgot',
  'state',
  'balance',
  'totals',
  'overview',
  'waiting',
  'hostSums',
  'urls',
  'look',
  'keepTime',
] as const satisfies readonly (keyof RedisFrontier)[];

/**
 * The frontier for whoever works on one crawl. A crawl that is deleted frees its id at once, while coordinators may still work on
 * it for some seconds; whatever they do by the id must not reach another crawl that has it by then.
 */
export function onlyCrawl(
  frontier: RedisFrontier,
  { id, nonce }: { id: CrawlId; nonce: string },
): RedisFrontier {
  const isOther = async (wanted: CrawlId) => {
    const now = wanted === id ? await frontier.nonceOf(id) : nonce;
    return now !== undefined && now !== nonce;
  };
  async function requireThis(wanted: CrawlId): Promise<void> {
    if (await isOther(wanted))
      throw new WebfarerError(
        'not-found',
        `the crawl ${id} was deleted, and there is another one of its name`,
      );
  }
  const guarded = (name: (typeof byId)[number]) => {
    const call = frontier[name] as (wanted: CrawlId, ...args: unknown[]) => Promise<unknown>;
    return async (wanted: CrawlId, ...args: unknown[]) => {
      await requireThis(wanted);
      return await call(wanted, ...args);
    };
  };
  return {
    ...frontier,
    ...(Object.fromEntries(byId.map((name) => [name, guarded(name)])) as Pick<
      RedisFrontier,
      (typeof byId)[number]
    >),
    async lease(request: GrantRequest) {
      if (await isOther(id)) return { leases: [], nextDueMs: null, limited: [] };
      return await frontier.lease(request);
    },
    async leaseHost(request: HostLeaseRequest) {
      await requireThis(request.crawl);
      return await frontier.leaseHost(request);
    },
  };
}
