import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CrawlId, HostKey, LeaseId, Url } from '../base/brands.ts';
import { unpackEdges } from './edge-codec.ts';
import { bands, type EntryKind, entryKinds, type Offer, type PageRequest } from '../base/entry.ts';
import { WebfarerError } from '../base/errors.ts';
import type { LeaseReport, Settlement } from './link.ts';
import { doneReasons } from '../base/reasons.ts';
import { readCoordinatorFrame, readWorkerFrame } from './frame-schemas.ts';
import { frameBounds, linkVersion, type Request } from './frames.ts';
import { packReport, unpackSent } from './report-frame.ts';

const url = fc.webUrl({ withQueryParameters: true, validSchemes: ['http', 'https'] }).map((text) => {
  const { href } = new URL(text);
  return href as Url;
});
const count = fc.nat(1_000);
const kind = fc.constantFrom<EntryKind>(...entryKinds);

const offer: fc.Arbitrary<Offer> = fc.record(
  {
    url,
    kind,
    depth: count,
    cost: fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }),
    hops: count,
    label: fc.string(),
    band: fc.constantFrom(...bands),
    request: fc.constantFrom<PageRequest[]>(
      {},
      { data: { list: [null, 'a\nb'] } },
      { method: 'POST', type: 'text/plain', body: 'a\nb', headers: { 'X-Y': 'z' } },
    ),
  },
  { requiredKeys: ['url', 'kind', 'depth', 'cost', 'hops'] },
) as fc.Arbitrary<Offer>;

const edge = fc.record({
  to: url,
  rel: fc.constantFrom('a', 'img', 'link:next'),
  text: fc.string({ minLength: 1 }),
});

const outcome: fc.Arbitrary<Settlement> = fc
  .record({
    url,
    offers: fc.array(offer, { maxLength: 5 }),
    edges: fc.array(edge, { maxLength: 5 }),
    items: fc.array(fc.jsonValue(), { maxLength: 3 }),
    dropped: fc.constant({ scope: 2 }),
    status: fc.integer({ min: 100, max: 599 }),
    reason: fc.constantFrom(...(Object.keys(doneReasons) as (keyof typeof doneReasons)[])),
    title: fc.string(),
  })
  .map(({ url: at, status, reason, title, ...yielded }) => ({
    kind: 'outcome' as const,
    url: at,
    record: {
      url: at,
      verdict: 'done' as const,
      reason,
      kind: 'page' as const,
      depth: 1,
      attempts: 1,
      status,
      title,
      bytes: 10,
      startedAtMs: 5.5,
      durationMs: 7,
      links: yielded.edges.length,
      items: yielded.items.length,
    },
    ...yielded,
  }));

const retry: fc.Arbitrary<Settlement> = url.map((at) => ({ kind: 'retry', url: at, reason: 'timeout' }));

const report: fc.Arbitrary<LeaseReport> = fc
  .record({
    fence: count,
    settled: fc.array(fc.oneof(outcome, retry), { maxLength: 4 }),
    close: fc.boolean(),
    offers: fc.array(offer, { maxLength: 3 }),
  })
  .map((some) => ({
    id: 'g1.7' as LeaseId,
    crawl: 'c' as CrawlId,
    host: 'a.test' as HostKey,
    news: { endedAgoMs: 1, gapMs: 2, why: 'gap', health: 'ok' },
    ...some,
  }));

function frameOf(reports: LeaseReport[]): string {
  const edges: Uint8Array[] = [];
  const sent = reports.map((each) => packReport(each, edges));
  return JSON.stringify({
    type: 'report',
    id: 1,
    reports: sent,
    edges: Buffer.concat(edges).toString('base64'),
  });
}

/** What stands in a report once its links are read back. */
function readable({ settled, ...rest }: LeaseReport): unknown {
  const pages = settled.map((one) => {
    if (one.kind === 'retry') return one;
    const edges = 'packed' in one.edges ? unpackEdges(one.url, one.edges.packed) : one.edges;
    return { ...one, edges, items: one.items.map((item) => item ?? null) };
  });
  return JSON.parse(JSON.stringify({ ...rest, settled: pages }));
}

test('reports arrive as they were', () => {
  fc.assert(
    fc.property(fc.array(report, { maxLength: 4 }), (reports) => {
      const frame = readWorkerFrame(frameOf(reports)) as Extract<Request, { type: 'report' }>;
      const got = unpackSent(frame.reports, Buffer.from(frame.edges, 'base64'));
      expect(got.map(readable)).toEqual(reports.map(readable));
    }),
    { numRuns: 200 },
  );
});

