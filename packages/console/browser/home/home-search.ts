export const homeFilters = ['all', 'running', 'paused', 'over'] as const;
export type HomeFilter = (typeof homeFilters)[number];

/** Which crawls Home shows; it stands in the address, so that a link shows the same. */
export interface HomeSearch {
  q?: string;
  show?: HomeFilter;
}

export function homeSearchIn({ q, show }: Record<string, unknown>): HomeSearch {
  const filter = homeFilters.find((each) => each === show);
  return {
    ...(typeof q === 'string' || typeof q === 'number' ? { q: String(q) } : {}),
    ...(filter && filter !== 'all' ? { show: filter } : {}),
  };
}
