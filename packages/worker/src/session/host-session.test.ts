import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
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
import { surt } from '@webfarer/protocol/url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WARCParser } from 'warcio';
import { writeCdxj } from '../archive/index/cdxj.ts';
import { openArchive } from '../archive/open-archive.ts';
import type { CrawlContext } from '../context/context.ts';
import type { Exchange, Fetch, FetchAnswer } from '../fetch/fetch.ts';
import { openSavers } from '../save/savers/open-savers.ts';
import type { Saver } from '../save/saver.ts';
import { holdLease } from './held-lease.ts';
import { runHostSession } from './host-session.ts';
import type { PendingReport } from './reporter.ts';
import type { SessionParts } from './session.ts';
import { createChallengedHosts } from './challenged-hosts.ts';
import { createAnsweredHosts } from './answered-hosts.ts';
import { createServerErrors } from './server-errors.ts';
import { createTurnstile } from '../turnstile/turnstile.ts';
import { createRobotsFiles } from '../fetch/robots-files.ts';
import { createUrlRests } from './url-rests.ts';
import { contextFor } from '../crawls/crawl-context.fixture.ts';
import { noTracing } from '../tracing/tracing.ts';

const crawl = 'c' as CrawlId;
const host = 'a.example' as HostKey;
const page = `https://${host}/` as Url;
const image = 'https://cdn.example/logo.svg' as Url;
const data = `https://${host}/data.json` as Url;

let folder: string;
let savers: Saver[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webfarer-session-'));
});
afterEach(async () => {
  await Promise.allSettled(savers.map((saver) => saver.stop()));
  savers = [];
  await rm(folder, { recursive: true, force: true });
});

const bodies: Record<string, string> = {
  [page]: '<title>A page</title><a href="/next">next</a>',
  [image]: '<svg xmlns="http://www.w3.org/2000/svg"/>',
  [data]: '{"answer":42}',
};

function exchangeOf(url: Url, type: string, more: Partial<Exchange> = {}): Exchange {
  return {
    url,
    status: 200,
    statusText: 'OK',
    headers: [['Content-Type', type]],
    requestHead: `GET ${new URL(url).pathname} HTTP/1.1\r\nhost: ${new URL(url).host}\r\n\r\n`,
    body: Buffer.from(bodies[url] ?? ''),
    unread: false,
    ip: '192.0.2.1',
    startedAtMs: Date.UTC(2026, 0, 1, 0, 0, 0),
    durationMs: 5,
    ...more,
  };
}

/** A way to the web that brings a page with everything on it, as a browser would. */
function browser(others: Exchange[], released: () => void = () => undefined) {
  const log: string[] = [];
  const fetch: Fetch = {
    open(name) {
      log.push(`open ${name}`);
      return {
        async fetch({ url }): Promise<FetchAnswer> {
          log.push(`fetch ${url}`);
          return {
            ok: true,
            ...exchangeOf(url, 'text/html'),
            others,
            rendered: undefined,
            release: released,
          };
        },
        close: () => void log.push(`close ${name}`),
      };
    },
    close: async () => undefined,
  };
  return { fetch, log };
}

function contextOf(): CrawlContext {
  const job = resolveJob({
    seeds: [page],
    contact: 'me@lab.test',
    robots: { obey: false, ignoreFor: [host] },
  });
  return contextFor(job, [page], { savers });
}

