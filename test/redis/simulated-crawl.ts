import type { Frontier, FrontierCrawl } from '../../packages/coordinator/src/frontier/frontier.ts';
import type { Results } from '../../packages/coordinator/src/results/results.ts';
import { addsUp } from '../../packages/protocol/src/crawl/index.ts';
import {
  type CrawlId,
  type Edge,
  type Entry,
  type HostKey,
  type HostLease,
  isStorageTrouble,
  type PageRecord,
  type Settlement,
  systemClock,
  type Url,
  type WorkerId,
} from '../../packages/protocol/src/index.ts';
import { createReporter, type Reporter } from '../../packages/worker/src/session/reporter.ts';
import { type EndlessGraph, endlessGraph } from './endless-graph.ts';
import { noTracing } from '../../packages/worker/src/tracing/tracing.ts';

export interface SimulationOptions {
  /** One per process that is imagined; each has its own worker. */
  frontiers: (Frontier & { results: Results })[];
  hosts: number;
  /** How many hosts each process has at once; by default far more than there are. */
  hostsEach?: number;
  times: Pick<FrontierCrawl, 'gapMs' | 'leaseTtlMs' | 'maxFetchMs'>;
  /** What the n-th fetch of the crawl yields; by default pages are done and yield links to follow only. */
  yieldOf?: YieldOf;
}

export type YieldOf = (
  url: Url,
  nth: number,
) => { record: Partial<PageRecord>; items: unknown[]; edges: Edge[] };

/** A fetch as it really ran, by the clock of this process. */
export interface SimulatedFetch {
  host: HostKey;
  startedAtMs: number;
  endedAtMs: number;
}

export interface Simulation {
  fetches: SimulatedFetch[];
  /** When outcomes were accepted, of which host, and by whom: the number of its frontier. */
  settled: { host: HostKey; atMs: number; by: number }[];
  /** One more process takes part. Answers its number. */
  join(frontier: SimulationOptions['frontiers'][0]): number;
  /** Store calls that gave up. */
  troubles(): number;
  /** All that must be settled, once the graph has ended. */
  expected(): Set<Url>;
  /** Lets the graph end, waits until the crawl is finished, and judges it. */
  end(withinMs: number): Promise<Judgement>;
}

export interface Judgement {
  urls: number;
  finished: boolean;
  /** URLs of the graph that have no record. */
  lost: number;
  /** Records beyond the first of a URL, and of URLs that the graph does not have. */
  duplicates: number;
  /** Requests to a host that began before the gap after the last one was over. */
  gapViolations: number;
  addsUp: boolean;
}

export const simulated = 'simulated' as CrawlId;
const crawl = simulated;
const clock = systemClock();
const usualHostsEach = 200;
const urlsPerHost = 4;
const fetchMs = 5;
const sweepMs = 500;

/** A crawl with everything real but the fetches: workers lease, wait, report links, renew and drop leases. */
export async function simulateCrawl(options: SimulationOptions): Promise<Simulation> {
  const { frontiers, hosts, times, hostsEach = usualHostsEach } = options;
  const [first] = frontiers as [SimulationOptions['frontiers'][0]];
  const graph = endlessGraph(hosts);
  const { yieldOf = () => ({ record: {}, items: [], edges: [] }) } = options;
  const state: State = {
    fetches: [],
    settled: [],
    troubles: 0,
    over: false,
    graph,
    times,
    hostsEach,
    yieldOf,
  };
  await first.openCrawl({ id: crawl, ...times, backoffMs: 1000, deadAfter: 3, limits: {} });
  await first.seed(crawl, graph.seeds, { last: true });
  const parts: Promise<unknown>[] = [];
  function join(frontier: SimulationOptions['frontiers'][0]): number {
    const by = parts.length;
    const part = Promise.all([work(state, frontier, by), sweep(state, frontier)]);
    part.catch(() => {
      state.over = true;
    });
    parts.push(part);
    return by;
  }
  for (const frontier of frontiers) join(frontier);
  return {
    fetches: state.fetches,
    settled: state.settled,
    join,
    troubles: () => state.troubles,
    expected: () => graph.expected(),
    async end(withinMs) {
      graph.end();
      const deadline = clock.now() + withinMs;
      let finished = false;
      while (!finished && !state.over && clock.now() < deadline) {
        finished = (await attempt(state, () => first.finish(crawl))) ?? false;
        if (!finished) await clock.sleep(100);
      }
      state.over = true;
      await Promise.all(parts);
      return await judge(state, first, finished);
    },
  };
}

interface State extends Pick<Simulation, 'fetches' | 'settled'> {
  troubles: number;
  over: boolean;
  graph: EndlessGraph;
  times: SimulationOptions['times'];
  hostsEach: number;
  yieldOf: YieldOf;
}

/** Trouble of the store is counted and survived, as a worker does. */
async function attempt<T>(state: State, ask: () => Promise<T>): Promise<T | undefined> {
  try {
    return await ask();
  } catch (error) {
    if (!isStorageTrouble(error)) throw error;
    state.troubles += 1;
    return undefined;
  }
}

async function sweep(state: State, frontier: Frontier): Promise<void> {
  while (!state.over) {
    const { more = false } = (await attempt(state, () => frontier.sweep())) ?? {};
    if (!more) await clock.sleep(sweepMs);
  }
}

