import {
  type CrawlId,
  type DroppedReason,
  type Entry,
  type LeaseReport,
  type Offer,
  type ReportAnswer,
  type Settlement,
  type Url,
  WebfarerError,
} from '@webfarer/protocol';
import { type LinkCrawl, unpackEdges } from '@webfarer/protocol/link';
import { createScope, normaliser, type Scope } from '@webfarer/protocol/url';
import type { WorkerShare } from './lease-sharing.ts';

/** Hosts one volunteer may hold. */
const MOST_HOSTS = 64;
/** Links of one page; more are counted and dropped. */
const MOST_OFFERS = 5_000;

/** What the coordinator needs to check a stranger's reports itself. */
export interface CrawlRules {
  normalise: (text: string) => Url | undefined;
  scope: Scope;
  gapMs: number;
}

export function crawlRules({ job, seeds }: LinkCrawl): CrawlRules {
  return {
    normalise: normaliser(job.normalise),
    scope: createScope(job, seeds),
    gapMs: job.politeness.gapMs,
  };
}

/**
 * The leases of a worker that we do not trust. It can act on its own leases only, settle only the URLs it was given, and
 * offer only what belongs to the crawl; depth and cost are worked out here. Its copies of robots.txt are not kept for
 * others, and no gap is shorter than the crawl's. Whether it tells the truth about a page is not judged here.
 */
export function checkVolunteer(
  share: WorkerShare,
  rulesOf: (crawl: CrawlId) => CrawlRules | undefined,
  /** Crawls that are not for strangers. */
  closed: () => readonly CrawlId[],
): WorkerShare {
  const { held } = share;

  async function passOn(reports: LeaseReport[]): Promise<ReportAnswer[]> {
    const own = reports.map((report) => (held.has(report.id) ? checked(report) : undefined));
    const sent = own.filter((report) => report !== undefined);
    const answers = sent.length === 0 ? [] : await share.report(sent);
    const inOrder = answers.values();
    return own.map((report) => (report && inOrder.next().value) ?? { ok: false });
  }

  function checked({ robots: _robots, cookies: _cookies, ...report }: LeaseReport): LeaseReport {
    const rules = rulesOf(report.crawl);
    const entries = held.get(report.id)?.entries;
    if (!rules || !entries) throw misuse(`crawl ${report.crawl} is not served here`);
    const settled = report.settled.map((one) => checkedSettlement(one, entries, rules));
    const offers = report.offers && onlyIn(report.offers.slice(0, MOST_OFFERS), origin, rules, {});
    const { news } = report;
    return {
      ...report,
      settled,
      ...(offers ? { offers } : {}),
      news: {
        ...news,
        endedAgoMs: news.endedAgoMs === null ? null : 0,
        gapMs: Math.max(news.gapMs, rules.gapMs),
      },
    };
  }

  return {
    held,
    get hungry() {
      return share.hungry;
    },
    async lease(request) {
      const room = MOST_HOSTS - held.size;
      if (room <= 0) return { leases: [], nextDueMs: 1_000 };
      const without = [...(request.without ?? []), ...closed()];
      return await share.lease({
        ...request,
        hosts: Math.min(request.hosts, room),
        ...(without.length > 0 ? { without } : {}),
      });
    },
    async leaseHost(request) {
      if (held.size >= MOST_HOSTS || closed().includes(request.crawl))
        return { granted: false, retryAfterMs: 1_000 };
      return await share.leaseHost(request);
    },
    async renew(leases) {
      const isOwn = leases.map(({ id }) => held.has(id));
      const own = leases.filter((_, i) => isOwn[i]);
      const inOrder = (own.length === 0 ? [] : await share.renew(own)).values();
      return isOwn.map((mine) => (mine && inOrder.next().value) || { ok: false });
    },
    report: passOn,
    dry: (hosts) => share.dry(Math.min(hosts, MOST_HOSTS)),
    leave: () => share.leave(),
  };
}

function checkedSettlement(one: Settlement, entries: ReadonlyMap<Url, Entry>, rules: CrawlRules): Settlement {
  const entry = entries.get(one.url);
  if (!entry) throw misuse(`${one.url} was not leased`);
  if (one.kind === 'retry') return one;
  const { kind, depth, label, request, referrer, attempt } = entry;
  const dropped = { ...one.dropped };
  const over = one.offers.length - MOST_OFFERS;
  if (over > 0) dropped['not-followed'] = (dropped['not-followed'] ?? 0) + over;
  const { label: _label, request: _request, referrer: _referrer, tries: _tries, ...seen } = one.record;
  // Who it is and what it tried is for us to say.
  if (seen.fetched) delete seen.fetched.by;
  if ('packed' in one.edges) requireEdges(one.url, one.edges);
  return {
    ...one,
    record: {
      ...seen,
      kind,
      depth,
      attempts: attempt + 1,
      ...(label === undefined ? {} : { label }),
      ...(request === undefined ? {} : { request }),
      ...(referrer === undefined ? {} : { referrer }),
    },
    offers: onlyIn(one.offers.slice(0, MOST_OFFERS), entry, rules, dropped),
    dropped,
  };
}

/** Where offers come from that belong to no page: the sitemaps that robots.txt names. */
const origin = { depth: 0, cost: 0, hops: 0 };

/** What belongs to the crawl, as deep and as dear as our own rules make it. */
function onlyIn(
  offers: Offer[],
  from: Pick<Entry, 'depth' | 'cost' | 'hops'>,
  { normalise, scope }: CrawlRules,
  dropped: Partial<Record<DroppedReason, number>>,
): Offer[] {
  return offers.flatMap((offer) => {
    const drop = (reason: DroppedReason) => {
      dropped[reason] = (dropped[reason] ?? 0) + 1;
      return [];
    };
    const isHop = offer.hops === from.hops + 1;
    if (normalise(offer.url) !== offer.url || (offer.hops !== 0 && !isHop)) return drop('invalid');
    // A redirect, a requisite and a sitemap stay at the depth of their page, a link goes one deeper.
    const depth =
      isHop || offer.kind === 'requisite' || offer.kind === 'sitemap' ? from.depth : from.depth + 1;
    const verdict = scope.decide({ ...offer, depth, parentCost: from.cost });
    if (!verdict.in) return drop(verdict.reason);
    // Whatever else a stranger would have others send is not for it to say.
    const { band: _theirs, request: _request, ...rest } = offer;
    const { in: _in, ...ours } = verdict;
    return [{ ...rest, depth, ...ours }];
  });
}

/** Bytes that could not be read back later would spoil the results of the crawl. */
function requireEdges(url: Url, { length, packed }: { length: number; packed: Uint8Array }): void {
  try {
    if (unpackEdges(url, packed).length === length) return;
  } catch {
    // said below
  }
  throw misuse(`the links of ${url} cannot be read`);
}

function misuse(what: string): WebfarerError {
  return new WebfarerError('frame-invalid', `a report was rejected: ${what}`);
}
