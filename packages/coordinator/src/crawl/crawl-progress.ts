import type {
  Clock,
  CrawlId,
  CrawlSnapshot,
  CrawlState,
  HostKey,
  HostNews,
  HostWait,
  Job,
  LeaseReport,
  LimitedBy,
  PageRecord,
  WaitReason,
} from '@webfarer/protocol';
import { refusedByBudget } from '@webfarer/protocol/crawl';
import { parseRobots } from '@webfarer/protocol/robots';
import type { EventBus } from '../events/event-bus.ts';
import type { CrawlTotals, Frontier } from '../frontier/frontier.ts';
import { createMeter } from '../link/meter.ts';
import { createRunningTime } from './time-left/running-time.ts';
import { createTimeLeft } from './time-left/time-left.ts';

/** Hosts whose last trouble is remembered. */
const TROUBLES_KEPT = 1_000;
/** A wait shorter than this is ordinary politeness and not worth a line. */
const NOTEWORTHY_WAIT_MS = 5_000;
/** A crash loses this much of the running time of a crawl that has a time limit. */
const KEEP_TIME_MS = 5_000;

export interface CrawlProgressOptions {
  crawl: CrawlId;
  name: string;
  /** Where its sums are looked up. */
  frontier: Pick<Frontier, 'balance' | 'totals' | 'waiting' | 'keepTime'>;
  clock: Clock;
  events: Pick<EventBus, 'publish'>;
  /** The name robots.txt groups are looked up by. */
  agentToken: string;
  /** Time spent running in earlier sessions. */
  elapsedBeforeMs: number;
  /** As it is now: a crawl may be edited while it runs. */
  job: () => Pick<Job, 'limits' | 'politeness'>;
  /** Told of every report. */
  saw: readonly ((report: LeaseReport) => void)[];
}

/** What a coordinator knows of one crawl beside the frontier: its rates and its time. */
export interface CrawlProgress {
  readonly crawl: CrawlId;
  /** Publishes everything that was committed in one report. */
  committed(report: LeaseReport): void;
  snapshot(): Promise<CrawlSnapshot>;
  /** How long it has run, without pauses. */
  elapsedMs(): number;
  /** Whether it has run for as long as its job allows. */
  overTime(): Promise<boolean>;
  /** The limit of its hosts or sites that refused most of its URLs. */
  overBudget(totals: Pick<CrawlTotals, 'byReason' | 'dropped'>): LimitedBy | undefined;
  setState(state: CrawlState): void;
  /** Something else than its state keeps it from being worked on, or no longer. */
  hold(isHeld: boolean): void;
  readonly state: CrawlState;
}

