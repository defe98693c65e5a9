import type { MetricMeaning } from './metric-table.ts';
import type { Point, Series } from './series.ts';

/** What a scrape is, for the Content-Type header. */
export const metricTextType = 'text/plain; version=0.0.4; charset=utf-8';

/** The text format of Prometheus: each metric once, with what it means, in the order of the table. */
export function metricText(
  table: Readonly<Record<string, MetricMeaning>>,
  found: ReadonlyMap<string, readonly Series[]>,
): string {
  let text = '';
  for (const [name, { kind, help, buckets }] of Object.entries(table)) {
    const points = (found.get(name) ?? []).flatMap((series) => [...series.points()]);
    if (points.length === 0) continue;
    text += `# HELP ${name} ${escapedHelp(help)}\n# TYPE ${name} ${kind}\n`;
    for (const point of points)
      text += buckets ? histogramLines(name, point, buckets) : valueLine(name, point);
  }
  return text;
}

function valueLine(name: string, { labels, value }: Point): string {
  return `${name}${labelText(labels)} ${numberText(value)}\n`;
}

function histogramLines(name: string, point: Point, bounds: readonly number[]): string {
  let text = '';
  let sum = 0;
  for (const [at, count] of (point.buckets ?? []).entries()) {
    sum += count;
    const le = at < bounds.length ? numberText(bounds[at] ?? 0) : '+Inf';
    text += `${name}_bucket${labelText([...point.labels, ['le', le]])} ${sum}\n`;
  }
  const labels = labelText(point.labels);
  return `${text}${name}_sum${labels} ${numberText(point.value)}\n${name}_count${labels} ${sum}\n`;
}

function labelText(labels: readonly (readonly [string, string])[]): string {
  if (labels.length === 0) return '';
  return `{${labels.map(([name, value]) => `${name}="${escapedValue(value)}"`).join(',')}}`;
}

function escapedValue(value: string): string {
  return value.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n');
}

function escapedHelp(help: string): string {
  return help.replace(/\\/g, '\\\\').replace(/\n/g, '\\n');
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}
