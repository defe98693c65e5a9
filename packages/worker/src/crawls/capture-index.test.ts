import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PageRecord, Url } from '@webfarer/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createCaptureIndex, writeLateIndexes } from './capture-index.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-index-'));
  mkdirSync(join(folder, 'archive'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function sampleRecord(change: Partial<PageRecord> = {}): PageRecord {
  return {
    url: 'https://www.example.org/docs/install' as Url,
    verdict: 'done',
    reason: 'ok',
    kind: 'page',
    depth: 1,
    attempts: 1,
    status: 200,
    mime: 'text/html',
    bytes: 48_000,
    startedAtMs: 1_700_000_000_000,
    durationMs: 310,
    links: 3,
    items: 0,
    ...change,
  };
}

function recordOf(path: string, offset = 1, spooled?: number) {
  const at = { saver: 'warc', file: 'archive/x.warc.gz', offset, length: 9 };
  return sampleRecord({
    url: `https://a.test/${path}` as Url,
    saved: [spooled === undefined ? at : { ...at, spooled }],
  });
}

const index = () =>
  readFileSync(join(folder, 'archive', 'index.cdxj'), 'utf8')
    .trimEnd()
    .split('\n');

it('lists what was noted and counted, in order, over several lives and a torn line', async () => {
  const first = createCaptureIndex(folder);
  await first.note([recordOf('c'), recordOf('b'), recordOf('sent', 1, 20), sampleRecord()]);
  await first.takeBack([recordOf('b')]);
  appendFileSync(join(folder, 'archive', 'index.notes'), '+test,a)/torn 2025');
  const second = createCaptureIndex(folder);
  await second.note([recordOf('a'), recordOf('b', 30)]);
  await second.write();
  const fields = index().map((line) => /^test,a\)\/(\w+) \d{14} .*"offset":"(\d+)"/.exec(line)?.slice(1));
  expect(fields).toEqual([
    ['a', '1'],
    ['b', '30'],
    ['c', '1'],
  ]);
});

it('makes none where nothing was captured', async () => {
  await createCaptureIndex(folder).write();
  expect(() => index()).toThrow('ENOENT');
});

it('is written by the next process of the worker where one died before it could', async () => {
  const worker = mkdtempSync(join(tmpdir(), 'webfarer-late-index-'));
  try {
    folder = join(worker, 'shop.crawl');
    mkdirSync(join(folder, 'archive'), { recursive: true });
    mkdirSync(join(worker, 'spool'));
    await createCaptureIndex(folder).note([recordOf('a'), recordOf('b')]);
    await writeLateIndexes(worker);
    expect(index()).toHaveLength(2);
    await createCaptureIndex(folder).note([recordOf('c')]);
    await writeLateIndexes(worker);
    expect(index()).toHaveLength(3);
  } finally {
    rmSync(worker, { recursive: true, force: true });
  }
});
