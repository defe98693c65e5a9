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
];
