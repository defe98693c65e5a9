import type { CrawlId, Url } from '@webfarer/protocol';
import type { FrontierCrawl } from '../frontier.ts';
import type { Step } from './steps.model.ts';

const a = 'a' as CrawlId;

const settings = (id: string, limits: FrontierCrawl['limits']): FrontierCrawl => ({
  id: id as CrawlId,
  gapMs: 0,
  leaseTtlMs: 500,
  maxFetchMs: 0,
  backoffMs: 50,
  deadAfter: 1,
  poisonAfter: 1,
  limits,
  upgrades: id === 'a',
});

const open = (id: string, limits: FrontierCrawl['limits'] = {}): Step => ({
  do: 'openCrawl',
  settings: settings(id, limits),
});

const offer = (...paths: string[]): Step => ({
  do: 'offer',
  crawl: a,
  offers: paths.map((path) => ({
    url: `http://a.x.test/${path}` as Url,
    kind: 'page' as const,
    depth: 0,
    cost: 0,
    hops: 0,
  })),
});

const lease: Step = { do: 'lease', hosts: 1, urls: 1 };

const check = { url: 'http://a.x.test/1' as Url, kind: 'check' as const, depth: 0, cost: 0, hops: 0 };

/** Sequences in which an implementation once differed from the model, shrunk: `[what went wrong, steps]`. */
export const foundSequences: [string, Step[]][] = [
  [
    'a draw left unanswered before the crawl had a page limit is not put back under that limit',
    [
      open('a', { bytes: 100 }),
      open('b'),
      { do: 'refuse', step: lease },
      open('a', { pages: 0 }),
      offer('0'),
      lease,
    ],
  ],
  [
    'a URL that goes back to the queue and becomes a page in the same report is not counted as in flight',
    [
      open('a', { sitePages: 1 }),
      open('b'),
      { do: 'offer', crawl: a, offers: [check] },
      { do: 'lease', hosts: 1, urls: 1 },
      {
        do: 'report',
        report: {
          lease: 0,
          fates: ['retry'],
          offers: [],
          items: 0,
          bytes: 0,
          status: 200,
          loose: [{ ...check, kind: 'page' }],
          endedAgoMs: null,
          gapMs: 0,
          health: 'ok',
          begun: false,
          close: false,
          twice: false,
        },
      },
      { do: 'releaseAll', worker: undefined },
    ],
  ],
];
