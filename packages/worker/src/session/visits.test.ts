import {
  type Clock,
  type CrawlId,
  type HostKey,
  type HostLease,
  type LeaseId,
  type PageRecord,
  systemClock,
  type Url,
  type WorkerId,
} from '@webfarer/protocol';
import { createMetrics } from '@webfarer/protocol/metrics';
import { resolveJob } from '@webfarer/protocol/job';
import { hostOf } from '@webfarer/protocol/url';
import { expect, it } from 'vitest';
import { createLoadedFiles } from '../browser/loaded-files.ts';
import type { PageLoader, Renderer } from '../browser/rendering.ts';
import type { BrowserAnswer } from '../egress/browser-proxy.ts';
import type { Fetch } from '../fetch/fetch.ts';
import { createRobotsFiles } from '../fetch/robots-files.ts';
import { createTurnstile } from '../turnstile/turnstile.ts';
import { holdLease } from './held-lease.ts';
import { runHostSession } from './host-session.ts';
import type { PendingReport } from './reporter.ts';
import { createChallengedHosts } from './challenged-hosts.ts';
import { createAnsweredHosts } from './answered-hosts.ts';
import { createServerErrors } from './server-errors.ts';
import type { SessionParts } from './session.ts';
import { createUrlRests } from './url-rests.ts';
import { contextFor } from '../crawls/crawl-context.fixture.ts';
import { noTracing } from '../tracing/tracing.ts';

const crawl = 'c' as CrawlId;
const [own, other] = ['https://a.example', 'https://cdn.example'];
const gapMs = 60;
const robots = 'User-agent: *\nDisallow: /closed\n';

/** What a page in the browser does. */
type Show = (
  load: (path: string, method?: string) => Promise<BrowserAnswer | undefined>,
  begins: () => void,
) => Promise<unknown>;

interface Options {
  pages?: number;
  /** Headers of everything but pages. */
  headers?: [string, string][];
  /** Milliseconds until the coordinator may lease the other host. */
  busyMs?: number;
  clock?: Clock;
}

