import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import type { PageRecord } from '@webfarer/protocol';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { recordOf, unanswered } from '../records.fixture.ts';
import type { Table } from './column.ts';
import { threeLetterCode } from './language-codes.ts';
import { pageTable } from './page-table.ts';
import { writeParquet } from './parquet-file.ts';
import { urlIndex } from './url-index.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webfarer-tables-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function written<Row>(table: Table<Row>, rowsPerGroup = 100_000) {
  const path = join(folder, `${table.name}.parquet`);
  const count = await writeParquet(table, { file: path, software: 'test', rowsPerGroup });
  const file = await asyncBufferFromFile(path);
  const compressors = { ZSTD: (input: Uint8Array) => zstdDecompressSync(input) };
  return {
    count,
    rows: await parquetReadObjects({ file, compressors }),
    metadata: await parquetMetadataAsync(file),
    bytes: await readFile(path),
  };
}

async function* each(records: PageRecord[]): AsyncGenerator<PageRecord> {
  yield* records;
}

it('writes any number of row groups, and every row comes back', async () => {
  const numbers: Table<number> = {
    name: 'numbers',
    columns: [
      { name: 'n', type: 'int64', required: true, value: (n) => n },
      { name: 'text', type: 'string', value: (n) => (n % 3 === 0 ? undefined : `ünï ${n}`) },
      { name: 'half', type: 'double', required: true, value: (n) => n / 2 },
      { name: 'odd', type: 'boolean', required: true, value: (n) => n % 2 === 1 },
    ],
    rows: Array.from({ length: 1_000 }, (_, n) => n),
  };
  const { count, rows, metadata } = await written(numbers, 300);
  expect(count).toBe(1_000);
  expect(metadata.row_groups.map(({ num_rows }) => Number(num_rows))).toEqual([300, 300, 300, 100]);
  expect(rows).toHaveLength(1_000);
  expect(rows[997]).toEqual({ n: 997n, text: 'ünï 997', half: 498.5, odd: true });
  expect(rows[999]).toMatchObject({ n: 999n, odd: true });
  expect(rows[999]?.text ?? undefined).toBeUndefined();
});

it('an empty table is a table', async () => {
  const { count, rows, metadata } = await written(pageTable(each([])));
  expect([count, rows]).toEqual([0, []]);
  expect(metadata.schema.map(({ name }) => name)).toContain('verdict');
});

it('the index has a row for every answer, taken apart as Common Crawl does', async () => {
  const records = [
    recordOf('https://www.shop.example.co.uk:8443/A/b.html?q=1?2', {
      digest: 'sha1:ABC',
      language: 'de-at',
      charset: 'utf-8',
      mimeDetected: 'application/pdf',
      saved: [{ saver: 'warc', file: 'archive/1.warc.gz', offset: 7, length: 11, member: 'm' }],
    }),
    recordOf('http://127.0.0.1/', { status: 404 }),
    unanswered('http://gone.test/', { verdict: 'failed', reason: 'dns-not-found' }),
  ];
  const { rows } = await written(urlIndex('lab', each(records)));
  expect(rows).toHaveLength(2);
  expect(rows[0]).toMatchObject({
    url_surtkey: 'uk,co,example,shop:8443)/a/b.html?q=1?2',
    url_host_name: 'www.shop.example.co.uk',
    url_host_tld: 'uk',
    url_host_2nd_last_part: 'co',
    url_host_5th_last_part: 'www',
    url_host_registry_suffix: 'co.uk',
    url_host_registered_domain: 'example.co.uk',
    url_host_name_reversed: 'uk.co.example.shop.www',
    url_protocol: 'https',
    url_port: 8443,
    url_path: '/A/b.html',
    url_query: 'q=1?2',
    fetch_status: 200,
    content_digest: 'ABC',
    content_mime_type: 'text/html',
    content_mime_detected: 'application/pdf',
    content_charset: 'UTF-8',
    content_languages: 'deu',
    warc_filename: 'archive/1.warc.gz',
    warc_record_offset: 7n,
    warc_record_length: 11n,
    warc_segment: 'm',
    crawl: 'lab',
    subset: 'warc',
  });
  expect(rows[0]?.fetch_time).toEqual(new Date(Date.UTC(2025, 0, 2, 3, 4, 5)));
  expect(rows[1]).toMatchObject({ url_host_name: '127.0.0.1', subset: 'crawldiagnostics' });
  expect(rows[1]?.url_host_tld ?? undefined).toBeUndefined();
});

it.each([
  ['de', 'deu'],
  ['pt-br', 'por'],
  ['gsw-ch', 'gsw'],
  ['xx', undefined],
  [undefined, undefined],
])('the language %s is %s', (tag, code) => expect(threeLetterCode(tag)).toBe(code));

it('the index has places beyond two gigabytes', async () => {
  const saved = [{ saver: 'warc', file: 'archive/1.warc.gz', offset: 5_000_000_000, length: 3_000_000_000 }];
  const { rows } = await written(urlIndex('lab', each([recordOf('http://a.test/', { saved })])));
  expect(rows[0]).toMatchObject({ warc_record_offset: 5_000_000_000n, warc_record_length: 3_000_000_000n });
});
