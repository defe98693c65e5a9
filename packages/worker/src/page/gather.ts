import type { DroppedReason, Entry, EntryKind, Offer, PageRequest, Reason, Url } from '@webfarer/protocol';
import { bands } from '@webfarer/protocol/link';
import { linkProblem, type ScopeLink, targetOf } from '@webfarer/protocol/url';
import type { HandlingContext } from '../context/context.ts';
import type { FollowOptions, PageLink, Tools } from '../scrape/scraper.ts';
import { callOwn, isPromise } from './own-code.ts';
import { requestBytes, requestOf, urlOf } from './asked.ts';

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
  /** Promises of hooks that were told of links: they must settle before the page does. */
  readonly waited: readonly Promise<unknown>[];
  /** Decides about one link and keeps it as an offer or as a count. */
  offer(url: Url, how: OfferedAs): void;
  /** Fetches a file that the job collects, from any host, unless it is offered already. */
  collect(url: Url, depth: number): void;
  drop(url: string, reason: Reason & { code: DroppedReason }): void;
  /** Counts a link that is no http(s) URL, by what is wrong with it. */
  unusable(href: string): void;
}

export interface OfferedAs extends Pick<FollowOptions, 'label' | 'priority' | 'outside'> {
  kind: EntryKind;
  depth: number;
  hops?: number;
  request?: PageRequest | undefined;
}

/** Of all requests that one page follows: they are reported in one frame. */
const mostBytes = 4 * 1_048_576;
/** What a handler names by itself is shown to it whatever its type. A page needs no such mark. */
const namesFile = /\.(?!(?:html?|xhtml|shtml|php\d?|aspx?|jspx?|cgi|do|action)(?:$|\?))[a-z\d]{1,8}(?:$|\?)/i;

/** Tells the user's hook of a link. Returns its promise, if it is asynchronous. */
function skipped({ onSkipped }: HandlingContext, url: string, reason: Reason): Promise<unknown>[] {
  const told = onSkipped && callOwn('onSkipped', () => onSkipped(url, reason) as unknown);
  if (!isPromise(told)) return [];
  // Whoever waits for it hears of it.
  told.catch(() => undefined);
  return [told];
}

export function createGatherer(context: HandlingContext, entry: Entry, abort: AbortController): Gatherer {
  const offers: Offer[] = [];
  const items: unknown[] = [];
  const dropped: Partial<Record<DroppedReason, number>> = {};
  /** What was decided about each URL so far; undefined for those that were dropped. */
  const offered = new Map<Url, Offer | undefined>();
  const followed: Url[] = [];
  const droppedItems = new Map<string, number>();
  const base = targetOf(entry.url);
  const waited: Promise<unknown>[] = [];
  let bytes = 0;

  function drop(url: string, reason: Reason & { code: DroppedReason }): void {
    dropped[reason.code] = (dropped[reason.code] ?? 0) + 1;
    waited.push(...skipped(context, url, reason));
  }

  /** However deep it is. */
  function leadsOut(link: ScopeLink): boolean {
    const verdict = context.scope.decide({ ...link, depth: 0, kind: 'page' });
    return !verdict.in && verdict.reason === 'scope';
  }

  const offer: Gatherer['offer'] = (url, { kind, depth, hops = 0, label, request, priority, outside }) => {
    const name = request?.method === undefined ? url : urlOf(url, request);
    if (offered.has(name)) {
      const earlier = offered.get(name);
      // Followed once more, this time with a label or data: the first of each count, whatever the order.
      if (earlier?.kind === 'page' && label !== undefined) earlier.label ??= label;
      if (earlier?.kind === 'page' && request !== undefined)
        earlier.request = { ...request, ...earlier.request };
      return;
    }
    const link: ScopeLink = { url, depth, hops, parentCost: entry.cost, kind };
    let verdict = context.scope.decide(link);
    if (outside === 'check' && !verdict.in && leadsOut(link)) {
      kind = 'check';
      verdict = context.scope.decide({ ...link, kind });
    }
    if (!verdict.in) {
      offered.set(name, undefined);
      return drop(url, { code: verdict.reason, ...(verdict.rule ? { rule: verdict.rule } : {}) });
    }
    const made: Offer = { url: name, kind, depth, hops, cost: verdict.cost };
    const known = verdict.label ?? label;
    if (known !== undefined) made.label = known;
    const band = priority === undefined ? verdict.band : bands[priority - 2];
    if (band !== undefined) made.band = band;
    if (request !== undefined) made.request = request;
    offered.set(name, made);
    offers.push(made);
  };

  const unusable = (href: string) => drop(href, { code: linkProblem(href, base) ?? 'invalid' });

  function followOne(link: PageLink | string, how: OfferedAs): void {
    if (typeof link !== 'string' && link.nofollow) return drop(link.url, { code: 'nofollow' });
    if (typeof link !== 'string') return offer(link.url, how);
    const url = context.normalise(link, base);
    if (url === undefined) return unusable(link);
    followed.push(urlOf(url, how.request));
    const marked =
      how.label === undefined && how.request === undefined && context.ownCode && namesFile.test(url);
    offer(url, marked ? { ...how, request: {} } : how);
  }

  function asOffered(options: FollowOptions): OfferedAs {
    const { label, priority, outside, depth = entry.depth + 1 } = options;
    if (
      priority !== undefined &&
      !(Number.isInteger(priority) && priority >= 1 && priority <= bands.length + 1)
    )
      throw new RangeError(
        `follow: priority is ${priority}, not a whole number from 1 to ${bands.length + 1}.`,
      );
    if (!Number.isInteger(depth) || depth < 0)
      throw new RangeError(`follow: depth is ${depth}, not a whole number from 0 on.`);
    const request = requestOf(options);
    return {
      kind: 'page',
      // Only seeds have depth 0.
      depth: Math.max(1, depth),
      ...(label === undefined ? {} : { label }),
      ...(priority === undefined ? {} : { priority }),
      ...(outside === undefined ? {} : { outside }),
      ...(request === undefined ? {} : { request }),
    };
  }

  /** The report of a page that followed more could not be sent. */
  function makeRoom(request: PageRequest): void {
    bytes += requestBytes(request);
    if (bytes > mostBytes)
      throw new RangeError(
        `follow: the requests of one page take ${bytes} bytes, and may take ${mostBytes}.`,
      );
  }

  const tools: Tools = {
    // Made when it is asked for: few scrapers do.
    get signal() {
      return abort.signal;
    },
    push: (item) => void items.push(item),
    follow(links, options = {}) {
      const how = asOffered(options);
      for (const link of typeof links === 'string' ? [links] : links) {
        if (how.request !== undefined) makeRoom(how.request);
        followOne(link, how);
      }
    },
  };
  function collect(url: Url, depth: number): void {
    if (offered.get(url)) return;
    offered.delete(url);
    offer(url, { kind: 'requisite', depth });
  }

  return { offers, items, dropped, droppedItems, followed, waited, tools, offer, drop, collect, unusable };
}
