import { type ChartRange, chartRanges } from '../api/history.ts';
import { type HostSort, hostSorts } from './host-rows.ts';

/** Which hosts of a crawl are shown, and in which order. */
export interface HostsSearch {
  q?: string;
  sort?: HostSort;
  down?: boolean;
  /** As many as can be listed. */
  all?: boolean;
  /** What they did over time, in place of the list; and how far back. */
  view?: 'map';
  range?: ChartRange;
}

export function hostsSearchIn({ q, sort, down, all, view, range }: Record<string, unknown>): HostsSearch {
  const back = chartRanges.find((each) => each === range);
  const by = hostSorts.find((each) => each === sort);
  return {
    ...(typeof q === 'string' || typeof q === 'number' ? { q: String(q) } : {}),
    ...(by && by !== 'due' ? { sort: by } : {}),
    ...(down === true ? { down } : {}),
    ...(all === true ? { all } : {}),
    ...(view === 'map' ? { view } : {}),
    ...(back && back !== 'all' ? { range: back } : {}),
  };
}