/** Works through one lease of the page, or of others, and answers its reports. */
async function session(
  fetch: Fetch,
  changes: Partial<HostLease> = {},
  reports: PendingReport[] = [],
  isAccepted: (report: PendingReport) => boolean = () => true,
): Promise<PendingReport[]> {
  const clock = systemClock();
  const lease: HostLease = {
    id: 'l' as LeaseId,
    crawl,
    host,
    fence: 1,
    part: 0,
    ttlMs: 600_000,
    endedAgoMs: null,
    entries: [{ url: page, kind: 'page', depth: 0, cost: 0, hops: 0, attempt: 0 }],
    robots: [],
    ...changes,
  };
  const parts = {
    worker: 'w' as WorkerId,
    clock,
    fetch,
    network: { succeeded: () => undefined },
    reporter: {
      async add(report: PendingReport) {
        reports.push(report);
        return isAccepted(report) ? { ok: true, accepted: 0, known: 0 } : { ok: false };
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
  await runHostSession(holdLease(lease, clock.now()), contextOf(), parts);
  return reports;
}

function recordIn(reports: PendingReport[]): PageRecord {
  const [one] = reports.flatMap(({ settled }) => settled);
  if (one?.kind !== 'outcome') throw new Error('no outcome');
  return one.record;
}

describe('a host session', () => {
  it('opens its host once, closes it when all is reported, and releases every page', async () => {
    let released = 0;
    const { fetch, log } = browser([], () => released++);
    const reports = await session(fetch);
    expect(log).toEqual([`open ${host}`, `fetch ${page}`, `close ${host}`]);
    expect(released).toBe(1);
    expect(reports.at(-1)?.close).toBe(true);
    expect(recordIn(reports)).toMatchObject({ url: page, verdict: 'done', title: 'A page' });
    expect(recordIn(reports)).not.toHaveProperty('resources');
  });

  it('reports before its first request that it begins with a URL that workers died with, and of no other', async () => {
    const innocent = { url: page, kind: 'page', depth: 0, cost: 0, hops: 0, attempt: 0 } as const;
    const told: number[] = [];
    const reports: PendingReport[] = [];
    const { fetch, log } = browser([]);
    const watched: Fetch = {
      ...fetch,
      open(name) {
        const opened = fetch.open(name);
        return {
          ...opened,
          async fetch(request) {
            told.push(reports.filter(({ begun }) => begun).length);
            return await opened.fetch(request);
          },
        };
      },
    };
    await session(watched, { entries: [{ ...innocent, deaths: 1 }] }, reports);
    expect([told, reports.map(({ begun = false, close }) => [begun, close])]).toEqual([
      [1],
      [
        [true, false],
        [false, true],
      ],
    ]);
    const quiet: PendingReport[] = [];
    await session(fetch, { entries: [innocent] }, quiet);
    expect(quiet.some(({ begun }) => begun)).toBe(false);
    // A lease that is over gives no right to fetch it.
    log.length = 0;
    await session(fetch, { entries: [{ ...innocent, deaths: 1 }] }, [], ({ begun }) => !begun);
    expect(log).toEqual([`open ${host}`, `close ${host}`]);
  });

  it('closes its host when it ends by a fault', async () => {
    const { fetch, log } = browser([]);
    const broken: Fetch = {
      ...fetch,
      open: (name) => ({ ...fetch.open(name), fetch: () => Promise.reject(new Error('bug')) }),
    };
    await expect(session(broken)).rejects.toThrow('bug');
    expect(log.at(-1)).toBe(`close ${host}`);
  });
});

describe('the pace of a lease', () => {
  const entries: HostLease['entries'] = [1, 2, 3, 4].map((n) => {
    const url = `${page}${n}` as Url;
    return { url, kind: 'page', depth: 0, cost: 0, hops: 0, attempt: 0 };
  });
  const rule = 'the host rule a.example asks for more, set by ada';

  it('is kept in place of the pause that the job has for all hosts', async () => {
    const { fetch, log } = browser([]);
    const reports = await session(fetch, { entries, pace: { gapMs: 30, connections: 1 } });
    // The job says 1 s.
    expect(log.filter((line) => line.startsWith('fetch'))).toHaveLength(4);
    expect(reports.at(-1)?.news).toMatchObject({ gapMs: 30, why: 'gap' });
  });

  it('names the rule that makes the pause longer', async () => {
    const { fetch } = browser([]);
    const reports = await session(fetch, { pace: { gapMs: 40_000, connections: 1, rule } });
    expect(reports.at(-1)?.news).toMatchObject({ gapMs: 40_000, why: 'rule', detail: rule });
  });

  it('gives the host back where its pause is long, so that the connection is free for others', async () => {
    const { fetch, log } = browser([]);
    const reports = await session(fetch, { entries, pace: { gapMs: 600_000, connections: 1, rule } });
    expect(log.filter((line) => line.startsWith('fetch'))).toHaveLength(1);
    expect(reports.at(-1)).toMatchObject({ close: true, news: { gapMs: 600_000, why: 'rule' } });
    expect(reports.flatMap(({ settled }) => settled)).toHaveLength(1);
  });

  it('may allow several requests at once', async () => {
    const { fetch } = browser([]);
    let [now, most] = [0, 0];
    const slow: Fetch = {
      ...fetch,
      open: (name) => {
        const way = fetch.open(name);
        return {
          ...way,
          async fetch(request) {
            most = Math.max(most, ++now);
            // Until the others have begun, or will not.
            for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve));
            now--;
            return await way.fetch(request);
          },
        };
      },
    };
    await session(slow, { entries, pace: { gapMs: 0, connections: 3 } });
    expect(most).toBe(3);
  });
});

describe('a page of several exchanges', () => {
  const others = [
    exchangeOf(image, 'image/svg+xml', { startedAtMs: Date.UTC(2026, 0, 1, 0, 0, 1) }),
    exchangeOf(data, 'application/json', { startedAtMs: Date.UTC(2026, 0, 1, 0, 0, 2), ip: '192.0.2.7' }),
  ];

  async function captured() {
    savers = await openSavers(
      [
        { kind: 'warc', rotateBytes: 1e9, dedupe: true, at: 'worker' },
        { kind: 'files', name: '{host}/{path}' },
      ] as CrawlContext['job']['save'],
      { folder, name: 'x', clock: systemClock(), software: 'webfarer/test', baseFolder: folder },
    );
    const record = recordIn(await session(browser(others).fetch));
    for (const saver of savers) await saver.stop();
    return record;
  }

  it('records what the page loaded, and where each of them was saved', async () => {
    const { resources = [], saved = [], ...record } = await captured();
    expect(record).toMatchObject({ url: page, bytes: bodies[page]?.length });
    expect(saved.map(({ saver }) => saver)).toEqual(['warc', 'files']);
    expect(resources).toMatchObject([
      { url: image, status: 200, mime: 'image/svg+xml', bytes: bodies[image]?.length },
      { url: data, status: 200, mime: 'application/json', bytes: bodies[data]?.length },
    ]);
    const archive = openArchive(folder);
    for (const resource of resources)
      for (const at of resource.saved) {
        const pieces: Buffer[] = [];
        for await (const piece of archive.read(at, 'body')) pieces.push(piece);
        expect(Buffer.concat(pieces).toString(), at.file).toBe(bodies[resource.url]);
      }
  });

  it('is read back whole by warcio, each with its request and the page it belongs to', async () => {
    await captured();
    const [file = ''] = (await readdir(join(folder, 'archive'))).filter((name) => name.endsWith('.warc.gz'));
    const records: { type: string; url: string; ip: string; text: string }[] = [];
    for await (const record of new WARCParser(createReadStream(join(folder, 'archive', file)))) {
      const text = Buffer.from((await record.readFully(true)) ?? []).toString();
      records.push({
        type: record.warcType ?? '',
        url: record.warcTargetURI ?? '',
        ip: record.warcHeader('WARC-IP-Address') ?? '',
        text,
      });
    }
    const of = (type: string) => records.filter((record) => record.type === type);
    expect(of('response').map(({ url, text }) => [url, text])).toEqual(Object.entries(bodies));
    expect(of('request').map(({ url }) => url)).toEqual([page, image, data]);
    expect(of('response').map(({ ip }) => ip)).toEqual(['192.0.2.1', '192.0.2.1', '192.0.2.7']);
    const [own, ...loaded] = of('metadata').map(({ text }) => text);
    expect(own).not.toContain('via:');
    for (const text of loaded) expect(text).toContain(`via: ${page}\r\n`);
  });

  it('has a line for each in the index, which leads to its capture', async () => {
    const record = await captured();
    async function* records() {
      yield record;
    }
    const file = join(folder, 'archive', 'index.cdxj');
    expect(await writeCdxj(records(), file)).toEqual({ lines: 3 });
    const lines = (await readFile(file, 'utf8')).trim().split('\n');
    const indexed = lines.map((line) => JSON.parse(line.slice(line.indexOf('{'))) as Record<string, string>);
    expect(lines.map((line) => line.split(' ')[0])).toEqual(
      [page, image, data].map((url) => surt(url)).toSorted(),
    );
    expect(new Set(indexed.map(({ url }) => url))).toEqual(new Set([page, image, data]));
    const archive = openArchive(folder);
    for (const { url = '', filename, offset, length } of indexed) {
      const at = { file: `archive/${filename}`, offset: Number(offset), length: Number(length) };
      const pieces: Buffer[] = [];
      for await (const piece of archive.read(at, 'body')) pieces.push(piece);
      expect(Buffer.concat(pieces).toString()).toBe(bodies[url]);
    }
  });
});
