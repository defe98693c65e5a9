export const dataViews = ['items', 'texts', 'files', 'compare', 'statistics', 'graph'] as const;
export type DataView = (typeof dataViews)[number];

export const changeKinds = ['new', 'changed', 'gone', 'unclear', 'unchanged'] as const;
export type ChangeKind = (typeof changeKinds)[number];

/** What of the data of a crawl is shown. It stands in the address, so that a link shows the same. */
export interface DataSearch {
  view?: DataView;
  /** Of items and texts: a text that stands in them. */
  q?: string;
  /** The crawl that this one is compared with; absent: the last one of the same seeds. */
  with?: string;
  /** Which pages of the comparison are listed. */
  change?: ChangeKind;
  /** The host that is looked at on the map. */
  host?: string;
}

export function dataSearchIn({ view, q, change, host, with: other }: Record<string, unknown>): DataSearch {
  const kind = changeKinds.find((each) => each === change);
  const chosen = dataViews.find((each) => each === view);
  return {
    ...(chosen && chosen !== 'items' ? { view: chosen } : {}),
    ...(kind ? { change: kind } : {}),
    ...(typeof host === 'string' || typeof host === 'number' ? { host: String(host).slice(0, 300) } : {}),
    ...(typeof other === 'string' || typeof other === 'number' ? { with: String(other).slice(0, 300) } : {}),
    ...(typeof q === 'string' || typeof q === 'number' ? { q: String(q).slice(0, 500) } : {}),
  };
}
