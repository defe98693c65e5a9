import {
  type Clock,
  type CoordinatorLink,
  type CrawlId,
  type CrawlState,
  type HostLease,
  type LeaseAnswer,
  type ReportAnswer,
  WebfarerError,
} from '@webfarer/protocol';
import type { CrawlDesk } from './crawl/crawl-desk.ts';
import type { Frontier } from './frontier/frontier.ts';
import type { PreviousCrawl } from './folder/previous-crawl.ts';
import { createLeaseReaper } from './maintenance/lease-reaper.ts';

export type LimitedBy = 'pages' | 'bytes' | 'duration';

export interface CoordinatorOptions {
  frontier: Frontier;
  clock: Clock;
  desks: CrawlDesk[];
  /** Others may work on the same crawls: looks over the whole store are dear, so there are fewer. */
  shared?: boolean;
  /** What each recrawl is compared with. */
  previous?: ReadonlyMap<CrawlId, PreviousCrawl>;
  /** Workers are to give back what they have not started: a crawl was paused or ran out of time. */
  giveBack: (crawl: CrawlId) => void;
  /** Something was given out or came in. */
  stirred?: () => void;
  /** After each step of upkeep: what others have brought may be due. */
  upkept?: () => void;
  /** A fault of ours: going on would only hide it. */
  failed: (error: unknown) => void;
}

/**
 * A server: grants leases, takes reports, decides when a crawl is over. All state is in the frontier; what
 * is kept here (events, rates) may be lost at any time.
 */
export interface Coordinator {
  start(): void;
  stop(): Promise<void>;
  /** How workers talk to it; in a local crawl the worker calls these directly. */
  readonly link: CoordinatorLink;
  setState(crawl: CrawlId, state: CrawlState): Promise<void>;
  limitedBy(crawl: CrawlId): LimitedBy | undefined;
}

/**
 * Pauses between two steps of upkeep, between two looks whether what a limit leaves in flight has ended, and between two
 * tries to end a crawl.
 */
const OWN_PACE = { upkeepMs: 250, limitMs: 0, endMs: 0 };
const SHARED_PACE = { upkeepMs: 400, limitMs: 500, endMs: 1_000 };
const OVER: readonly CrawlState[] = ['finished', 'limited', 'stopped'];

export function createCoordinator(options: CoordinatorOptions): Coordinator {
  const { frontier, clock, desks, giveBack, failed } = options;
  const byId = new Map(desks.map((desk) => [desk.crawl, desk]));
  const pace = options.shared ? SHARED_PACE : OWN_PACE;
  const crawls = desks.map(({ crawl }) => crawl);
  const limits = new Map<CrawlId, LimitedBy>();
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  let triedAtMs = Number.NEGATIVE_INFINITY;

  async function setState(crawl: CrawlId, state: CrawlState): Promise<void> {
    const desk = byId.get(crawl);
    if (!desk) throw new WebfarerError('not-found', `no crawl ${crawl} here`);
    limits.delete(crawl);
    await frontier.setState(crawl, state);
    desk.setState(state);
    if (state === 'paused') giveBack(crawl);
  }

  /**
   * A crawl ends as `limited` when a grant was refused by its ceiling while nothing of it was in flight:
   * a page still in flight may fail and give its place back.
   */
  async function endAtLimit(desk: CrawlDesk, by: LimitedBy | undefined): Promise<void> {
    if (by) limits.set(desk.crawl, by);
    if (clock.now() - lookedAtMs < pace.limitMs) return;
    lookedAtMs = clock.now();
    const { leased } = await frontier.balance(desk.crawl);
    if (leased === 0 && desk.state === 'running') {
      await setState(desk.crawl, 'limited');
      if (by) limits.set(desk.crawl, by);
    }
  }

  async function endIfOver(): Promise<void> {
    const mayEnd = clock.now() - triedAtMs >= pace.endMs;
    if (mayEnd) triedAtMs = clock.now();
    for (const desk of desks) {
      if (OVER.includes(desk.state)) continue;
      const state = await frontier.state(desk.crawl);
      if (state !== 'limited' && state !== 'finished') follow(desk, state);
      if (desk.state !== 'running') continue;
      if (mayEnd && (await frontier.finish(desk.crawl))) desk.setState('finished');
      else if (state === 'limited') await endAtLimit(desk, limits.get(desk.crawl));
      else if (desk.overTime()) {
        // No more grants; what is in flight still settles.
        await frontier.setState(desk.crawl, 'limited');
        if (limits.get(desk.crawl) !== 'duration') giveBack(desk.crawl);
        await endAtLimit(desk, 'duration');
      }
    }
    options.upkept?.();
  }

  /** Another process has paused the crawl, stopped it, or gone on with it. */
  function follow(desk: CrawlDesk, state: CrawlState): void {
    if (state === desk.state) return;
    desk.setState(state);
    if (state === 'paused') giveBack(desk.crawl);
  }

  const idleMs = pace.upkeepMs;
  const reaper = createLeaseReaper({ frontier, clock, idleMs, afterStep: endIfOver, failed });

  /** Sitemaps are always read whole: they are how a site says what is new. */
  async function addBefore({ crawl, entries }: HostLease): Promise<void> {
    const previous = options.previous?.get(crawl);
    if (!previous) return;
    for (const entry of entries) {
      if (entry.kind !== 'sitemap') entry.before = await previous.before(entry.url);
    }
  }

  const link: CoordinatorLink = {
    async lease(request): Promise<LeaseAnswer> {
      const { leases, nextDueMs, limited } = await frontier.lease({ ...request, crawls });
      for (const { crawl, by } of limited) {
        const desk = byId.get(crawl);
        if (desk) await endAtLimit(desk, by);
      }
      if (leases.length > 0) options.stirred?.();
      await Promise.all(leases.map(addBefore));
      return { leases, nextDueMs };
    },
    leaseHost: (request) => frontier.leaseHost(request),
    robots: (origin) => frontier.robots(origin),
    previous: async ({ crawl, url, queuedAs }) => await options.previous?.get(crawl)?.page(url, queuedAs),
    renew: (leases) => frontier.renew(leases),
    async report(reports) {
      // Asked for before: what is answered may be older than an epoch that begins meanwhile.
      const epochs = reports.map(({ crawl }) => frontier.epoch(crawl));
      const answers = (await frontier.report(reports)).map((answer, i) => inEpoch(answer, epochs[i]));
      options.stirred?.();
      for (const [i, report] of reports.entries()) {
        if (answers[i]?.ok) byId.get(report.crawl)?.committed(report);
      }
      return answers;
    },
  };

  return {
    link,
    setState,
    limitedBy: (crawl) => limits.get(crawl),
    start: () => reaper.start(),
    stop: () => reaper.stop(),
  };
}

function inEpoch(answer: ReportAnswer, epoch: string | undefined): ReportAnswer {
  return answer.ok && epoch !== undefined ? { ...answer, epoch } : answer;
}
