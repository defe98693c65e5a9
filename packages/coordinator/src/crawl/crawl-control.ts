import type {
  Clock,
  CoordinatorLink,
  CrawlId,
  CrawlState,
  HostLease,
  LeaseAnswer,
  ReportAnswer,
} from '@webfarer/protocol';
import type { PreviousCrawl } from '../folder/previous-crawl.ts';
import type { Frontier } from '../frontier/frontier.ts';
import type { CrawlProgress } from './crawl-progress.ts';

export type LimitedBy = 'pages' | 'bytes' | 'duration';

export interface CrawlControlOptions {
  crawl: CrawlId;
  frontier: Frontier;
  clock: Clock;
  progress: CrawlProgress;
  /** Others may work on the same crawl: looks over the whole store are expensive, so there are fewer. */
  shared: boolean;
  /** What a recrawl is compared with. */
  previous: PreviousCrawl | undefined;
  /** URLs are looked through after a change of the scope: some may be queued again. */
  isSweeping: () => boolean;
  /** Workers are to give back what they have not started: the crawl was paused or ran out of time. */
  giveBack: () => void;
  /** Something was leased or reported. */
  stirred: () => void;
}

/** Grants leases of one crawl, takes reports about it and decides when it is over. All state is in the frontier. */
export interface CrawlControl {
  readonly link: CoordinatorLink;
  /** `wish`: which of the operators' wishes this is; undefined: nobody's. */
  setState(state: CrawlState, wish: number | undefined): Promise<void>;
  /** Looks whether the crawl is over, and follows what other processes have decided. */
  look(): Promise<void>;
  readonly limitedBy: LimitedBy | undefined;
}

/** Pauses between two looks whether what a limit leaves in flight has ended, and between two tries to end a crawl. */
const OWN_PACE = { limitMs: 0, endMs: 0 };
const SHARED_PACE = { limitMs: 500, endMs: 1_000 };
const OVER: readonly CrawlState[] = ['finished', 'limited', 'stopped'];

export function createCrawlControl(options: CrawlControlOptions): CrawlControl {
  const { crawl, frontier, clock, progress, previous, giveBack, stirred } = options;
  const pace = options.shared ? SHARED_PACE : OWN_PACE;
  const crawls = [crawl];
  let limit: LimitedBy | undefined;
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  let triedAtMs = Number.NEGATIVE_INFINITY;

  async function setState(
    state: CrawlState,
    { by, wish }: { by?: LimitedBy | undefined; wish?: number | undefined },
  ): Promise<void> {
    limit = by;
    const inForce = await frontier.setState(crawl, state, wish);
    progress.setState(inForce);
    if (inForce === 'paused') giveBack();
  }

  /**
   * A crawl ends as `limited` when a grant was refused by its ceiling while nothing of it was in flight:
   * a page still in flight may fail and give its place back.
   */
  async function endAtLimit(by: LimitedBy | undefined): Promise<void> {
    if (by) limit = by;
    if (clock.now() - lookedAtMs < pace.limitMs) return;
    lookedAtMs = clock.now();
    const { leased } = await frontier.balance(crawl);
    if (leased > 0 || progress.state !== 'running') return;
    await setState('limited', { by: limit });
  }

  /** Another process has paused the crawl, stopped it or resumed it. */
  function follow(state: CrawlState): void {
    if (state === progress.state) return;
    progress.setState(state);
    if (state === 'paused') giveBack();
  }

  async function look(): Promise<void> {
    if (OVER.includes(progress.state)) return;
    const mayEnd = clock.now() - triedAtMs >= pace.endMs;
    if (mayEnd) triedAtMs = clock.now();
    const state = await frontier.state(crawl);
    if (state !== 'limited' && state !== 'finished') follow(state);
    if (progress.state !== 'running') return;
    if (mayEnd && !options.isSweeping() && (await frontier.finish(crawl))) progress.setState('finished');
    else if (state === 'limited') await endAtLimit(limit);
    else if (progress.overTime()) {
      // No more grants; what is in flight still settles.
      await frontier.setState(crawl, 'limited');
      if (limit !== 'duration') giveBack();
      await endAtLimit('duration');
    }
  }

  /** Sitemaps are always read whole: they are how a site says what is new. */
  async function addBefore({ entries }: HostLease, than: PreviousCrawl): Promise<void> {
    for (const entry of entries) {
      const before = entry.kind === 'sitemap' ? undefined : await than.before(entry.url);
      if (before) entry.before = before;
    }
  }

  return {
    setState: (state, wish) => setState(state, { wish }),
    look,
    get limitedBy() {
      return limit;
    },
    link: {
      async lease(request): Promise<LeaseAnswer> {
        const { leases, nextDueMs, limited } = await frontier.lease({ ...request, crawls });
        for (const { by } of limited) await endAtLimit(by);
        if (leases.length > 0) stirred();
        if (previous) await Promise.all(leases.map((lease) => addBefore(lease, previous)));
        return { leases, nextDueMs };
      },
      leaseHost: (request) => frontier.leaseHost(request),
      robots: (origin) => frontier.robots(origin),
      previous: async ({ url, queuedAs }) => await previous?.page(url, queuedAs),
      renew: (leases) => frontier.renew(leases),
      async report(reports) {
        // Asked for before: what is answered may be older than an epoch that begins meanwhile.
        const epochs = reports.map((report) => frontier.epoch(report.crawl));
        const answers = (await frontier.report(reports)).map((answer, i) => inEpoch(answer, epochs[i]));
        stirred();
        for (const [i, report] of reports.entries()) {
          if (answers[i]?.ok && report.crawl === crawl) progress.committed(report);
        }
        return answers;
      },
    },
  };
}

function inEpoch(answer: ReportAnswer, epoch: string | undefined): ReportAnswer {
  return answer.ok && epoch !== undefined ? { ...answer, epoch } : answer;
}
