import type { PageRecord } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import { fetchedLines } from './explain-fetched.ts';

const page = {
  verdict: 'done',
  status: 200,
  attempts: 1,
  startedAtMs: 10_000,
  durationMs: 900,
  firstByteMs: 700,
} as unknown as PageRecord;
const fetched = { by: 'w1', waitedMs: 2_000, dnsMs: 100, connectMs: 50, tlsMs: 150 };

it('tells who fetched a page, how long it waited and what took its time', () => {
  expect(fetchedLines({ ...page, fetched }, 3_000)).toEqual([
    'waited 5000 ms in the queue, then 2000 ms at the worker',
    'fetched by w1 in 900 ms: DNS 100 ms, connection 50 ms, TLS 150 ms, first byte 400 ms, body 200 ms',
  ]);
  expect(fetchedLines({ ...page, fetched: { reused: true } }, undefined)).toEqual([
    'fetched in 900 ms over a connection that was open: first byte 700 ms, body 200 ms',
  ]);
});

it('says in words what is not recorded', () => {
  expect(fetchedLines({ ...page, attempts: 3 }, undefined)).toEqual([
    '2 tries before are not recorded',
    'the worker and the times of the request are not recorded',
  ]);
  expect(
    fetchedLines(
      { ...page, verdict: 'refused', status: undefined, durationMs: 0 } as unknown as PageRecord,
      1,
    ),
  ).toEqual([]);
});

it('lists the tries that failed', () => {
  const tries = [{ atMs: 5_000, tookMs: 30, reason: 'http-5xx', detail: '503', by: 'w2' } as const];
  expect(fetchedLines({ ...page, attempts: 3, tries, fetched: { by: 'w1' } }, undefined).slice(0, 2)).toEqual(
    [
      '1 try before is not recorded',
      'tried at 1970-01-01T00:00:05.000Z by w2, failed after 30 ms: http-5xx (503)',
    ],
  );
});
