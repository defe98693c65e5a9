import type { Clock } from '../base/clock.ts';
import { createSeries, type Series } from './series.ts';
import {
  type LabelsOf,
  type MetricMeaning,
  type MetricName,
  type MetricOf,
  metricTable,
} from './metric-table.ts';
import { metricText } from './text.ts';

/** Writes a value that is read at the moment of a scrape. */
export type Sample = <Name extends MetricOf<'gauge' | 'counter'>>(
  name: Name,
  labels: LabelsOf<Name>,
  value: number,
) => void;

/** What one process reports about itself. */
export interface Metrics {
  count<Name extends MetricOf<'counter'>>(name: Name, labels: LabelsOf<Name>, by?: number): void;
  observe<Name extends MetricOf<'histogram'>>(name: Name, labels: LabelsOf<Name>, value: number): void;
  /** Called with every scrape; what it does not write is absent from that scrape. Returns a function that ends it. */
  collect(collector: (sample: Sample) => void | Promise<void>): () => void;
  /** Counters and histograms with this label value begin anew, should it come again. */
  forget(label: string, value: string): void;
  /** All of it in the text format of Prometheus. Scrapes at the same time share one. */
  scrape(): Promise<string>;
}

/** A part that cannot be read within this time is left out: a scrape times out after 10 s by default. */
const PATIENCE_MS = 2_000;

type Collector = (sample: Sample) => void | Promise<void>;

export function createMetrics({
  clock,
  patienceMs = PATIENCE_MS,
}: {
  clock: Clock;
  patienceMs?: number;
}): Metrics {
  const kept = new Map<MetricName, Series>();
  const collectors = new Set<Collector>();
  let scraping: Promise<string> | undefined;

  function seriesOf(name: MetricName): Series {
    let series = kept.get(name);
    if (!series) kept.set(name, (series = createSeries(metricTable[name])));
    return series;
  }
  for (const [name, { kind }] of Object.entries<MetricMeaning>(metricTable))
    if (kind !== 'gauge') seriesOf(name as MetricName);

  /** What one collector writes; late writes go nowhere. */
  async function read(collector: Collector): Promise<Map<MetricName, Series>> {
    const found = new Map<MetricName, Series>();
    const sample: Sample = (name, labels, value) => {
      let series = found.get(name);
      if (!series) found.set(name, (series = createSeries({ ...metricTable[name], kind: 'gauge' })));
      series.set(labels, value);
    };
    const patience = new AbortController();
    const late = clock.sleep(patienceMs, patience.signal).then(() => Promise.reject(new Error('late')));
    late.catch(() => undefined);
    try {
      await Promise.race([collector(sample), late]);
      return found;
    } catch {
      count('webfarer_scrape_failures_total', {});
      return none;
    } finally {
      patience.abort(done);
    }
  }

  async function scrape(): Promise<string> {
    const found = await Promise.all(Array.from(collectors, read));
    const merged = new Map<MetricName, Series[]>();
    for (const one of [kept, ...found])
      for (const [name, series] of one) merged.set(name, [...(merged.get(name) ?? []), series]);
    return metricText(metricTable, merged);
  }

  function count<Name extends MetricOf<'counter'>>(name: Name, labels: LabelsOf<Name>, by = 1): void {
    seriesOf(name).add(labels, by);
  }

  return {
    count,
    observe: (name, labels, value) => seriesOf(name).observe(labels, value),
    collect(collector) {
      collectors.add(collector);
      return () => collectors.delete(collector);
    },
    forget(label, value) {
      for (const series of kept.values()) series.forget(label, value);
    },
    scrape() {
      scraping ??= scrape().finally(() => {
        scraping = undefined;
      });
      return scraping;
    },
  };
}

const none: ReadonlyMap<MetricName, Series> & Map<MetricName, Series> = new Map();
const done = new Error('done');
