/** What the ledger keeps, each with its unit. Less is better. */
export const figures = {
  'page tiny': 'µs of the main thread a page',
  'page small': 'µs of CPU a page',
  'page small, WARC': 'µs of CPU a page',
  'page medium': 'µs of CPU a page',
  'page medium, WARC': 'µs of CPU a page',
  'outputs medium': 'µs of CPU a page',
  'peak memory': 'MiB',
  'ten pages': 'ms of CPU',
  'start --version': 'ms of CPU',
  'start crawl --help': 'ms of CPU',
  'Redis commands': 'a page',
  'Redis CPU': 'µs a page',
  'waiting CPU': 'ms a second',
  'waiting commands': 'a second',
} as const;

export type FigureName = keyof typeof figures;
export const figureNames = Object.keys(figures) as FigureName[];
/** What one side has taken in one round. */
export type Taken = Partial<Record<FigureName, number>>;
