import { categories } from './categories.ts';
import type { CountRow } from './count-table.ts';
import type { Histogram } from './histogram.ts';
import { Sketch, sketchError } from './sketch.ts';
import { momentKinds, type Statistics } from './statistics.ts';

type Cell = string | number | undefined;

/** One table as people and programs take it away: `status.csv`. */
export interface StatTable {
  id: string;
  title: string;
  head: string[];
  rows: Cell[][];
  /** What the table leaves out, or how exact it is. */
  note?: string;
}

/** All figures as tables, the totals first. */
export function statTables(statistics: Statistics): StatTable[] {
  return [
    totals(statistics),
    ...categories.map((category) => categoryTable(statistics, category)),
    distribution('sizes', 'Sizes of bodies', 'bytes', statistics.sizes, sizeEdges),
    distribution('times', 'Time from request to last byte', 'ms', statistics.times, timeEdges),
    distribution('first-bytes', 'Time to the first byte', 'ms', statistics.firstBytes, timeEdges),
    timeline(statistics),
  ].filter((table) => table.rows.length > 0);
}

const estimate = `estimated, within ${(200 * sketchError).toFixed(1)} % in 19 of 20 crawls`;

function totals(seen: Statistics): StatTable {
  const { distinct } = seen;
  const duplicates = Math.max(0, seen.withDigest - distinct.contents.distinct);
  const moment = (ms: number) => (seen.answers > 0 ? new Date(ms).toISOString() : undefined);
  const count = (sketch: Sketch) => [sketch.distinct, sketch.exact ? undefined : estimate];
  return {
    id: 'totals',
    title: 'Totals',
    head: ['figure', 'value', 'note'],
    rows: [
      ['urls', seen.urls, undefined],
      ['pages', seen.pages, 'answered with content'],
      ['answers', seen.answers, 'of any status'],
      ['bytes', seen.bytes, 'of bodies on the wire'],
      ['hosts', ...count(distinct.hosts)],
      ['sites', ...count(distinct.sites)],
      ['tlds', ...count(distinct.tlds)],
      ['contents', ...count(distinct.contents)],
      ['duplicates', duplicates, distinct.contents.exact ? 'pages with the content of another' : estimate],
      ['first_request', moment(seen.firstMs), undefined],
      ['last_answer', moment(seen.lastMs), undefined],
    ],
  };
}

function categoryTable(seen: Statistics, { id, title, key, max }: (typeof categories)[number]): StatTable {
  const rest = seen.tables.get(id)?.rest;
  const cells = (row: CountRow): Cell[] => [row.key, row.urls, row.pages, row.bytes];
  const rows = seen.rows(id).map(cells);
  const cut = rest !== undefined && rest.urls > 0;
  if (cut) rows.push(cells({ ...rest, key: '(others)' }));
  return {
    id,
    title,
    head: [key, 'urls', 'pages', 'bytes'],
    rows,
    ...(cut && { note: `truncated: the first ${max} keys are counted separately, all others together` }),
  };
}

export const sizeEdges = [1e2, 1e3, 3e3, 1e4, 3e4, 1e5, 3e5, 1e6, 3e6, 1e7, 3e7, 1e8, 1e9];
export const timeEdges = [10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000];

function distribution(
  id: string,
  title: string,
  unit: string,
  values: Histogram,
  edges: number[],
): StatTable {
  const sums = values.between(edges);
  const last = sums.findLastIndex((n) => n > 0);
  const rows = sums.slice(0, last + 1).map((urls, i): Cell[] => [edges[i - 1] ?? 0, edges[i], urls]);
  const quantiles = [0.05, 0.25, 0.5, 0.75, 0.95, 0.99]
    .map((q) => `p${Math.round(q * 100)} ${Math.round(values.quantile(q))}`)
    .join(', ');
  return {
    id,
    title,
    head: [`above_${unit}`, `up_to_${unit}`, 'urls'],
    rows,
    note: `${quantiles}; edges and quantiles within 2.5 %`,
  };
}

function timeline({ timeline: line }: Statistics): StatTable {
  return {
    id: 'timeline',
    title: 'Over time',
    head: ['from', 'seconds', ...momentKinds],
    rows: line
      .moments()
      .map(({ atMs, counts }) => [new Date(atMs).toISOString(), line.widthMs / 1_000, ...counts]),
  };
}
