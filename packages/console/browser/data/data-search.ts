export const dataViews = ['items', 'files'] as const;
export type DataView = (typeof dataViews)[number];

/** What of the data of a crawl is shown. It stands in the address, so that a link shows the same. */
export interface DataSearch {
  view?: DataView;
  /** Of items: a text that stands in them. */
  q?: string;
}

export function dataSearchIn({ view, q }: Record<string, unknown>): DataSearch {
  const chosen = dataViews.find((each) => each === view);
  return {
    ...(chosen && chosen !== 'items' ? { view: chosen } : {}),
    ...(typeof q === 'string' || typeof q === 'number' ? { q: String(q).slice(0, 500) } : {}),
  };
}
