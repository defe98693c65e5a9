import { expect, it } from 'vitest';
import type { CrawlId, HostKey } from '../base/brands.ts';
import type { CrawlSnapshot, HostWait } from './snapshot.ts';
import { stallOf } from './stall.ts';
import { acknowledges, type StallCause } from './stall-causes.ts';

const wait = (change: Partial<HostWait> = {}): HostWait => ({
  host: 'a.test' as HostKey,
  queued: 3,
  dueInMs: 900,
  why: 'gap',
  dead: false,
  ...change,
});

function snapshot(change: Partial<CrawlSnapshot> = {}): CrawlSnapshot {
  return {
    crawl: 'c' as CrawlId,
    name: 'c',
    state: 'running',
    elapsedMs: 0,
    balance: { known: 9, queued: 5, leased: 1, done: 3, failed: 0, refused: 0 },
    byStatus: {},
    byReason: {},
    dropped: {},
    bytes: 0,
    items: 0,
    pagesPerSecond: 0,
    hostsQueued: 1,
    inFlight: 0,
    waiting: [],
    archive: { files: 0, bytes: 0 },
    ...change,
  };
}

const hands = { workers: 2, connections: 8, held: 8, pauses: [] };
const full = { cause: 'disk', text: '1 MB left' } as const;
const noFile = { text: 'no such file', code: 'job-invalid' };

const cases: [Partial<CrawlSnapshot>, StallCause | undefined][] = [
  [{ state: 'finished' }, undefined],
  [{ state: 'limited', limitedBy: 'pages' }, 'limit'],
  [{ state: 'paused' }, 'operator'],
  [{ pause: { cause: 'store-full', text: 'full' } }, 'store-full'],
  [{ hands: { ...hands, pauses: [full, full] } }, 'workers-disk'],
  [{ hands: { ...hands, pauses: [full] }, inFlight: 1 }, undefined],
  [{ hands: { ...hands, unable: { ...noFile, workers: 2 } } }, 'workers-unable'],
  [{ hands: { ...hands, unable: { ...noFile, workers: 1 } }, inFlight: 1 }, undefined],
  [{ hands: { ...hands, unable: { ...noFile, workers: 2, code: 'object-storage' } } }, 'object-storage'],
  [{ hands: { ...hands, unable: { ...noFile, workers: 2, code: 'storage' } } }, 'saving'],
  [{ hands: { ...hands, unable: { ...noFile, workers: 2, code: 'min-free' } } }, 'min-free'],
  [{ waiting: [wait()] }, 'gap'],
  [{ waiting: [wait({ why: 'backoff' })] }, 'trouble'],
  [{ waiting: [wait({ why: 'backoff', reason: 'connect-refused' })] }, 'connect-refused'],
  [{ waiting: [wait({ why: 'backoff', reason: 'timeout' })] }, 'connection-lost'],
  [{ waiting: [wait({ why: 'backoff', reason: 'no-ipv6' })] }, 'no-ipv6'],
  [{ waiting: [wait({ why: 'retry-after', reason: 'http-429' })] }, 'retry-after'],
  [{ waiting: [wait({ why: 'robots' }), wait({ dead: true, dueInMs: 0 })] }, 'robots'],
  [{ waiting: [wait(), wait({ dueInMs: 0 })], inFlight: 2, hands }, undefined],
  [{ waiting: [wait(), wait({ dueInMs: 0 })], hands }, 'connections-held'],
  [{ waiting: [wait(), wait({ dueInMs: 0 })], hands: { ...hands, held: 7 } }, undefined],
  [
    { waiting: [wait({ dueInMs: 0 })], hands: { workers: 0, connections: 0, held: 0, pauses: [] } },
    undefined,
  ],
  [
    {
      waiting: [wait({ dueInMs: 0 })],
      hands: { workers: 0, connections: 0, held: 0, pauses: [] },
      abandoned: 2,
    },
    'workers-lost',
  ],
  [{ abandoned: 4 }, 'workers-lost'],
  [{ abandoned: 4, inFlight: 1 }, undefined],
  [{ abandoned: 4, abandonedForMs: 9_000, inFlight: 3, waiting: [wait()] }, 'workers-lost'],
  [{ abandoned: 4, abandonedForMs: 9_000, inFlight: 4 }, undefined],
  [{ waiting: [wait({ why: 'held' })] }, 'held'],
  [{ inFlight: 3 }, undefined],
];

it.each(cases)('%j waits for %s', (change, cause) => {
  expect(stallOf(snapshot(change))?.cause).toBe(cause);
});

it('quotes what went wrong, and says when the next try is', () => {
  const refused = wait({ why: 'backoff', reason: 'connect-refused', detail: 'connect ECONNREFUSED' });
  expect(stallOf(snapshot({ waiting: [refused] }))).toEqual({
    cause: 'connect-refused',
    text: 'connect ECONNREFUSED',
    host: 'a.test',
    retryInMs: 900,
  });
});

it('says how many URLs leases hold that nobody renews, and when they are free', () => {
  expect(stallOf(snapshot({ abandoned: 412, abandonedForMs: 64_100, inFlight: 8 }))).toEqual({
    cause: 'workers-lost',
    text: 'at least 412 URLs are held by leases from before the store or the coordinator started, of workers that are not connected; they are free within 65 s',
    retryInMs: 64_100,
  });
});

it('finds no connection held where no worker is connected', () => {
  const none = { workers: 0, connections: 0, held: 0, pauses: [] };
  expect(stallOf(snapshot({ waiting: [wait({ dueInMs: 0 })], hands: none }))).toBeUndefined();
});

it('knows what keeps a coordinator from acknowledging reports', () => {
  expect(acknowledges({ cause: 'store' })).toBe(false);
  expect(acknowledges({ cause: 'disk' })).toBe(false);
  expect(acknowledges({ cause: 'gap' })).toBe(true);
});
