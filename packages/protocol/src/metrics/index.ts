/** What a process reports to Prometheus: the closed table, and a registry for it. */
export { type CrawlLabels, createCrawlLabels } from './crawl-labels.ts';
export {
  crawlLabels,
  type LabelsOf,
  type LabelValues,
  type MetricMeaning,
  type MetricName,
  type MetricOf,
  metricTable,
  otherLabel,
} from './metric-table.ts';
export { createMetrics, type Metrics, type Sample } from './registry.ts';
export { metricTextType } from './text.ts';
