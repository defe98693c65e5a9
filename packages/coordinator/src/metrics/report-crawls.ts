import type { CrawlSnapshot } from '@webfarer/protocol';
import type { CrawlLabels, Sample } from '@webfarer/protocol/metrics';
import type { Crawl } from '../crawl/crawl.ts';
import type { ReportedParts } from './reported-parts.ts';

/** Hosts that are looked at for the number of those that are due. */
const MOST_DUE = 100;
/** The store sorts its hosts for that number, so it is not asked with every scrape. */
const DUE_EVERY_MS = 5_000;

/** Where the open crawls stand, as the live view shows it. */
export function reportCrawls({
  metrics,
  clock,
  crawls,
  reportsCrawls,
  labels,
}: Pick<ReportedParts, 'metrics' | 'clock' | 'crawls' | 'reportsCrawls'> & { labels: CrawlLabels }): void {
  const due = new Map<string, { atMs: number; hosts: number }>();

  async function dueOf(crawl: Crawl): Promise<number> {
    const known = due.get(crawl.id);
    // Nothing of it is due within a minute.
    if (crawl.state === 'running' && crawl.isResting()) return 0;
    if (known && clock.now() - known.atMs < DUE_EVERY_MS) return known.hosts;
    const hosts = (await crawl.hosts(MOST_DUE)).filter(({ state }) => state === 'due').length;
    due.set(crawl.id, { atMs: clock.now(), hosts });
    return hosts;
  }

  metrics.collect(async (sample) => {
    if (!reportsCrawls()) return;
    const open = crawls().filter(({ state }) => state === 'running' || state === 'paused');
    const ids = new Set<string>(open.map(({ id }) => id));
    for (const id of due.keys()) if (!ids.has(id)) due.delete(id);
    for (const state of ['running', 'paused'])
      sample('webfarer_crawls', { state }, open.filter((crawl) => crawl.state === state).length);
    const seen = await Promise.all(
      open.map(async (crawl) => ({ crawl, now: await crawl.calmSnapshot(), due: await dueOf(crawl) })),
    );
    const sums = new Map<string, CrawlFigures>();
    for (const { crawl, now, due: hosts } of seen) {
      const label = labels.of(crawl);
      sums.set(label, added(sums.get(label), now, hosts));
    }
    for (const [crawl, figures] of sums) write(sample, crawl, figures);
    writeStalls(
      sample,
      seen.map(({ now }) => now),
    );
  });
}

interface CrawlFigures {
  urls: CrawlSnapshot['balance'];
  hostsQueued: number;
  due: number;
  stalls: Set<string>;
}

/** Crawls without a label of their own share one. */
function added(sum: CrawlFigures | undefined, now: CrawlSnapshot, due: number): CrawlFigures {
  const { known, queued, leased, done, failed, refused } = now.balance;
  const before = sum?.urls;
  return {
    urls: {
      known: known + (before?.known ?? 0),
      queued: queued + (before?.queued ?? 0),
      leased: leased + (before?.leased ?? 0),
      done: done + (before?.done ?? 0),
      failed: failed + (before?.failed ?? 0),
      refused: refused + (before?.refused ?? 0),
    },
    hostsQueued: now.hostsQueued + (sum?.hostsQueued ?? 0),
    due: due + (sum?.due ?? 0),
    stalls: new Set([...(sum?.stalls ?? []), ...(now.stall ? [now.stall.cause] : [])]),
  };
}

function write(sample: Sample, crawl: string, { urls, hostsQueued, due, stalls }: CrawlFigures): void {
  for (const state of ['queued', 'leased', 'done', 'failed', 'refused'] as const)
    sample('webfarer_urls', { crawl, state }, urls[state]);
  sample('webfarer_hosts_queued', { crawl }, hostsQueued);
  sample('webfarer_hosts_due', { crawl }, due);
  for (const cause of stalls) sample('webfarer_crawl_stalled', { crawl, cause }, 1);
}

function writeStalls(sample: Sample, snapshots: readonly CrawlSnapshot[]): void {
  const causes = snapshots.flatMap(({ stall }) => (stall ? [stall.cause] : []));
  for (const [cause, all] of Map.groupBy(causes, (one) => one))
    sample('webfarer_crawls_stalled', { cause }, all.length);
}
