import {
  type CrawlId,
  type FailedReason,
  type HostKey,
  type HostLease,
  type LeaseId,
  systemClock,
  type Url,
  type WorkerId,
} from '@webfarer/protocol';
import { resolveJob } from '@webfarer/protocol/job';
import { createMetrics } from '@webfarer/protocol/metrics';
import { expect, it } from 'vitest';
import { contextFor } from '../crawls/crawl-context.fixture.ts';
import type { Fetch, FetchAnswer, FetchRequest } from '../fetch/fetch.ts';
import { createRobotsFiles } from '../fetch/robots-files.ts';
import { noTracing } from '../tracing/tracing.ts';
import { createTurnstile } from '../turnstile/turnstile.ts';
import { createAnsweredHosts } from './answered-hosts.ts';
import { createChallengedHosts } from './challenged-hosts.ts';
import { holdLease } from './held-lease.ts';
import { runHostSession } from './host-session.ts';
import type { PendingReport } from './reporter.ts';
import { createServerErrors } from './server-errors.ts';
import type { SessionParts } from './session.ts';
import { backOffMs, createUrlRests } from './url-rests.ts';

const host = 'a.example' as HostKey;
const seed = `http://${host}/` as Url;

/** Undefined: it is answered. */
type Fails = (
  url: string,
) => Extract<FailedReason, 'timeout' | 'connection-reset' | 'connect-refused'> | undefined;

function webOf(fails: Fails) {
  const asked: string[] = [];
  async function fetch({ url, method }: FetchRequest): Promise<FetchAnswer> {
    asked.push(`${method} ${url.replace(seed, '/')}`);
    const times = { startedAtMs: Date.now(), durationMs: 20 };
    const reason = fails(url);
    if (reason)
      return { ok: false, reason, detail: 'by the test', contacted: reason !== 'connect-refused', ...times };
    const isRules = url.endsWith('/robots.txt');
    const body = Buffer.from(isRules ? 'User-agent: *\nAllow: /\n' : '<p>fine</p>');
    const type: [string, string] = ['Content-Type', isRules ? 'text/plain' : 'text/html'];
    const head = { status: 200, statusText: 'OK', headers: [type], requestHead: '', unread: false };
    return {
      ok: true,
      url,
      ...head,
      body,
      ...times,
      others: [],
      rendered: undefined,
      release: () => undefined,
    };
  }
  const web: Fetch = { open: () => ({ fetch, close: () => undefined }), close: async () => undefined };
  return { web, asked };
}

/** Works through one lease of these URLs. */
async function session(urls: string[], fails: Fails) {
  const clock = systemClock();
  const { web, asked } = webOf(fails);
  const job = resolveJob({ seeds: [seed], contact: 'me@lab.test', politeness: { gap: '1ms' } });
  const lease: HostLease = {
    id: 'l' as LeaseId,
    crawl: 'c' as CrawlId,
    host,
    fence: 1,
    part: 0,
    ttlMs: 600_000,
    endedAgoMs: null,
    entries: urls.map((path) => {
      const url = (path.startsWith('/') ? `http://${host}${path}` : path) as Url;
      return { url, kind: 'page', depth: 0, cost: 0, hops: 0, attempt: 0 };
    }),
    robots: [],
  };
  const reports: PendingReport[] = [];
  const parts = {
    worker: 'w' as WorkerId,
    clock,
    fetch: web,
    network: { succeeded: () => undefined, judge: async () => 'host' },
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
  await runHostSession(holdLease(lease, clock.now()), contextFor(job, [seed]), parts);
  const settled = reports.flatMap((report) => report.settled);
  return {
    asked,
    done: settled.filter((one) => one.kind === 'outcome' && one.record.verdict === 'done').length,
    again: settled.flatMap((one) => (one.kind === 'retry' ? [`${one.reason} ${one.url}`] : [])),
    news: reports.at(-1)?.news,
  };
}

it('a URL that hangs or resets its connection backs off alone', async () => {
  const fails: Fails = (url) =>
    url.endsWith('/hang') ? 'timeout' : url.endsWith('/cut') ? 'connection-reset' : undefined;
  const { asked, done, again, news } = await session(['/1', '/hang', '/cut', '/2', '/3'], fails);
  expect([done, again]).toEqual([3, [`timeout ${seed}hang`, `connection-reset ${seed}cut`]]);
  expect(news).toMatchObject({ health: 'ok', why: expect.stringMatching(/gap|slow/) as string });
  // After each of them the host was asked for what it had answered before.
  expect(asked.filter((line) => line === 'GET /robots.txt')).toHaveLength(3);
});

it('a host that answers nothing any more is in trouble at once', async () => {
  let isAway = false;
  const fails: Fails = (url) => {
    isAway ||= url.endsWith('/2');
    return isAway ? 'timeout' : undefined;
  };
  const { asked, done, news } = await session(['/1', '/2', '/3'], fails);
  expect(asked).toEqual(['GET /robots.txt', 'GET /1', 'GET /2', 'GET /robots.txt']);
  expect(done).toBe(1);
  expect(news).toMatchObject({ health: 'trouble', reason: 'timeout' });
});

it('a closed port is the trouble of what lies behind it', async () => {
  const behind = 'http://a.example:8081/x';
  const fails: Fails = (url) => (url.includes(':8081') ? 'connect-refused' : undefined);
  const { done, again, news } = await session(['/1', behind, '/2'], fails);
  expect([done, again]).toEqual([2, [`connect-refused ${behind}`]]);
  expect(news).toMatchObject({ health: 'ok' });
});

it('robots.txt alone does not speak for a host on which page after page fails', async () => {
  const fails: Fails = (url) => (url.endsWith('/robots.txt') ? undefined : 'timeout');
  const paths = Array.from({ length: 8 }, (_, n) => `/${n}`);
  const { again, news } = await session(paths, fails);
  expect(again).toHaveLength(5);
  expect(news).toMatchObject({ health: 'trouble', reason: 'timeout' });
});

it('a page that answered before does, with HEAD', async () => {
  const fails: Fails = (url) => (/robots|good/.test(url) ? undefined : 'timeout');
  const paths = ['/good', ...Array.from({ length: 6 }, (_, n) => `/${n}`), '/good-too'];
  const { asked, done, again, news } = await session(paths, fails);
  expect(asked.filter((line) => line.startsWith('HEAD'))).toEqual(['HEAD /good', 'HEAD /good']);
  expect([done, again.length]).toEqual([2, 6]);
  expect(news).toMatchObject({ health: 'ok' });
});

it('waits twice as long after each failure, up to an hour', () => {
  expect([0, 1, 3].map((doublings) => backOffMs(10_000, doublings))).toEqual([10_000, 20_000, 80_000]);
  // The longest that an operator may set, after as many tries as a job may have.
  expect(backOffMs(60_000, 100)).toBe(3_600_000);
});