async function work(state: State, frontier: Frontier, by: number): Promise<void> {
  const worker = `w${by}` as WorkerId;
  const sessions = new Set<Promise<void>>();
  const reporter = reporterTo(state, frontier);
  while (!state.over) {
    let waitMs = 20;
    const free = state.hostsEach - sessions.size;
    if (free > 0) {
      const askedAtMs = clock.now();
      const answer = await attempt(state, () => frontier.lease({ worker, hosts: free, urlsPerHost }));
      for (const lease of answer?.leases ?? []) {
        const about = { lease, deadlineMs: askedAtMs + lease.ttlMs, by };
        const session = serve(state, reporter, about).finally(() => sessions.delete(session));
        sessions.add(session);
      }
      if (typeof answer?.nextDueMs === 'number') waitMs = Math.min(waitMs, Math.max(1, answer.nextDueMs));
    }
    await clock.sleep(waitMs);
  }
  await Promise.all(sessions);
}

/** The reporter of real workers, over a store that may be away: what could not be told is told again. */
function reporterTo(state: State, frontier: Frontier): Reporter {
  const storage = {
    async attempt<T>(write: () => Promise<T>): Promise<T> {
      for (;;) {
        const answer = await attempt(state, write);
        if (answer !== undefined) return answer;
        await clock.sleep(100);
      }
    },
  };
  const link = { report: frontier.report.bind(frontier) } as Parameters<typeof createReporter>[0]['link'];
  return createReporter({
    tracing: noTracing,
    link,
    secure: () => Promise.resolve(),
    signal: new AbortController().signal,
    clock,
    storage,
    committed: () => undefined,
  });
}

/** Fetches the URLs of one lease in turn; a lease that is over is dropped. */
async function serve(
  state: State,
  reporter: Reporter,
  { lease, deadlineMs, by }: { lease: HostLease; deadlineMs: number; by: number },
): Promise<void> {
  const { id, host, fence, part, entries } = lease;
  const { gapMs } = state.times;
  let endedAtMs: number | null = null;
  for (const [n, entry] of entries.entries()) {
    if (endedAtMs !== null) await clock.sleep(Math.max(0, Math.ceil(endedAtMs + gapMs - clock.now())));
    const startedAtMs = clock.now();
    if (startedAtMs >= deadlineMs) return;
    await clock.sleep(fetchMs);
    endedAtMs = clock.now();
    const nth = state.fetches.push({ host, startedAtMs, endedAtMs });
    const answer = await reporter.add({
      id,
      crawl,
      host,
      fence,
      part,
      settled: [outcomeOf(entry, state, nth)],
      news: { endedAtMs, gapMs, why: 'gap', health: 'ok' },
      close: n === entries.length - 1,
    });
    if (!answer.ok) return;
    state.settled.push({ host, atMs: clock.now(), by });
  }
}

function outcomeOf(
  { url, kind, depth, attempt: tries }: Entry,
  { graph, yieldOf }: State,
  nth: number,
): Settlement {
  const { items, edges, record: changes } = yieldOf(url, nth);
  const record: PageRecord = {
    url,
    kind,
    depth,
    verdict: 'done',
    reason: 'ok',
    status: 200,
    attempts: tries + 1,
    bytes: 1,
    startedAtMs: 0,
    durationMs: fetchMs,
    links: edges.length,
    items: items.length,
    ...changes,
  };
  return { kind: 'outcome', url, record, offers: graph.linksOf(url), edges, items, dropped: {} };
}

async function judge(
  state: State,
  frontier: SimulationOptions['frontiers'][0],
  finished: boolean,
): Promise<Judgement> {
  const expected = state.graph.expected();
  const found = new Map<Url, number>();
  for await (const { url } of frontier.results.records(crawl)) found.set(url, (found.get(url) ?? 0) + 1);
  const records = [...found.values()].reduce((sum, count) => sum + count, 0);
  const rightly = [...expected].filter((url) => found.has(url)).length;
  const balance = await frontier.balance(crawl);
  return {
    urls: expected.size,
    finished,
    lost: expected.size - rightly,
    duplicates: records - rightly,
    gapViolations: gapViolations(state.fetches, state.times.gapMs),
    addsUp: addsUp(balance) && balance.known === expected.size,
  };
}

/** Timers of this process may be read a fraction of a millisecond early. */
const timerMs = 1;

export function gapViolations(fetches: SimulatedFetch[], gapMs: number): number {
  const lastEnd = new Map<HostKey, number>();
  let count = 0;
  for (const { host, startedAtMs, endedAtMs } of fetches.toSorted((a, b) => a.startedAtMs - b.startedAtMs)) {
    const end = lastEnd.get(host) ?? Number.NEGATIVE_INFINITY;
    if (startedAtMs < end + gapMs - timerMs) count += 1;
    lastEnd.set(host, Math.max(end, endedAtMs));
  }
  return count;
}

/** The longest time in which nothing was settled, in ms. */
export function longestStall(settled: Simulation['settled']): number {
  let longest = 0;
  for (const [n, { atMs }] of settled.entries()) {
    const before = settled[n - 1];
    if (before) longest = Math.max(longest, atMs - before.atMs);
  }
  return Math.round(longest);
}