export function createCrawlProgress(options: CrawlProgressOptions): CrawlProgress {
  const { crawl, frontier, clock, events } = options;
  const meter = createMeter(clock);
  const time = createRunningTime(clock, options.elapsedBeforeMs);
  let keptAtMs = Number.NEGATIVE_INFINITY;
  let isHeld = false;
  let state: CrawlState = 'running';
  let last: PageRecord | undefined;
  const troubles = createTroubles();

  const { elapsedMs } = time;
  const timeLeft = createTimeLeft({
    clock,
    limits: () => options.job().limits,
    elapsedMs,
    gapMs: () => leastGapMs(options.job()),
  });

  return {
    crawl,
    elapsedMs,
    async overTime() {
      const { durationMs } = options.job().limits;
      if (durationMs === undefined) return false;
      if (clock.now() - keptAtMs >= KEEP_TIME_MS) {
        keptAtMs = clock.now();
        await time.keep((ran) => frontier.keepTime(crawl, ran));
      }
      return elapsedMs() >= durationMs;
    },
    overBudget: (totals) => overBudget(totals, options.job().limits),
    hold(next) {
      if (next === isHeld) return;
      isHeld = next;
      time.set(state === 'running' && !isHeld);
    },
    get state() {
      return state;
    },
    setState(next) {
      if (next === state) return;
      state = next;
      time.set(state === 'running' && !isHeld);
      timeLeft.reset();
      events.publish({ type: 'crawl-state', crawl, name: options.name, state });
    },
    committed(report) {
      const nowMs = clock.now();
      for (const saw of options.saw) saw(report);
      for (const copy of report.robots ?? []) {
        const rules = copy.state === 'rules' ? parseRobots(copy.body) : undefined;
        const crawlDelayMs = rules?.crawlDelayMs(options.agentToken);
        events.publish({
          type: 'robots',
          crawl,
          origin: copy.origin,
          state: copy.state,
          rules: rules?.rulesFor(options.agentToken) ?? 0,
          sitemaps: [...(rules?.sitemaps ?? [])],
          ...(crawlDelayMs === undefined ? {} : { crawlDelayMs }),
          ...(copy.detail === undefined ? {} : { detail: copy.detail }),
        });
      }
      for (const settled of report.settled) {
        if (settled.kind !== 'outcome') continue;
        last = settled.record;
        meter.count(settled.record, nowMs);
        events.publish({ type: 'record', crawl, record: settled.record }, nowMs);
      }
      const { news } = report;
      const isKnown = news.health === 'none' && troubles.detail(report.host) === news.detail;
      troubles.note(report.host, news);
      const wait = news.gapMs - (news.endedAgoMs ?? 0);
      const special = news.why === 'retry-after' || news.why === 'backoff' || news.why === 'robots';
      // It is looked again and again whether a person has logged in: that is told once.
      if ((special && wait >= NOTEWORTHY_WAIT_MS) || (news.why === 'login' && !isKnown)) {
        const detail = news.detail ?? news.reason;
        events.publish({
          type: 'host-waits',
          crawl,
          host: report.host,
          why: news.why,
          forMs: wait,
          ...(detail === undefined ? {} : { detail }),
        });
      }
    },
    async snapshot() {
      const [balance, totals, waiting] = await Promise.all([
        frontier.balance(crawl),
        frontier.totals(crawl),
        frontier.waiting(crawl, 3),
      ]);
      const rate = meter.perSecond();
      const latency = meter.latency();
      return {
        crawl,
        name: options.name,
        state,
        elapsedMs: Math.round(elapsedMs()),
        balance,
        byStatus: totals.byStatus,
        byReason: totals.byReason,
        dropped: totals.dropped,
        bytes: totals.bytes,
        items: totals.items,
        pagesPerSecond: rate,
        ...(state === 'running'
          ? timeLeft.estimate({ balance, hostsQueued: totals.hostsQueued, waiting })
          : {}),
        hostsQueued: totals.hostsQueued,
        inFlight: balance.leased,
        waiting: waiting.map(troubles.explain),
        archive: { files: 0, bytes: 0 },
        ...(latency === undefined ? {} : { latency }),
        ...(last === undefined ? {} : { last }),
      };
    },
  };
}

const afterTrouble: readonly WaitReason[] = ['backoff', 'robots', 'retry-after', 'rule', 'login'];

/** What went wrong with hosts. The store knows only that they wait. */
function createTroubles() {
  /** Latest last. */
  const troubles = new Map<HostKey, Pick<HostWait, 'reason' | 'detail'>>();
  return {
    note(host: HostKey, { why, reason, detail, health }: HostNews): void {
      if (health !== 'none') troubles.delete(host);
      if (detail === undefined || (health !== 'trouble' && why === 'gap')) return;
      troubles.set(host, { ...(reason === undefined ? {} : { reason }), detail });
      const [oldest] = troubles.keys();
      if (troubles.size > TROUBLES_KEPT && oldest !== undefined) troubles.delete(oldest);
    },
    detail: (host: HostKey) => troubles.get(host)?.detail,
    explain: (wait: HostWait): HostWait =>
      afterTrouble.includes(wait.why) ? { ...wait, ...troubles.get(wait.host) } : wait,
  };
}

/** Sitemaps have a limit of their own for each host, which does not end a crawl. */
function overBudget(
  totals: Pick<CrawlTotals, 'byReason' | 'dropped'>,
  limits: Job['limits'],
): LimitedBy | undefined {
  const by = refusedByBudget(totals)?.by;
  const limit = by && limits[by];
  return limit?.pages === undefined && limit?.bytes === undefined ? undefined : by;
}

/** Smallest time between two pages of any host. */
function leastGapMs({ politeness }: Pick<Job, 'politeness'>): number {
  const { gapMs, ownHosts, perHost } = politeness;
  return ownHosts.length > 0 ? gapMs / perHost : gapMs;
}
