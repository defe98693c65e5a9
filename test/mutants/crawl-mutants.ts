import type { Mutant } from './mutant.ts';

const worker = 'packages/worker/src';
const crawl = (name: string) => ({
  test: 'test/judge/small-crawl.test.ts',
  case: `a crawl of a few hosts > ${name}`,
});

/** A crawl as a whole, judged by the log of the fake web. */
export const crawlMutants: readonly Mutant[] = [
  {
    name: 'files-not-waited-for',
    why: 'A disk that is full for a moment would end a crawl that has just finished without its files.',
    file: 'packages/coordinator/src/crawl/crawl-life.ts',
    from: 'if (!pause || stopped || end.hurried.aborted) throw error;',
    to: 'if (pause || stopped || end.hurried.aborted) throw error;',
    killer: {
      test: 'packages/coordinator/src/crawl/run-crawl.test.ts',
      case: 'waits for room for the files of a crawl that is over, and says so; a fault of another kind ends it',
      says: 'the disk is full',
    },
  },
  {
    name: 'rest-of-stop-left-out',
    why: 'Workers would be told for ever of a crawl that was deleted elsewhere, and would make its folder anew.',
    file: 'packages/coordinator/src/crawl/crawl-life.ts',
    from: '// The error before it is the one to tell.',
    to: 'return;',
    killer: {
      test: 'test/coordinator/deleting.test.ts',
      case: 'deletes a crawl that another coordinator of the store works on',
      says: 'doomed.crawl',
    },
  },
  {
    name: 'robots-ignored',
    why: 'The crawler would fetch what sites forbid.',
    file: `${worker}/session/permits.ts`,
    from: 'if (!verdict.allowed) {',
    to: 'if (!verdict.allowed && url.length < 0) {',
    killer: crawl('requests nothing that robots.txt forbids, and reads that first'),
  },
  {
    name: 'crawl-delay-ignored',
    why: 'Sites that ask for a longer pause would not get it.',
    file: `${worker}/session/permits.ts`,
    from: "return { kind: 'yes', crawlDelayMs };",
    to: "return { kind: 'yes', crawlDelayMs: 0 };",
    more: [
      {
        file: `${worker}/session/permits.ts`,
        from: 'host.gapMs = Math.max(host.gapMs, crawlDelayMs);',
        to: '',
      },
    ],
    killer: crawl('keeps the gap, the crawl-delay and Retry-After'),
  },
  {
    name: 'short-gap',
    why: 'Hosts would be contacted more often than promised.',
    file: `${worker}/session/fetch-entry.ts`,
    from: 'host.gapMs = Math.max(gapMs, crawlDelayMs, slowMs);',
    to: 'host.gapMs = Math.max(gapMs, crawlDelayMs, slowMs) * 0.8;',
    killer: crawl('keeps the gap, the crawl-delay and Retry-After'),
  },
  {
    name: 'dropped-links',
    why: 'Pages that only long lists of links name would be missing.',
    file: `${worker}/page/gather.ts`,
    from: '    offers.push(made);',
    to: '    if (offers.length < 20) offers.push(made);',
    killer: crawl('records every URL once, and as it should be'),
  },
  {
    name: 'sitemaps-ignored',
    why: 'Pages that only a sitemap names would be missing.',
    file: `${worker}/session/permits.ts`,
    from: 'if (!policy.sitemaps || offered.has(origin)) return undefined;',
    to: 'if (policy.sitemaps || offered.has(origin)) return undefined;',
    killer: crawl('records every URL once, and as it should be'),
  },
  {
    name: 'server-errors-final',
    why: 'A page that fails once would never be tried again.',
    file: `${worker}/page/verdict.ts`,
    from: "if (status >= 500 && status < 600) return { kind: 'again', reason: 'http-5xx' };",
    to: "if (status >= 500 && status < 600) return { kind: 'final', reason: 'http-other' };",
    killer: crawl('records every URL once, and as it should be'),
  },
  {
    name: 'index-points-elsewhere',
    why: 'No replay tool could show any page.',
    file: `${worker}/archive/index/cdxj.ts`,
    from: 'offset: String(offset)',
    to: 'offset: String(offset + 1)',
    killer: crawl('indexes every capture where it lies'),
  },
  {
    name: 'crawl-listens-after-its-end',
    why: 'A coordinator would keep a part of each crawl that it ever ran.',
    file: 'packages/coordinator/src/crawl/crawl-watches.ts',
    from: '      for (const stop of listening) stop();\n',
    to: '',
    killer: { proof: 'short-crawls', args: ['--quick'], field: 'coordinator.grows' },
  },
  {
    name: 'outputs-all-at-once',
    why: 'Large crawls that end together would take the memory and the processors of a coordinator for as many threads.',
    file: 'packages/cli/src/local/outputs-aside.ts',
    from: 'if (taken < most) {',
    to: 'if (taken >= 0) {',
    killer: {
      test: 'packages/cli/src/local/outputs-aside.test.ts',
      case: 'outputs written in a thread > take two threads at once, and one that is given up while it waits takes none',
    },
  },
];
