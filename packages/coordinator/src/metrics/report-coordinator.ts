import { eventCatalogue } from '@webfarer/protocol/crawl';
import { createCrawlLabels, metricTable } from '@webfarer/protocol/metrics';
import type { EventType } from '@webfarer/protocol';
import type { ReportedParts } from './reported-parts.ts';
import { reportCrawls } from './report-crawls.ts';
import { reportWorkers } from './report-workers.ts';

/** Events with counts of their own, or too many to count one by one. */
const noted = Object.entries(eventCatalogue)
  .filter(([type, { level }]) => level !== 'debug' && type !== 'events-missed')
  .map(([type]) => type as EventType);

/**
 * The one place where a coordinator's metrics come from: its event bus for what happens, and what it already counts for
 * how things stand. Nothing is counted twice, so that no two figures of the same thing can differ.
 */
export function reportCoordinator(parts: ReportedParts): void {
  const { metrics, events, crawls, watch } = parts;
  const labels = createCrawlLabels((label) => metrics.forget('crawl', label));
  const labelOf = (id: string) =>
    labels.of(crawls().find((crawl) => crawl.id === id) ?? { id, name: 'other' });

  events.listen(noted, ({ type }) => metrics.count('webfarer_events_total', { type }));
  events.listen(['record'], ({ crawl: id, record }) => {
    const crawl = labelOf(id);
    const { verdict: outcome, reason } = record;
    metrics.count('webfarer_pages_total', { crawl, outcome, reason });
    metrics.count('webfarer_bytes_total', { crawl }, record.bytes ?? 0);
  });
  events.listen(['crawl-state'], ({ crawl, state }) => {
    if (state !== 'running' && state !== 'paused') labels.ended(crawl);
  });
  watch?.onCall((ms, ok) =>
    metrics.observe('webfarer_store_call_seconds', { result: ok ? 'ok' : 'failed' }, ms / 1_000),
  );
  if (watch)
    metrics.collect((sample) => {
      for (const cause of metricTable.webfarer_store_trouble.labels.cause)
        sample('webfarer_store_trouble', { cause }, watch.trouble?.cause === cause ? 1 : 0);
    });
  reportCrawls({ ...parts, labels });
  reportWorkers(parts);
}
