import type { LeaseReport, WorkerLook } from '@webfarer/protocol';
import type { LinkCrawl } from '@webfarer/protocol/link';
import { isOver, leftOutCause } from '@webfarer/protocol/crawl';
import { createCrawlLabels, type Metrics, metricTable } from '@webfarer/protocol/metrics';
import type { LinkState } from '../link/link-client.ts';

export interface ReportedWorker {
  metrics: Metrics;
  look: () => WorkerLook & { link: LinkState; held: number };
  connections: number;
}

/** What a worker counts of its own work. */
export interface WorkerReport {
  /** It was told of these crawls. */
  told(crawls: readonly LinkCrawl[]): void;
  /** A report was accepted. */
  accepted(report: LeaseReport): void;
  /** It has ended: nothing is to be read from it any more. */
  end(): void;
}

export function reportWorker({ metrics, look, connections }: ReportedWorker): WorkerReport {
  const labels = createCrawlLabels((label) => metrics.forget('crawl', label));
  const names = new Map<string, string>();
  /** Crawls whose rare counters exist. They start at 0: a counter that appears with its first event shows no increase. */
  const begun = new Set<string>();

  const end = metrics.collect((sample) => {
    const { inFlight, held, waiting, pause, link, unable = [] } = look();
    sample('webfarer_worker_requests', {}, inFlight);
    sample('webfarer_worker_hosts_held', {}, held);
    sample('webfarer_worker_hosts_most', {}, connections);
    for (const cause of metricTable.webfarer_worker_hosts_waiting.labels.cause)
      sample('webfarer_worker_hosts_waiting', { cause }, waiting.filter(({ why }) => why === cause).length);
    for (const cause of metricTable.webfarer_worker_paused.labels.cause)
      sample('webfarer_worker_paused', { cause }, pause?.cause === cause ? 1 : 0);
    for (const cause of metricTable.webfarer_worker_crawls_left_out.labels.cause)
      sample(
        'webfarer_worker_crawls_left_out',
        { cause },
        unable.filter(({ code }) => leftOutCause(code) === cause).length,
      );
    sample('webfarer_worker_connected', {}, link.connected ? 1 : 0);
    sample('webfarer_worker_outbox_reports', {}, link.outbox);
  });

  return {
    end,
    told(crawls) {
      for (const crawl of crawls) {
        names.set(crawl.id, crawl.job.name);
        if (!isOver(crawl)) continue;
        begun.delete(crawl.id);
        labels.ended(crawl.id);
      }
      const known = new Set<string>(crawls.map(({ id }) => id));
      for (const id of names.keys()) {
        if (known.has(id)) continue;
        names.delete(id);
        begun.delete(id);
        labels.ended(id);
      }
    },
    accepted({ crawl: id, settled, cookiesLeftOut }) {
      const crawl = labels.of({ id, name: names.get(id) ?? id });
      if (cookiesLeftOut || !begun.has(id))
        metrics.count('webfarer_worker_cookies_left_out_total', { crawl }, cookiesLeftOut ?? 0);
      begun.add(id);
      for (const one of settled) {
        if (one.kind !== 'outcome') continue;
        const { verdict: outcome, reason, bytes } = one.record;
        metrics.count('webfarer_worker_pages_total', { crawl, outcome, reason });
        metrics.count('webfarer_worker_bytes_total', { crawl }, bytes ?? 0);
      }
    },
  };
}
