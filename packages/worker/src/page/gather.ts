import type { DroppedReason, Entry, EntryKind, Offer, Reason, Url } from '@webfarer/protocol';
import { linkProblem, type ScopeLink } from '@webfarer/protocol/url';
import type { HandlingContext } from '../context/context.ts';
import type { FollowOptions, PageLink, Tools } from '../scrape/scraper.ts';

/** What a page's scraper asked for, held back until the page's outcome is committed. */
export interface Gathered {
  offers: Offer[];
  items: unknown[];
  dropped: Partial<Record<DroppedReason, number>>;
}

export interface Gatherer extends Gathered {
  /** Items that a hook dropped, by its reason. */
  readonly droppedItems: Map<string, number>;
  readonly tools: Tools;
  /** URLs that a scraper named itself: they stand in no link of the page. */
  readonly followed: Url[];
  /** Decides about one link and keeps it as an offer or as a count. */
  offer(url: Url, how: FollowOptions & { kind: EntryKind; depth: number; hops?: number }): void;
  /** Fetches a file that the job collects, from any host, unless it is offered already. */
  collect(url: Url, depth: number): void;
  drop(url: string, reason: Reason & { code: DroppedReason }): void;
  /** Counts a link that is no http(s) URL, by what is wrong with it. */
  unusable(href: string): void;
}

export function createGatherer(context: HandlingContext, entry: Entry, signal: AbortSignal): Gatherer {
  const offers: Offer[] = [];
  const items: unknown[] = [];
  const dropped: Partial<Record<DroppedReason, number>> = {};
  /** What was decided about each URL so far; undefined for those that were dropped. */
  const offered = new Map<Url, Offer | undefined>();
  const followed: Url[] = [];
  const droppedItems = new Map<string, number>();

  function drop(url: string, reason: Reason & { code: DroppedReason }): void {
    dropped[reason.code] = (dropped[reason.code] ?? 0) + 1;
    context.onSkipped?.(url, reason);
  }

  /** However deep it is. */
  function leadsOut(link: Omit<ScopeLink, 'kind'>): boolean {
    const verdict = context.scope.decide({ ...link, depth: 0, kind: 'page' });
    return !verdict.in && verdict.reason === 'scope';
  }

  const offer: Gatherer['offer'] = (url, { kind, depth, hops = 0, label, outside }) => {
    const earlier = offered.get(url);
    // Followed once more, this time with a label: the first label counts, whatever the order.
    if (earlier?.kind === 'page' && label !== undefined) earlier.label ??= label;
    if (offered.has(url)) return;
    offered.set(url, undefined);
    const link = { url, depth, hops, parentCost: entry.cost };
    let verdict = context.scope.decide({ ...link, kind });
    if (outside === 'check' && !verdict.in && leadsOut(link)) {
      kind = 'check';
      verdict = context.scope.decide({ ...link, kind });
    }
    if (!verdict.in)
      return drop(url, { code: verdict.reason, ...(verdict.rule ? { rule: verdict.rule } : {}) });
    const made: Offer = { url, kind, depth, hops, cost: verdict.cost };
    const known = verdict.label ?? label;
    if (known !== undefined) made.label = known;
    if (verdict.band !== undefined) made.band = verdict.band;
    offered.set(url, made);
    offers.push(made);
  };

  const unusable = (href: string) => drop(href, { code: linkProblem(href, entry.url) ?? 'invalid' });

  function followOne(link: PageLink | string, how: Parameters<Gatherer['offer']>[1]): void {
    if (typeof link !== 'string' && link.nofollow) return drop(link.url, { code: 'nofollow' });
    if (typeof link !== 'string') return offer(link.url, how);
    const url = context.normalise(link, entry.url);
    if (url === undefined) return unusable(link);
    followed.push(url);
    offer(url, how);
  }

  const tools: Tools = {
    signal,
    push: (item) => void items.push(item),
    follow(links, options: FollowOptions = {}) {
      const how = { ...options, kind: 'page' as const, depth: entry.depth + 1 };
      if (typeof links === 'string') followOne(links, how);
      else for (const link of links) followOne(link, how);
    },
  };
  function collect(url: Url, depth: number): void {
    if (offered.get(url)) return;
    offered.delete(url);
    offer(url, { kind: 'requisite', depth });
  }

  return { offers, items, dropped, droppedItems, followed, tools, offer, drop, collect, unusable };
}
