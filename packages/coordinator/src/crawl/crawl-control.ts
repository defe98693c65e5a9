import type {
  Clock,
  CoordinatorLink,
  CrawlId,
  CrawlState,
  HostLease,
  LeaseAnswer,
  LimitedBy,
  ReportAnswer,
} from '@webfarer/protocol';
import type { PreviousCrawl } from '../folder/previous-crawl.ts';
import type { Frontier } from '../frontier/frontier.ts';
import type { CrawlProgress } from './crawl-progress.ts';

export type { LimitedBy };

export interface CrawlControlOptions {
  crawl: CrawlId;
  frontier: Frontier;
  clock: Clock;
  progress: CrawlProgress;
  /** Others may work on the same crawl: looks over the whole store are expensive, so there are fewer. */
  shared: boolean;
  /** What a recrawl is compared with. */
  previous: PreviousCrawl | undefined;
  /** What operators want of it, as it is known here. */
  wishes: () => KnownWishes;
  /** URLs are looked through after a change of the scope: some may be queued again. */
  isSweeping: () => boolean;
  /** Workers are to give back what they have not started: the crawl was paused or ran out of time. */
  giveBack: () => void;
  /** Something of this crawl was leased or reported. */
  stirred: (crawl: CrawlId) => void;
}

export interface KnownWishes {
  /** The latest version of its entry; undefined where no catalog has it. What is decided here is void where a wish is later. */
  readonly known: number | undefined;
  /** Follows its entry as it is now, where nobody else does or not yet. */
  catchUp(): Promise<void>;
}

/** Grants leases of one crawl, takes reports about it and decides when it is over. All state is in the frontier. */
export interface CrawlControl {
  readonly link: CoordinatorLink;
  /** `wish`: which of the operators' wishes this is; undefined: nobody's. */
  setState(state: CrawlState, wish: number | undefined): Promise<void>;
  /** The store has nothing left of it. */
  endFinished(): Promise<void>;
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
  /** How often a person has paused or resumed it here: what was asked before one of these decides nothing. */
  let orders = 0;
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  let triedAtMs = Number.NEGATIVE_INFINITY;

  async function setState(state: CrawlState, wish: number | undefined): Promise<void> {
    orders++;
    limit = undefined;
    const inForce = await frontier.setState(crawl, state, wish);
    progress.setState(inForce);
    if (inForce === 'paused') giveBack();
  }

  /** A grant was refused by a ceiling. Whether the crawl is over is for the store to say: a page in flight may fail. */
  async function endAtCeiling(): Promise<void> {
    if (!mayLook()) return;
    const before = orders;
    const by = await frontier.limit(crawl);
    if (by && orders === before) endAs(by);
  }

  /** It is limited in the store, by its time or by another process: what is in flight still settles. */
  async function endAsLimited(): Promise<void> {
    if (!mayLook()) return;
    const before = orders;
    const { leased } = await frontier.balance(crawl);
    if (leased > 0) return;
    const by =
      limit ?? (await frontier.limit(crawl)) ?? ((await progress.overTime()) ? 'duration' : undefined);
    if (orders === before) endAs(by);
  }

  function mayLook(): boolean {
    if (clock.now() - lookedAtMs < pace.limitMs) return false;
    lookedAtMs = clock.now();
    return true;
  }

  function endAs(by: LimitedBy | undefined): void {
    if (progress.state !== 'running') return;
    limit = by;
    progress.setState('limited');
  }

  /** Nothing is left to do. Where a limit of hosts or sites refused URLs, that is not all it has found. */
  async function endFinished(): Promise<void> {
    limit = progress.overBudget(await frontier.totals(crawl));
    progress.setState(limit ? 'limited' : 'finished');
  }

  /** Another process has paused the crawl, stopped it or resumed it. */
  function follow(state: CrawlState): void {
    if (state === progress.state) return;
    progress.setState(state);
    if (state === 'paused') giveBack();
  }

  async function look(): Promise<void> {
    if (OVER.includes(progress.state)) return;
    if (clock.now() - triedAtMs < pace.endMs) return;
    triedAtMs = clock.now();
    const before = orders;
    const state = await frontier.state(crawl);
    if (orders !== before) return;
    // One that is over was running before, also where it was paused when this process last looked.
    follow(state === 'limited' || state === 'finished' ? 'running' : state);
    if (progress.state !== 'running') return;
    if (!options.isSweeping() && (await frontier.finish(crawl))) await endFinished();
    else if (state === 'limited') await endAsLimited();
    else if (await progress.overTime()) {
      // No more grants; what is in flight still settles.
      const { known, catchUp } = options.wishes();
      if ((await frontier.setState(crawl, 'limited', known)) !== 'limited') return await catchUp();
      if (limit !== 'duration') giveBack();
      limit = 'duration';
      await endAsLimited();
    }
  }

  return {
    setState,
    look,
    endFinished,
    get limitedBy() {
      return limit;
    },
    link: {
      async lease(request): Promise<LeaseAnswer> {
        const { leases, nextDueMs, limited } = await frontier.lease({ ...request, crawls });
        if (limited.length > 0) await endAtCeiling();
        if (leases.length > 0) stirred(crawl);
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
        for (const of of new Set(reports.map((report) => report.crawl))) stirred(of);
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

/** Sitemaps are always read whole: they are how a site says what is new. */
async function addBefore({ entries }: HostLease, than: PreviousCrawl): Promise<void> {
  for (const entry of entries) {
    const before = entry.kind === 'sitemap' ? undefined : await than.before(entry);
    if (before) entry.before = before;
  }
}
