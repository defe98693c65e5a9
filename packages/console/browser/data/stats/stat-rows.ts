import type { StatisticsDistribution, StatisticsTable } from '@webfarer/protocol/api';
import type { Bar } from '../../parts/bars.tsx';
import type { UrlsSearch } from '../../api/url-search.ts';

export interface RowWords {
  /** How many keys are summed up in the row. */
  others: (keys: number) => string;
  without: string;
  /** A value and its share of the whole. */
  figure: (value: number) => string;
}

interface TableRowOptions {
  by: 'urls' | 'bytes';
  /** Rows, the one of all others included. */
  most: number;
  words: RowWords;
  say?: (key: string) => string;
  tone?: (key: string) => string;
  search?: (key: string) => UrlsSearch;
}

/** The largest first, then all others as one row, then what is not known: together they are all. */
export function tableRows(
  { rows, others, keys, without }: StatisticsTable,
  { by, most, words, say = (key) => key, tone = () => 'accent', search }: TableRowOptions,
): Bar[] {
  const sorted = rows.filter((row) => row[by] > 0).toSorted((a, b) => b[by] - a[by]);
  const isWhole = sorted.length <= most && others[by] === 0;
  const shown = isWhole ? sorted : sorted.slice(0, most - 1);
  const rest = sorted.slice(shown.length).reduce((sum, row) => sum + row[by], others[by]);
  const bars: Bar[] = shown.map((row) => ({
    key: row.key,
    label: say(row.key),
    title: row.key,
    value: row[by],
    tone: tone(row.key),
    figure: words.figure(row[by]),
    ...(search ? { search: search(row.key) } : {}),
  }));
  const missing = keys - shown.length - rows.filter((row) => row[by] === 0).length;
  if (rest > 0)
    bars.push({
      key: ' others',
      label: words.others(missing),
      value: rest,
      tone: 'queued',
      figure: words.figure(rest),
    });
  if (by === 'urls' && without > 0)
    bars.push({
      key: ' without',
      label: words.without,
      value: without,
      tone: 'queued',
      figure: words.figure(without),
    });
  return bars;
}

interface StepOptions {
  upTo: (value: number) => string;
  above: (value: number) => string;
  figure: (value: number) => string;
}

/** From the first step that has anything to the last; empty ones between them stay, so that gaps are seen. */
export function stepRows({ steps }: StatisticsDistribution, { upTo, above, figure }: StepOptions): Bar[] {
  const first = steps.findIndex(({ urls }) => urls > 0);
  return steps.slice(Math.max(0, first)).map((step) => ({
    key: String(step.above),
    label: step.upTo === undefined ? above(step.above) : upTo(step.upTo),
    value: step.urls,
    tone: 'accent',
    figure: figure(step.urls),
  }));
}
