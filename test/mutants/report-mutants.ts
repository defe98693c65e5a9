import type { Mutant } from './mutant.ts';

const report = 'packages/graph/src/report';

/** The report: a picture says something else than the figures. */
export const reportMutants: readonly Mutant[] = [
  {
    name: 'report-map-cuts-the-crawled-host',
    why: 'The map of a crawl of one site would show the sites that it links to, and not the site.',
    file: `${report}/survey/host-map.ts`,
    from: 'const isCrawled = new Set(ranked.filter(crawled).slice(0, max));',
    to: 'const isCrawled = new Set(ranked.filter(crawled).slice(0, 0));',
    killer: {
      test: `${report}/survey/structure.test.ts`,
      case: 'keeps the hosts that were crawled, and of equal ones those with most links',
    },
  },
  {
    name: 'report-bars-by-the-largest',
    why: 'A bar over the whole room would stand beside 40 %.',
    file: `${report}/page/parts.ts`,
    from: 'const most = whole ?? (',
    to: 'const most = (whole && undefined) ?? (',
    killer: { test: `${report}/page/parts.test.ts`, case: 'are as long as the shares beside them say' },
  },
  {
    name: 'report-crawled-host-is-a-dot',
    why: 'The host that a crawl is about would be the smallest dot of its map.',
    file: `${report}/plot/graph-picture.ts`,
    from: 'Math.max(crawled && isFew ? leastCrawled : 0,',
    to: 'Math.max(crawled && isFew ? 0 : 0,',
    killer: {
      test: `${report}/plot/plots.test.ts`,
      case: 'draws what was crawled on top, and not as the smallest dot',
    },
  },
];
