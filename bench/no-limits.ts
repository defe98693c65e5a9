/** Limits of a job whose web has an end of its own. */
export const noLimits = {
  pages: 'none',
  bytes: 'none',
  depth: 'none',
  cost: 'none',
  perHost: { pages: 'none' },
  perSite: { pages: 'none' },
  minFree: '1MB',
} as const;