/** Reads it, or says so in the one way that the other side is answered in. */
function isSafe(read: (text: string) => unknown, text: string): void {
  try {
    expect(read(text)).toHaveProperty('type');
  } catch (error) {
    expect(error).toBeInstanceOf(WebfarerError);
    expect((error as WebfarerError).code).toBe('frame-invalid');
  }
}

describe('whatever comes is read or refused, and nothing else happens', () => {
  test('any text and any JSON', () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => isSafe(readWorkerFrame, text)));
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => isSafe(readCoordinatorFrame, text)));
  });

  test('frames of the right kind with anything in them', () => {
    const types = [
      'hello',
      'lease',
      'renew',
      'report',
      'release',
      'robots',
      'previous',
      'leaseHost',
      'dry',
      'welcome',
      'crawls',
    ];
    const frame = fc
      .tuple(fc.constantFrom(...types), fc.object())
      .map(([type, rest]) => JSON.stringify({ ...rest, type }));
    fc.assert(fc.property(frame, (text) => isSafe(readWorkerFrame, text)));
    fc.assert(fc.property(frame, (text) => isSafe(readCoordinatorFrame, text)));
  });

  test('reports with one value replaced by another', () => {
    const spoilt = fc.tuple(fc.array(report, { minLength: 1, maxLength: 2 }), fc.nat(), fc.jsonValue());
    fc.assert(
      fc.property(spoilt, ([reports, which, value]) => {
        const frame: unknown = JSON.parse(frameOf(reports));
        spoil(frame, which, value);
        isSafe(readWorkerFrame, JSON.stringify(frame));
      }),
      { numRuns: 500 },
    );
  });
});

/** Replaces one of all values in it. */
function spoil(frame: unknown, which: number, value: unknown): void {
  const places: [holder: Record<string, unknown>, key: string][] = [];
  const walk = (at: unknown): void => {
    if (typeof at !== 'object' || at === null) return;
    for (const key of Object.keys(at)) {
      places.push([at as Record<string, unknown>, key]);
      walk((at as Record<string, unknown>)[key]);
    }
  };
  walk(frame);
  const [holder, key] = places[which % places.length] ?? [{}, 'none'];
  holder[key] = value;
}

test.each([
  ['more hosts than bound', { type: 'lease', id: 1, hosts: frameBounds.hosts + 1, urlsPerHost: 1 }],
  ['no hosts', { type: 'lease', id: 1, hosts: 0, urlsPerHost: 1 }],
  ['a fraction', { type: 'lease', id: 1, hosts: 1.5, urlsPerHost: 1 }],
  [
    'a name with spaces',
    {
      type: 'hello',
      v: linkVersion,
      worker: 'a b',
      session: 's',
      version: '1',
      connections: 1,
      holds: [],
      holdsAll: true,
    },
  ],
  ['no number', { type: 'robots', origin: 'http://a.test' }],
  [
    'too many leases',
    {
      type: 'renew',
      id: 1,
      leases: Array.from({ length: frameBounds.leases + 1 }, () => ({
        id: 'x',
        crawl: 'c',
        host: 'h',
        fence: 1,
      })),
    },
  ],
  [
    'a URL of another scheme',
    { type: 'previous', id: 1, crawl: 'c', url: 'file:///etc/passwd', queuedAs: false },
  ],
  [
    'a URL with a line end',
    { type: 'previous', id: 1, crawl: 'c', url: 'http://a.test/\nx', queuedAs: false },
  ],
])('%s is refused', (_what, frame) => {
  expect(() => readWorkerFrame(JSON.stringify(frame))).toThrow(WebfarerError);
});

test('a reason that is not in the table is refused, and what is not known is left out', () => {
  const [one] = fc.sample(outcome, 1);
  const text = frameOf([{ ...fc.sample(report, 1)[0], settled: [one] } as LeaseReport]);
  const frame = JSON.parse(text) as { reports: { settled: { record: Record<string, unknown> }[] }[] };
  const record = frame.reports[0]?.settled[0]?.record ?? {};
  record['reason'] = 'because';
  expect(() => readWorkerFrame(JSON.stringify(frame))).toThrow(/reason/);
  const dry = readWorkerFrame('{"type":"dry","hosts":3,"later":"more"}');
  expect(dry).toEqual({ type: 'dry', hosts: 3 });
});

const leaseRef = { id: 'g1.7', crawl: 'c', host: 'a.test', fence: 1 };
const news = { endedAgoMs: 1, gapMs: 2, why: 'gap', health: 'ok' };
const page = {
  url: 'http://a.test/',
  verdict: 'done',
  reason: 'ok',
  kind: 'page',
  depth: 0,
  attempts: 1,
  bytes: 10,
  startedAtMs: 5,
  durationMs: 7,
  links: 0,
  items: 0,
};
const resource = (at: object) => ({
  url: 'http://b.test/x.css',
  status: 200,
  bytes: 1,
  startedAtMs: 1,
  durationMs: 1,
  saved: [{ saver: 'warc', file: 'archive/x.warc.gz', offset: 0, length: 1, ...at }],
});

