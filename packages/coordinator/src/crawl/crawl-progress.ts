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
  PageRecord,
  WaitReason,
} from '@webfarer/protocol';
import { parseRobots } from '@webfarer/protocol/robots';
import type { EventBus } from '../events/event-bus.ts';
import type { Frontier } from '../frontier/frontier.ts';
import { createMeter } from '../link/meter.ts';
import { createTimeLeft } from './time-left/time-left.ts';

/** Hosts whose last trouble is remembered. */
const TROUBLES_KEPT = 1_000;
/** A wait shorter than this is ordinary politeness and not worth a line. */
const NOTEWORTHY_WAIT_MS = 5_000;

export interface CrawlProgressOptions {
  crawl: CrawlId;
  name: string;
  /** Where its sums are looked up. */
  frontier: Pick<Frontier, 'balance' | 'totals' | 'waiting'>;
  clock: Clock;
  events: Pick<EventBus, 'publish'>;
  /** The name robots.txt groups are looked up by. */
  agentToken: string;
  /** Time spent running in earlier sessions. */
  elapsedBeforeMs: number;
  /** As it is now: a crawl may be edited while it runs. */
  job: () => Pick<Job, 'limits' | 'politeness'>;
  /** Told of every report. */
  saw: (report: LeaseReport) => void;
}

/** What a coordinator knows of one crawl beside the frontier: its rates and its time. */
export interface CrawlProgress {
  readonly crawl: CrawlId;
  /** Publishes everything that was committed in one report. */
  committed(report: LeaseReport): void;
  snapshot(): Promise<CrawlSnapshot>;
  elapsedMs(): number;
  overTime(): boolean;
  setState(state: CrawlState): void;
  readonly state: CrawlState;
}

export function createCrawlProgress(options: CrawlProgressOptions): CrawlProgress {
  const { crawl, frontier, clock, events } = options;
  const meter = createMeter(clock);
  const startedAtMs = clock.now();
  let endedAtMs: number | undefined;
  let state: CrawlState = 'running';
  let last: PageRecord | undefined;
  /** What went wrong with hosts, latest last. The store knows only that they wait. */
  const troubles = new Map<HostKey, Pick<HostWait, 'reason' | 'detail'>>();

  function noteTrouble(host: HostKey, { why, reason, detail, health }: HostNews): void {
    if (health !== 'none') troubles.delete(host);
    if (detail === undefined || (health !== 'trouble' && why === 'gap')) return;
    troubles.set(host, { ...(reason === undefined ? {} : { reason }), detail });
    const [oldest] = troubles.keys();
    if (troubles.size > TROUBLES_KEPT && oldest !== undefined) troubles.delete(oldest);
  }

  const afterTrouble: readonly WaitReason[] = ['backoff', 'robots', 'retry-after', 'rule', 'login'];
  const explained = (wait: HostWait): HostWait =>
    afterTrouble.includes(wait.why) ? { ...wait, ...troubles.get(wait.host) } : wait;

  const elapsedMs = () => options.elapsedBeforeMs + (endedAtMs ?? clock.now()) - startedAtMs;
  const timeLeft = createTimeLeft({
    clock,
    limits: () => options.job().limits,
    elapsedMs,
    gapMs: () => leastGapMs(options.job()),
  });

  return {
    crawl,
    elapsedMs,
    overTime: () => elapsedMs() >= (options.job().limits.durationMs ?? Number.POSITIVE_INFINITY),
    get state() {
      return state;
    },
    setState(next) {
      if (next === state) return;
      state = next;
      if (next === 'running') endedAtMs = undefined;
      else if (next !== 'paused') endedAtMs ??= clock.now();
      timeLeft.reset();
      events.publish({ type: 'crawl-state', crawl, name: options.name, state });
    },
    committed(report) {
      const nowMs = clock.now();
      options.saw(report);
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
      const isKnown = news.health === 'none' && troubles.get(report.host)?.detail === news.detail;
      noteTrouble(report.host, news);
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
        waiting: waiting.map(explained),
        archive: { files: 0, bytes: 0 },
        ...(latency === undefined ? {} : { latency }),
        ...(last === undefined ? {} : { last }),
      };
    },
  };
}

/** Smallest time between two pages of any host. */
function leastGapMs({ politeness }: Pick<Job, 'politeness'>): number {
  const { gapMs, ownHosts, perHost } = politeness;
  return ownHosts.length > 0 ? gapMs / perHost : gapMs;
}