/** Crawls pages of one host that are shown in something like a browser. */
async function crawlShown(
  show: Show,
  { pages = 1, headers = [], busyMs, clock = systemClock() }: Options = {},
) {
  const requests: { url: string; timeoutMs: number; startMs: number; endMs: number }[] = [];
  const inFlight = new Map<string, number>();
  const most = new Map<string, number>();
  const fetch: Fetch = {
    open: () => ({
      async fetch({ url, timeoutMs }) {
        const host = hostOf(url);
        const request = { url, timeoutMs, startMs: performance.now(), endMs: 0 };
        requests.push(request);
        inFlight.set(host, (inFlight.get(host) ?? 0) + 1);
        most.set(host, Math.max(most.get(host) ?? 0, inFlight.get(host) ?? 0));
        // Longer than the gap, so that a gap from the page itself is over when it ends.
        await clock.sleep(url.endsWith('/late') ? gapMs * 3 : 5);
        inFlight.set(host, (inFlight.get(host) ?? 0) - 1);
        request.endMs = performance.now();
        const isPage = /\/page\d+$/.test(url);
        const type = url.endsWith('.js') ? 'text/javascript' : isPage ? 'text/html' : 'application/json';
        return {
          ok: true,
          url,
          status: 200,
          statusText: 'OK',
          headers: [['Content-Type', type], ...(isPage ? [] : headers)],
          requestHead: '',
          body: Buffer.from('x'),
          unread: false,
          ...(url.endsWith('/cut') ? { truncated: 'length' as const } : {}),
          ip: '192.0.2.1',
          startedAtMs: clock.now(),
          durationMs: 5,
          others: [],
          rendered: undefined,
          release: () => undefined,
        };
      },
      close: () => undefined,
    }),
    close: async () => undefined,
  };
  const answers: (BrowserAnswer | undefined)[] = [];
  const renderer: Renderer = {
    warm: () => undefined,
    open: (loader: PageLoader) => ({
      async render({ begins }) {
        await show(async (path, method = 'GET') => {
          const url = path.startsWith('/') ? `${own}${path}` : path;
          const { signal } = new AbortController();
          const answer = await loader.load({ url, method, headers: [], body: Buffer.alloc(0), signal });
          answers.push(answer);
          return answer;
        }, begins);
        const nothing = { movedTo: undefined, restless: false, errors: [], pictures: [], missing: [] };
        return { ok: true, html: '<p>shown', own: '<p>shown', ...nothing };
      },
      close: async () => undefined,
    }),
    ready: () => Promise.resolve('a browser'),
    close: async () => undefined,
  };
  const reports: PendingReport[] = [];
  const leaseOf = (host: HostKey, entries: HostLease['entries']): HostLease => ({
    id: `lease of ${host}` as LeaseId,
    crawl,
    host,
    fence: 1,
    part: 0,
    ttlMs: 600_000,
    endedAgoMs: null,
    entries,
    robots: [{ origin: `https://${host}`, fetchedAtMs: clock.now(), state: 'rules', body: robots }],
  });
  const parts = {
    worker: 'w' as WorkerId,
    clock,
    fetch,
    renderer,
    link: {
      leaseHost: async ({ host }: { host: HostKey }) =>
        busyMs === undefined
          ? { granted: true, lease: leaseOf(host, []) }
          : { granted: false, retryAfterMs: busyMs },
    },
    network: { succeeded: () => undefined },
    reporter: {
      async add(report: PendingReport) {
        reports.push(report);
        return { ok: true, accepted: 0, known: 0 };
      },
    },
    serverErrors: createServerErrors(),
    answeredHosts: createAnsweredHosts(),
    challenged: createChallengedHosts(),
    urlRests: createUrlRests(clock),
    largePages: createTurnstile(1),
    robotsFiles: createRobotsFiles(),
    metrics: createMetrics({ clock }),
    tracing: noTracing,
    storage: { attempt: <T>(write: () => Promise<T>) => write() },
    halt: new AbortController().signal,
    drop: new AbortController().signal,
    inFlight: () => undefined,
  } as unknown as SessionParts;
  const job = resolveJob({
    seeds: [`${own}/page0`],
    contact: 'me@lab.test',
    render: 'always',
    politeness: { gap: `${gapMs}ms`, slowFactor: 0 },
  });
  const context = contextFor(job, [`${own}/page0` as Url], {
    clock,
    loaded: createLoadedFiles(1_000_000),
  });
  const entries = Array.from({ length: pages }, (_, n) => ({
    url: `${own}/page${n}` as Url,
    kind: 'page' as const,
    depth: 0,
    cost: 0,
    hops: 0,
    attempt: 0,
  }));
  await runHostSession(holdLease(leaseOf('a.example' as HostKey, entries), clock.now()), context, parts);
  const records = reports
    .flatMap(({ settled }) => settled)
    .flatMap((one): PageRecord[] => (one.kind === 'outcome' ? [one.record] : []));
  return {
    requests,
    answers,
    reports,
    most,
    urls: requests.map(({ url }) => url.replace(own, '')),
    leftOut: records[0]?.rendered?.leftOut ?? [],
    loaded: records[0]?.rendered?.loaded,
  };
}

const count = (times: number, path: (n: number) => string): string[] =>
  Array.from({ length: times }, (_, n) => path(n));

it('a page has six requests at once from its own host, and all are of its visit', async () => {
  const { most, requests, loaded } = await crawlShown((load) =>
    Promise.all(count(20, (n) => `/file${n}`).map((path) => load(path))),
  );
  expect(most.get('a.example')).toBe(6);
  expect(requests).toHaveLength(21);
  expect(loaded).toBe(20);
});

