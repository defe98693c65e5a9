import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { CrawlId, HostKey, PageRecord } from '@webfarer/protocol';
import { afterAll, expect, it } from 'vitest';
import { watchSyncs } from '../../../../../../test/durable/watch-syncs.ts';
import { collect } from '../../suite/world.fixture.ts';
import type { StreamRecord } from '../context/record-text.ts';
import { firstLine, readSegment, segmentName, writeSegment } from './segment-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'webfarer-segment-'));
afterAll(() => rmSync(folder, { recursive: true }));

function recordOf(n: number, items: unknown[] = []): StreamRecord {
  return {
    id: `17-${n}`,
    group: 3,
    inFile: true,
    host: 'a.test' as HostKey,
    entry: `/${n}\n100`,
    record: { url: `http://a.test/${n}`, title: 'ä'.repeat(n) } as PageRecord,
    itemsText: items.length === 0 ? '' : JSON.stringify(items),
    edgesText: n % 2 === 0 ? '' : 'AAAA',
  };
}

it('gives back what was written, also items longer than a block and such as cannot be packed', async () => {
  const file = join(folder, 'new', 'folders', 'one.jsonl.gz');
  const noise = randomBytes(300_000).toString('base64');
  const records = Array.from({ length: 300 }, (_, n) => recordOf(n, n === 100 ? [noise, null] : []));
  const written = await writeSegment(file, [records.slice(0, 150), records.slice(150)]);
  expect(written).toEqual({ records: 300, bytes: readFileSync(file).length });
  const parts = await collect(readSegment(file, 3));
  expect(parts.flatMap((part) => part.records)).toEqual(records);
  expect(parts[0]?.begin).toEqual(firstLine);
  for (const [n, { next }] of parts.entries()) {
    const rest = await collect(readSegment(file, 3, next));
    expect(rest.flatMap((part) => part.records)).toEqual(parts.slice(n + 1).flatMap((part) => part.records));
  }
  expect(gunzipSync(readFileSync(file)).toString().split('\n')).toHaveLength(301);
  const again = join(folder, 'again.jsonl.gz');
  await writeSegment(again, [records]);
  expect(readFileSync(again).equals(readFileSync(file))).toBe(true);
});

it('notices a file that is cut off or changed', async () => {
  const file = join(folder, 'two.jsonl.gz');
  await writeSegment(file, [Array.from({ length: 1000 }, (_, n) => recordOf(n))]);
  const whole = readFileSync(file);
  const read = () => collect(readSegment(file, 3));
  writeFileSync(file, whole.subarray(0, whole.length - 5));
  await expect(read()).rejects.toThrow('truncated');
  const changed = Buffer.from(whole);
  changed.writeUInt32LE(7, whole.length - 8);
  writeFileSync(file, changed);
  await expect(read()).rejects.toThrow('damaged');
  writeFileSync(file, `no gzip, ${'x'.repeat(100)}`);
  await expect(read()).rejects.toThrow(/truncated|no block/);
});

it('names files by what is in them, and never leaves its folder', () => {
  const range = { group: 12, after: '0-0', to: '17-3' };
  expect(segmentName({ crawl: 'example.org' as CrawlId, ...range })).toBe(
    'example.org/g12/0-0_17-3.jsonl.gz',
  );
  expect(segmentName({ crawl: '..' as CrawlId, ...range })).toBe('%2E%2E/g12/0-0_17-3.jsonl.gz');
  expect(segmentName({ crawl: 'a/b' as CrawlId, ...range })).toBe('a%2Fb/g12/0-0_17-3.jsonl.gz');
});

it('is on the disk, content and name, when it counts as written', async () => {
  const synced = await watchSyncs();
  const file = join(folder, 'synced.jsonl.gz');
  await writeSegment(file, [[recordOf(1), recordOf(2)]]);
  const content = readFileSync(file, 'latin1');
  expect(synced).toEqual([
    { path: `${file}.new`, content },
    { path: folder, content: undefined },
  ]);
});
