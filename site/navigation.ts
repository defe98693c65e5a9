/** Groups of pages, in the order of the navigation. Pages that no group names are listed by their folder. */
export interface Group {
  title: string;
  /** Paths in the repository, without `.md`; those that do not exist (yet) are left out. */
  pages: readonly string[];
}

export const groups: readonly Group[] = [
  { title: 'Start', pages: ['README', 'docs/tutorial', 'docs/first-network'] },
  {
    title: 'Guides',
    pages: [
      'docs/recipes/README',
      'docs/rendering',
      'docs/steps',
      'docs/site-logins',
      'docs/schedules',
      'docs/webhooks',
      'docs/report',
      'docs/queries',
      'docs/statistics',
      'docs/mcp',
      'docs/challenges',
      'docs/identity',
      'docs/savers',
      'docs/kafka',
      'docs/object-storage',
      'docs/forget',
    ],
  },
  {
    title: 'Operate',
    pages: [
      'docs/network',
      'docs/deploying',
      'docs/sizing',
      'docs/stores',
      'docs/platforms',
      'docs/secrets',
      'docs/log-in',
      'docs/signals',
      'docs/resources',
      'docs/console',
      'docs/metrics',
      'docs/tracing',
      'docs/runbook',
    ],
  },
  {
    title: 'Reference',
    pages: [
      'docs/commands',
      'docs/job-file',
      'docs/reasons',
      'docs/events',
      'docs/api',
      'docs/library',
      'docs/reference',
      'docs/stream',
      'docs/link',
    ],
  },
  {
    title: 'Explanation',
    pages: [
      'ARCHITECTURE',
      'docs/promises',
      'docs/politeness',
      'docs/differences',
      'docs/expectations',
      'SECURITY',
      'docs/frontier',
      'docs/scale',
      'docs/performance',
      'docs/faults',
      'docs/dependency',
      'docs/moving-groups',
    ],
  },
  {
    title: 'Coming from',
    pages: [
      'docs/from-scrapy',
      'docs/from-crawlee',
      'docs/from-heritrix',
      'docs/from-browsertrix',
      'docs/from-wget',
      'docs/from-firecrawl',
    ],
  },
  { title: 'Project', pages: ['CONTRIBUTING', 'CHANGELOG', 'docs/decisions/README'] },
];

export interface Section {
  title: string;
  pages: string[];
}

/** Every page in exactly one section. New pages of docs/ need no line here: they appear under "More". */
export function sectionsOf(all: readonly string[]): Section[] {
  const left = new Set(all);
  const sections = groups.map(({ title, pages }) => ({
    title,
    pages: pages.filter((page) => left.delete(page)),
  }));
  const below = (folder: string) => [...left].filter((page) => page.startsWith(folder));
  const rest: Section[] = [
    { title: 'Recipes', pages: below('docs/recipes/') },
    { title: 'Decisions', pages: below('docs/decisions/') },
  ];
  const taken = new Set(rest.flatMap(({ pages }) => pages));
  rest.unshift({ title: 'More', pages: [...left].filter((page) => !taken.has(page)) });
  return [...sections, ...rest].filter(({ pages }) => pages.length > 0);
}