const reportWith = (changes: object, record: object = {}) => ({
  type: 'report',
  id: 1,
  edges: '',
  reports: [
    {
      ...leaseRef,
      settled: [
        {
          kind: 'outcome',
          record: { ...page, ...record },
          offers: [],
          edges: [0, 0],
          items: [],
          dropped: {},
        },
      ],
      news,
      close: true,
      ...changes,
    },
  ],
});

test('the reports that the next test spoils are accepted as they are', () => {
  expect(readWorkerFrame(JSON.stringify(reportWith({})))).toHaveProperty('type', 'report');
  const rich = reportWith({}, { resources: [resource({})] });
  expect(readWorkerFrame(JSON.stringify(rich))).toHaveProperty('type', 'report');
});

test.each([
  ['a host with a space', { type: 'leaseHost', id: 1, crawl: 'c', host: 'x.a b.com' }],
  ['a host with a line end', { type: 'leaseHost', id: 1, crawl: 'c', host: 'a.test\nb' }],
  ['a host with NUL', { type: 'leaseHost', id: 1, crawl: 'c', host: 'a\0.test' }],
  ['a host in upper case', { type: 'leaseHost', id: 1, crawl: 'c', host: 'A.test' }],
  ['a host with a port', { type: 'leaseHost', id: 1, crawl: 'c', host: 'a.test:80' }],
  ['an IPv4 address in another spelling', { type: 'leaseHost', id: 1, crawl: 'c', host: '127.1' }],
  ['an origin with a path', { type: 'robots', id: 1, origin: 'http://a.test/x' }],
  [
    'a URL that is not normalised',
    { type: 'previous', id: 1, crawl: 'c', url: 'http://a.test/../x', queuedAs: false },
  ],
  ['a lease of a host that is none', { type: 'renew', id: 1, leases: [{ ...leaseRef, host: 'a b' }] }],
  ['a gap without end', reportWith({ news: { ...news, gapMs: 1e15 } })],
  ['a negative gap', reportWith({ news: { ...news, gapMs: -1 } })],
  ['a date that no calendar has', reportWith({}, { startedAtMs: 1e17 })],
  ['more bytes than sums can hold', reportWith({}, { bytes: Number.MAX_SAFE_INTEGER })],
  ['a depth without end', reportWith({}, { depth: 1e15 })],
  ['a title that is a list', reportWith({}, { title: ['x'] })],
  ['a file outside of the folder', reportWith({}, { saved: [{ saver: 'warc', file: '../../etc/passwd' }] })],
  ['an absolute file', reportWith({}, { saved: [{ saver: 'warc', file: '/etc/passwd' }] })],
  ['a resource saved outside of the folder', reportWith({}, { resources: [resource({ file: '../x' })] })],
  ['more resources than a page may bring', reportWith({}, { resources: Array(1_001).fill(resource({})) })],
  [
    'robots.txt of what is no origin',
    reportWith({ robots: [{ origin: 'http://a b', fetchedAtMs: 1, state: 'absent', body: '' }] }),
  ],
])('%s is refused', (_what, frame) => {
  expect(() => readWorkerFrame(JSON.stringify(frame))).toThrow(WebfarerError);
});

test('a request ended longer ago than anything is kept counts as ended that long ago', () => {
  const frame = readWorkerFrame(JSON.stringify(reportWith({ news: { ...news, endedAgoMs: 1e13 } })));
  expect((frame as Extract<Request, { type: 'report' }>).reports[0]?.news.endedAgoMs).toBe(
    frameBounds.spanMs,
  );
});

test('a job of a coordinator of an earlier version has the parts that it does not know, empty', () => {
  const crawl = { id: 'c', revision: 'r', seeds: [], userAgent: 'w', urlsPerHost: 1, state: 'running' };
  const read = (job: object) =>
    readCoordinatorFrame(JSON.stringify({ type: 'crawls', crawls: [{ ...crawl, job }] }));
  const absent = { screenshots: [], pdf: false, steps: [], itemKey: [] };
  expect(read({ name: 'j', logins: [] })).toMatchObject({ crawls: [{ job: { name: 'j', ...absent } }] });
  const told = { name: 'j', screenshots: ['page'], pdf: true, steps: [{ steps: [] }], itemKey: ['sku'] };
  expect(read(told)).toMatchObject({ crawls: [{ job: told }] });
});
