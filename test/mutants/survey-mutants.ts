import type { Mutant } from './mutant.ts';

const tally = 'packages/graph/src/stats/crawl-tally';
const surveys = 'packages/coordinator/src/crawl-surveys';

const graph = 'packages/graph/src/report/survey/host-graph-tally';
const layout = 'packages/console/browser/data/graph/layout';

/** Figures of a crawl: what a person reads is not what was counted, or not of this crawl. */
export const surveyMutants: readonly Mutant[] = [
  {
    name: 'statistics-others-lost',
    why: 'Rows of a long table would not add up to all URLs.',
    file: `${tally}.ts`,
    from: '...(rest ? [rest] : [])]',
    to: '...(rest ? [] : [])]',
    killer: {
      test: `${tally}.test.ts`,
      case: 'count in bounded memory, and say of how many hosts nothing is listed',
    },
  },
  {
    name: 'statistics-heavy-types-unlisted',
    why: 'A few videos that are most of the bytes would not be named.',
    file: `${tally}.ts`,
    from: 'at < most || heavy.has(row)',
    to: 'at < most',
    killer: {
      test: `${tally}.test.ts`,
      case: 'list a type that is first by bytes alone, and sum up what is not listed',
    },
  },
  {
    name: 'statistics-of-an-earlier-state',
    why: 'A crawl that was retried would show the figures from before.',
    file: `${surveys}.ts`,
    from: 'JSON.stringify([entry.nonce, balance, newest])',
    to: 'JSON.stringify([entry.nonce])',
    killer: {
      test: `${surveys}.test.ts`,
      case: 'counts no URL twice that was retried between two surveys',
    },
  },
  {
    name: 'statistics-begun-at-every-coordinator',
    why: 'Behind a proxy the figures of a crawl that runs would never be ready.',
    file: `${surveys}.ts`,
    from: 'kept.get(id) ?? kept.find((each) => !each.isReady && isMeant(each)) ?? (await beginNow(entry))',
    to: 'kept.get(id) ?? (await beginNow(entry))',
    killer: {
      test: `${surveys}.test.ts`,
      case: 'gets on at each coordinator that is asked in turns, while the crawl moves on',
    },
  },
  {
    name: 'statistics-of-another-crawl',
    why: 'Who knows the id of a survey would read the figures of a crawl of another team.',
    file: `${surveys}.ts`,
    from: 'if (!isMeant(survey)) throw gone();',
    to: '',
    killer: {
      test: `${surveys}.test.ts`,
      case: 'answers about a survey only to who names its crawl, and not once it is forgotten',
    },
  },
  {
    name: 'host-graph-loses-crawled-hosts',
    why: 'The map of a crawl that links to many hosts would not show the hosts that were crawled.',
    file: `${graph}.ts`,
    from: 'Number(b.crawled) - Number(a.crawled) ||',
    to: '',
    killer: {
      test: `${graph}.test.ts`,
      case: 'has the hosts that were crawled first, then the most linked, with their pages and links',
    },
  },
  {
    name: 'host-graph-no-room-for-crawled-hosts',
    why: 'A host that is crawled late, after links to many others, would be left out of the map.',
    file: 'packages/graph/src/report/survey/host-pairs.ts',
    from: 'return this.#number(host, base);',
    to: 'return this.#number(host, maxHosts);',
    killer: {
      test: `${graph}.test.ts`,
      case: 'keeps crawled hosts among thousands, and says what it left out',
    },
  },
  {
    name: 'host-map-without-pauses',
    why: 'The screen would stand still while a thousand hosts are placed.',
    file: `${layout}.ts`,
    from: 'if (done < pairsAtOnce) continue;',
    to: 'if (done > 0) continue;',
    killer: {
      test: `${layout}.test.ts`,
      case: 'pauses again and again on a large map, and ends when nobody waits for it',
    },
  },
];
