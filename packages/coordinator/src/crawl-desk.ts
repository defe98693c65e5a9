import type {
  Balance,
  Clock,
  CrawlEvent,
  CrawlId,
  CrawlSnapshot,
  CrawlState,
  LeaseReport,
  PageRecord,
} from '@webfarer/protocol';
import { parseRobots } from '@webfarer/protocol';
import type { Frontier } from './frontier/frontier.ts';
import { createMeter } from './meter.ts';

/** A wait shorter than this is ordinary politeness and not worth a line. */
const NOTEWORTHY_WAIT_MS = 5_000;

export interface CrawlDeskOptions {
  crawl: CrawlId;
  name: string;
  /** Where its sums are looked up. */
  frontier: Pick<Frontier, 'balance' | 'totals' | 'waiting'>;
  clock: Clock;
  /** The name robots.txt groups are looked up by. */
  agentToken: string;
  /** Time spent running in earlier sessions. */
  elapsedBeforeMs: number;
  durationLimitMs?: number;
}

/** What a coordinator knows of one crawl beside the frontier: its events, its rates, its time. */
export interface CrawlDesk {
  readonly crawl: CrawlId;
  /** Everything that was committed in one report, told to whoever listens. */
  committed(report: LeaseReport): void;
  tell(event: CrawlEvent): void;
  listen(listener: (event: CrawlEvent) => void): () => void;
  snapshot(): Promise<CrawlSnapshot>;
  elapsedMs(): number;
  overTime(): boolean;
  setState(state: CrawlState): void;
  readonly state: CrawlState;
}

export function createCrawlDesk(options: CrawlDeskOptions): CrawlDesk {
  const { crawl, frontier, clock } = options;
  const listeners = new Set<(event: CrawlEvent) => void>();
  const meter = createMeter(clock);
  const startedAtMs = clock.now();
  let endedAtMs: number | undefined;
  let state: CrawlState = 'running';
  let last: PageRecord | undefined;

  const tell = (event: CrawlEvent) => {
    for (const listener of listeners) listener(event);
  };
  const elapsedMs = () => options.elapsedBeforeMs + (endedAtMs ?? clock.now()) - startedAtMs;

  return {
    crawl,
    tell,
    elapsedMs,
    overTime: () => options.durationLimitMs !== undefined && elapsedMs() >= options.durationLimitMs,
    get state() {
      return state;
    },
    setState(next) {
      if (next === state) return;
      state = next;
      if (next === 'running') endedAtMs = undefined;
      else if (next !== 'paused') endedAtMs ??= clock.now();
      tell({ type: 'state', state });
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    committed(report) {
      for (const copy of report.robots ?? []) {
        const rules = copy.state === 'rules' ? parseRobots(copy.body) : undefined;
        const crawlDelayMs = rules?.crawlDelayMs(options.agentToken);
        tell({
          type: 'robots',
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
        meter.count(settled.record);
        tell({ type: 'record', record: settled.record });
      }
      const { news } = report;
      const wait = news.gapMs - (news.endedAgoMs ?? 0);
      const special = news.why === 'retry-after' || news.why === 'backoff' || news.why === 'robots';
      if (special && wait >= NOTEWORTHY_WAIT_MS) {
        const detail = news.detail ?? news.reason;
        tell({
          type: 'host-waits',
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
      const leftMs = estimateLeftMs(balance, rate);
      return {
        crawl,
        name: options.name,
        state,
        elapsedMs: elapsedMs(),
        balance,
        byStatus: totals.byStatus,
        byReason: totals.byReason,
        dropped: totals.dropped,
        bytes: totals.bytes,
        items: totals.items,
        pagesPerSecond: rate,
        ...(leftMs === undefined ? {} : { leftMs }),
        hostsQueued: totals.hostsQueued,
        inFlight: balance.leased,
        waiting,
        archive: { files: 0, bytes: 0 },
        ...(latency === undefined ? {} : { latency }),
        ...(last === undefined ? {} : { last }),
      };
    },
  };
}

function estimateLeftMs(balance: Balance, perSecond: number): number | undefined {
  const open = balance.queued + balance.leased;
  if (open === 0 || perSecond <= 0) return undefined;
  return (open / perSecond) * 1_000;
}