it('the gap follows the last request of a visit', async () => {
  const { requests } = await crawlShown((load) => load('/late'), { pages: 2 });
  expect(requests.map(({ url }) => url.replace(own, ''))).toEqual(['/page0', '/late', '/page1', '/late']);
  expect((requests[2]?.startMs ?? 0) - (requests[1]?.endMs ?? 0)).toBeGreaterThanOrEqual(gapMs);
});

it('nothing is sent that would change something', async () => {
  const { urls, leftOut, answers } = await crawlShown(async (load) => {
    for (const method of ['PUT', 'PATCH', 'DELETE']) await load('/api', method);
    await load('/api', 'POST');
  });
  expect(urls).toEqual(['/page0', '/api']);
  expect(leftOut.map(({ why }) => why)).toEqual(['method PUT', 'method PATCH', 'method DELETE']);
  expect(answers.slice(0, 3)).toEqual([undefined, undefined, undefined]);
});

it('robots.txt of its own host holds for what a page loads', async () => {
  const { urls, leftOut } = await crawlShown((load) => load('/closed/data'));
  expect(urls).toEqual(['/page0']);
  expect(leftOut).toEqual([{ url: `${own}/closed/data`, why: 'robots.txt' }]);
});

it('another host is asked under a lease of its own, for one thing at a time, by its robots.txt', async () => {
  const { most, requests, reports, leftOut } = await crawlShown((load) =>
    Promise.all([`${other}/1`, `${other}/2`, `${other}/3`, `${other}/closed`].map((url) => load(url))),
  );
  expect(most.get('cdn.example')).toBe(1);
  expect(requests.filter(({ url }) => url.startsWith(other))).toHaveLength(3);
  expect(leftOut).toEqual([{ url: `${other}/closed`, why: 'robots.txt' }]);
  const given = reports.filter(({ host }) => host === 'cdn.example');
  expect(given).toHaveLength(4);
  for (const { close, news } of given.slice(0, 3))
    expect([close, news.gapMs, news.endedAtMs]).toEqual([true, gapMs, expect.any(Number)]);
});

it('what another host cannot serve in time is left out with the reason', async () => {
  const { requests, leftOut } = await crawlShown((load) => load(`${other}/1`), { busyMs: 600_000 });
  expect(requests).toHaveLength(1);
  expect(leftOut).toEqual([{ url: `${other}/1`, why: 'cdn.example could not be asked in time' }]);
});

it('the time of a page begins when it is shown, not while it waits for its turn', async () => {
  let waitedMs = 0;
  const real = systemClock();
  const clock: Clock = { ...real, now: () => real.now() + waitedMs };
  const { requests } = await crawlShown(
    async (load, begins) => {
      waitedMs = 90_000;
      begins();
      await load('/data.json');
    },
    { clock },
  );
  expect(requests.map(({ timeoutMs }) => timeoutMs > 10_000)).toEqual([true, true]);
});

it('files that pages share are asked for once, and those that may not be kept each time', async () => {
  const show: Show = async (load) => {
    await load('/app.js');
    await load('/data.json');
  };
  const shared = await crawlShown(show, { pages: 2 });
  expect(shared.urls).toEqual(['/page0', '/app.js', '/data.json', '/page1', '/data.json']);
  const own = await crawlShown(show, { pages: 2, headers: [['Cache-Control', 'private']] });
  expect(own.urls.filter((url) => url === '/app.js')).toHaveLength(2);
});

it('what a page got only a part of is told with the reason', async () => {
  const { leftOut, loaded } = await crawlShown((load) => load('/cut'));
  expect(loaded).toBe(1);
  expect(leftOut).toEqual([
    { url: `${own}/cut`, why: 'cut after 1 bytes: the page loads more than allowed' },
  ]);
});

it('a page may load so much and no more', async () => {
  const { requests, leftOut } = await crawlShown((load) =>
    Promise.all(count(520, (n) => `/file${n}`).map((path) => load(path))),
  );
  expect(requests).toHaveLength(501);
  expect(leftOut).toHaveLength(20);
  expect(leftOut[0]?.why).toBe('the page loads more than allowed');
});
