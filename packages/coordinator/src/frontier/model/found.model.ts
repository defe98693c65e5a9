import type { CrawlId, HostKey, Url } from '@webfarer/protocol';
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

const quiet = {
  lease: 0,
  fates: ['done' as const],
  offers: [],
  items: 0,
  bytes: 0,
  status: 200,
  endedAgoMs: null,
  gapMs: 0,
  health: 'ok' as const,
  begun: false,
  close: false,
  twice: false,
};

/** Sequences in which an implementation once differed from the model, shrunk: `[what went wrong, steps]`. */
export const foundSequences: [string, Step[]][] = [
  [
    'a reader that had read results of a forgotten host goes on where it was',
    [
      open('a'),
      open('b'),
      offer('0'),
      { do: 'offer', crawl: a, offers: [{ ...check, url: 'http://b.x.test/0' as Url, kind: 'page' }] },
      open('a', { hostPages: 0 }),
      { do: 'sweep' },
      { do: 'forget', crawl: a, pattern: 'b.x.test' },
      { do: 'restart' },
      { do: 'forget', crawl: a, pattern: 'a.x.test' },
      { do: 'restart' },
    ],
  ],
  [
    'offers of a forgotten host are counted as dropped, also when they come with a report',
    [
      open('a'),
      open('b'),
      offer('0'),
      { do: 'forget', crawl: a, pattern: 'y.test' },
      lease,
      {
        do: 'report',
        report: { ...quiet, loose: [{ ...check, url: 'http://y.test/1' as Url, kind: 'page' }] },
      },
    ],
  ],
  [
    'a forgotten host is refused, also by a crawl that does not run',
    [
      open('a'),
      open('b'),
      { do: 'forget', crawl: a, pattern: 'y.test' },
      { do: 'setState', crawl: a, state: 'stopped', wish: undefined },
      { do: 'leaseHost', crawl: a, host: 'y.test' as HostKey },
    ],
  ],
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
  [
    'URLs of a band are counted, also when the log of entries was listed past them and their host is read again',
    [
      {
        do: 'openCrawl',
        settings: {
          id: 'a',
          gapMs: 0,
          leaseTtlMs: 1000,
          maxFetchMs: 0,
          backoffMs: 50,
          deadAfter: 1,
          poisonAfter: 1,
          limits: {},
          upgrades: true,
        },
      },
      {
        do: 'openCrawl',
        settings: {
          id: 'b',
          gapMs: 0,
          leaseTtlMs: 500,
          maxFetchMs: 0,
          backoffMs: 50,
          deadAfter: 1,
          poisonAfter: 1,
          limits: {},
          upgrades: false,
        },
      },
      {
        do: 'offer',
        crawl: 'b',
        offers: [
          { url: 'http://a.x.test/0', kind: 'page', depth: 0, cost: 0, hops: 0 },
          { url: 'http://y.test/0', kind: 'page', depth: 0, cost: 0, hops: 0 },
        ],
      },
      { do: 'lease', hosts: 2, urls: 1 },
      {
        do: 'report',
        report: {
          lease: 1,
          fates: ['refused'],
          offers: [
            { url: 'http://a.x.test/1', kind: 'page', depth: 0, cost: 0, hops: 0 },
            { url: 'https://y.test:81/3', kind: 'page', depth: 1, cost: 1, hops: 1 },
          ],
          items: 2,
          bytes: 100,
          status: 200,
          loose: [],
          endedAgoMs: 0,
          gapMs: 100,
          health: 'trouble',
          begun: false,
          close: false,
          twice: true,
        },
      },
      {
        do: 'offer',
        crawl: 'a',
        offers: [
          { url: 'http://a.x.test/4', kind: 'page', depth: 3, cost: 1, hops: 0, label: 'l', band: 7 },
          { url: 'https://a.x.test:81/5', kind: 'page', depth: 1, cost: 1, hops: 1, band: 1 },
          { url: 'http://b.x.test:81/2', kind: 'page', depth: 1, cost: 1, hops: 1 },
          { url: 'http://y.test:81/4', kind: 'requisite', depth: 3, cost: 1, hops: 0, label: 'l' },
          { url: 'http://b.x.test/5', kind: 'requisite', depth: 3, cost: 1, hops: 0, label: 'l', band: 1 },
        ],
      },
      {
        do: 'offer',
        crawl: 'b',
        offers: [{ url: 'http://b.x.test/0', kind: 'requisite', depth: 2, cost: 0, hops: 2 }],
      },
      {
        do: 'report',
        report: {
          lease: 0,
          fates: ['done'],
          offers: [{ url: 'https://b.x.test:81/5', kind: 'sitemap', depth: 1, cost: 1, hops: 1, band: 2 }],
          items: 0,
          bytes: 100,
          status: 503,
          loose: [],
          endedAgoMs: 30,
          gapMs: 100,
          health: 'wait',
          begun: true,
          close: true,
          twice: true,
        },
      },
      {
        do: 'offer',
        crawl: 'b',
        offers: [
          { url: 'https://y.test/0', kind: 'page', depth: 2, cost: 0, hops: 2, band: 1 },
          { url: 'http://b.x.test/1', kind: 'sitemap', depth: 1, cost: 1, hops: 1 },
          { url: 'http://a.x.test:81/1', kind: 'check', depth: 0, cost: 0, hops: 0 },
          { url: 'http://y.test:81/3', kind: 'page', depth: 1, cost: 1, hops: 1, band: 1 },
          { url: 'http://b.x.test/2', kind: 'sitemap', depth: 1, cost: 1, hops: 1 },
          { url: 'http://y.test:81/3', kind: 'check', depth: 1, cost: 1, hops: 1, band: 2 },
        ],
      },
      {
        do: 'openCrawl',
        settings: {
          id: 'a',
          gapMs: 1000,
          leaseTtlMs: 500,
          maxFetchMs: 300,
          backoffMs: 50,
          deadAfter: 2,
          poisonAfter: 35,
          limits: {},
          upgrades: true,
        },
      },
    ] as unknown as Step[],
  ],
];
