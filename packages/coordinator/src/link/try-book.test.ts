import type {
  CrawlId,
  HostKey,
  LeaseId,
  LeaseReport,
  PageRecord,
  Settlement,
  Url,
  WorkerId,
} from '@webfarer/protocol';
import { mostTries } from '@webfarer/protocol/crawl';
import { expect, it } from 'vitest';
import { createTryBook } from './try-book.ts';

const url = 'http://a.test/' as Url;
const [one, two] = ['w1', 'w2'] as WorkerId[] as [WorkerId, WorkerId];

function reportOf(...settled: Settlement[]): LeaseReport {
  const news = { endedAgoMs: 0, gapMs: 0, why: 'gap', health: 'ok' } as const;
  const ref = { id: 'l' as LeaseId, crawl: 'a' as CrawlId, host: 'a.test' as HostKey, fence: 1 };
  return { ...ref, settled, news, close: false };
}

const failed = (startedAtMs: number): Settlement => ({
  kind: 'retry',
  url,
  reason: 'http-5xx',
  detail: '503',
  startedAtMs,
  durationMs: 7,
});

function outcome(attempts: number, more: Partial<PageRecord> = { fetched: { waitedMs: 1 } }) {
  const record = { url, attempts, ...more } as PageRecord;
  return { record, report: reportOf({ kind: 'outcome', url, record } as Settlement) };
}

const told = (startedAtMs: number, by: string) => ({
  atMs: startedAtMs,
  tookMs: 7,
  reason: 'http-5xx',
  detail: '503',
  by,
});

it('tells in the last record who fetched it, and who failed before', () => {
  const book = createTryBook({ now: () => 99 });
  book.accepted(one, reportOf(failed(10)));
  book.accepted(two, reportOf(failed(20)));
  const { record, report } = outcome(3);
  book.complete(one, report);
  expect(record.fetched).toEqual({ by: 'w1', waitedMs: 1 });
  expect(record.tries).toEqual([told(10, 'w1'), told(20, 'w2')]);
});

it('remembers nothing of a report that was not accepted, and no try twice', () => {
  const book = createTryBook({ now: () => 99 });
  book.complete(one, reportOf(failed(10)));
  book.accepted(one, reportOf(failed(20)));
  book.accepted(one, reportOf(failed(20)));
  const { record, report } = outcome(9);
  book.complete(one, report);
  expect(record.tries).toEqual([told(20, 'w1')]);
});

it('forgets the tries of a URL with its outcome, and tells no more than were charged', () => {
  const book = createTryBook({ now: () => 99 });
  for (const at of [10, 20]) book.accepted(one, reportOf(failed(at)));
  const first = outcome(2);
  book.complete(one, first.report);
  expect(first.record.tries).toEqual([told(20, 'w1')]);
  book.accepted(one, first.report);
  const next = outcome(3);
  book.complete(one, next.report);
  expect(next.record.tries).toBeUndefined();
});

it('keeps the last tries of a URL, and the URLs that failed last', () => {
  const book = createTryBook({ now: () => 99 });
  for (let at = 1; at <= mostTries + 2; at++) book.accepted(one, reportOf(failed(at)));
  const { record, report } = outcome(mostTries + 3);
  book.complete(one, report);
  expect(record.tries?.map(({ atMs }) => atMs)).toEqual([3, 4, 5, 6, 7]);
  for (let n = 0; n < 10_000; n++)
    book.accepted(one, reportOf({ ...(failed(n) as object), url: `http://a.test/${n}` } as Settlement));
  const late = outcome(9);
  book.complete(one, late.report);
  expect(late.record.tries).toBeUndefined();
});

it('takes the time of the report where a worker does not say when it tried', () => {
  const book = createTryBook({ now: () => 99.4 });
  book.accepted(one, reportOf({ kind: 'retry', url, reason: 'timeout' }));
  const { record, report } = outcome(2, {});
  book.complete(two, report);
  expect(record.tries).toEqual([{ atMs: 99, reason: 'timeout', by: 'w1' }]);
  expect(record.fetched).toBeUndefined();
});

it('keeps who fetched a stored answer', () => {
  const { record, report } = outcome(1, { fetched: { by: 'earlier' } });
  createTryBook({ now: () => 99 }).complete(one, report);
  expect(record.fetched?.by).toBe('earlier');
});
