import type { CrawlId, HostKey } from '@webfarer/protocol';
import { expect, test } from 'vitest';
import { createNoteLimiter, noteFor } from './notes.ts';
import { sampleRecord } from './snapshot.fixture.ts';

const nowMs = new Date(2026, 10, 15, 14, 29, 7).getTime();
const crawl = 'c1' as CrawlId;
const context = { nowMs, done: 412, hosts: 1 };

test('a host that asks for patience is named with the time it waits until', () => {
  const note = noteFor(
    {
      type: 'host-waits',
      crawl,
      host: 'www.example.org' as HostKey,
      why: 'retry-after',
      forMs: 120_000,
      detail: '503, Retry-After 120',
    },
    context,
  );
  expect(note?.text).toBe('! www.example.org: 503, Retry-After 120. The whole host waits until 14:31:07');
});

test('a lost worker process is told in the words it came with', () => {
  const text = 'Worker process 1 ended unexpectedly (SIGKILL). It is restarted (1 of 5).';
  expect(noteFor({ type: 'worker-lost', crawl, text }, context)).toEqual({
    style: 'warn',
    text: `! ${text}`,
  });
});

test('everyday waits are not worth a line', () => {
  const host = 'a.example' as HostKey;
  expect(noteFor({ type: 'host-waits', crawl, host, why: 'gap', forMs: 60_000 }, context)).toBeUndefined();
  expect(noteFor({ type: 'host-waits', crawl, host, why: 'backoff', forMs: 2000 }, context)).toBeUndefined();
  expect(
    noteFor({ type: 'host-waits', crawl, host, why: 'backoff', forMs: 10_000 }, { ...context, hosts: 40 }),
  ).toBeUndefined();
  expect(noteFor({ type: 'host-waits', crawl, host, why: 'backoff', forMs: 10_000 }, context)).toBeDefined();
  expect(noteFor({ type: 'record', crawl, record: sampleRecord() }, context)).toBeUndefined();
});

test('a disk that is full says what is needed and that nothing is lost', () => {
  const pause = { cause: 'disk' as const, text: '180 MB left on this disk, 500 MB needed' };
  expect(noteFor({ type: 'crawl-paused', crawl, pause, times: 1 }, context)?.text).toBe(
    '‖ paused: 180 MB left on this disk, 500 MB needed. It resumes by itself when there is space; or Ctrl-C and resume later. 412 done and safe.',
  );
});

test("errors of the person's own scraper are shown, cleaned", () => {
  const record = sampleRecord({
    verdict: 'failed',
    reason: 'handler',
    detail: 'TypeError: x\x1b[2J is undefined',
  });
  expect(noteFor({ type: 'record', crawl, record }, context)?.text).toBe(
    '! scraper error at https://www.example.org/docs/install: TypeError: x is undefined',
  );
});

test('many notes are counted instead of shown', () => {
  const limiter = createNoteLimiter(2, 10_000);
  const note = { style: 'warn' as const, text: 'n' };
  expect(limiter.pass(note, 0)).toHaveLength(1);
  expect(limiter.pass(note, 1)).toHaveLength(1);
  expect(limiter.pass(note, 2)).toEqual([]);
  expect(limiter.pass(note, 3)).toEqual([]);
  expect(limiter.pass(note, 10_000).map((n) => n.text)).toEqual(['  and 2 more notes like these', 'n']);
});
