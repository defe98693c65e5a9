import type { CrawlHost } from '@webfarer/protocol/api';

/** By which column a list of hosts is sorted; `due` is what a person asks first: what comes next, what waits longest. */
export const hostSorts = ['due', 'queued', 'pages', 'bytes', 'troubles', 'host'] as const;
export type HostSort = (typeof hostSorts)[number];

/** Where one looks for the largest first. */
export const sortsDown: readonly HostSort[] = ['queued', 'pages', 'bytes', 'troubles'];

export interface HostView {
  q: string;
  sort: HostSort;
  /** From the largest, or from Z. */
  down: boolean;
}

/** The hosts that fit the search, in order. Equal ones are in the order of their names. */
export function hostRows(hosts: readonly CrawlHost[], { q, sort, down }: HostView): CrawlHost[] {
  const needle = q.trim().toLowerCase();
  const sign = down ? -1 : 1;
  const byName = (a: CrawlHost, b: CrawlHost) => (a.host < b.host ? -1 : Number(a.host > b.host));
  const by = sort === 'due' ? 'dueInMs' : sort;
  const order = (a: CrawlHost, b: CrawlHost) =>
    by === 'host' ? sign * byName(a, b) : sign * (a[by] - b[by]) || byName(a, b);
  return hosts.filter(({ host }) => host.toLowerCase().includes(needle)).toSorted(order);
}
