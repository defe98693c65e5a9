import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { each, recordOf, unanswered } from '../records.fixture.ts';
import { CountTable } from './count-table.ts';
import { overlapTable } from './overlap.ts';
import { writeStatFiles } from './stat-files.ts';
import { type StatTable, statTables } from './stat-tables.ts';
import { gatherStatistics } from './statistics.ts';
import { Timeline } from './timeline.ts';

const records = [
  recordOf('https://www.example.org/', {
    charset: 'UTF-8',
    language: 'de-at',
    server: 'nginx/1.18.0 (Ubuntu)',
    tls: 'TLSv1.3',
    digest: 'sha1:A',
    firstByteMs: 40,
  }),
  recordOf('https://shop.example.org/x', { mimeDetected: 'application/pdf', digest: 'sha1:A', depth: 2 }),
  recordOf('http://museum.example.co.uk/gone', { status: 404, reason: 'http-4xx', digest: 'sha1:B' }),
  recordOf('http://192.0.2.7/', { status: 301, reason: 'redirect', bytes: 0 }),
  unanswered('https://dead.test/', { verdict: 'failed', reason: 'timeout' }),
  unanswered('https://www.example.org/private', { verdict: 'refused', reason: 'robots' }),
];

const table = (tables: StatTable[], id: string) => tables.find((one) => one.id === id);
const keys = (tables: StatTable[], id: string) =>
  table(tables, id)?.rows.map(([key, urls, pages]) => [key, urls, pages]);

describe('statistics', () => {
  it('divides a crawl by every category', async () => {
    const tables = statTables(await gatherStatistics(each(records)));
    expect(
      Object.fromEntries(table(tables, 'totals')?.rows.map(([name, n]) => [name, n]) ?? []),
    ).toMatchObject({
      urls: 6,
      pages: 2,
      answers: 4,
      hosts: 5,
      sites: 4,
      tlds: 4,
      contents: 1,
      duplicates: 1,
      bytes: 30_000,
      first_request: '2025-01-02T03:04:05.000Z',
    });
    expect(keys(tables, 'status')).toEqual([
      ['200', 2, 2],
      ['301', 1, 0],
      ['404', 1, 0],
    ]);
    expect(keys(tables, 'mime-served')).toEqual([['text/html', 4, 2]]);
    expect(keys(tables, 'mime-detected')).toEqual([
      ['text/html', 3, 1],
      ['application/pdf', 1, 1],
    ]);
    expect(keys(tables, 'sites')?.[0]).toEqual(['example.org', 3, 2]);
    expect(keys(tables, 'tlds')).toEqual([
      ['org', 3, 2],
      ['(address)', 1, 0],
      ['test', 1, 0],
      ['uk', 1, 0],
    ]);
    expect(keys(tables, 'servers')).toEqual([['nginx', 1, 1]]);
    expect(keys(tables, 'server-versions')).toEqual([['nginx/1.18.0 (Ubuntu)', 1, 1]]);
    expect(keys(tables, 'tls')).toEqual([
      ['none', 2, 0],
      ['TLSv1.3', 1, 1],
      ['unknown', 1, 1],
    ]);
    expect(keys(tables, 'charset')).toEqual([['utf-8', 1, 1]]);
    expect(keys(tables, 'languages')).toEqual([['de-at', 1, 1]]);
    expect(keys(tables, 'outcomes')).toHaveLength(5);
    expect(table(tables, 'sizes')?.rows.at(-1)).toEqual([3_000, 10_000, 3]);
    expect(table(tables, 'timeline')?.rows.map((row) => row.slice(2))).toEqual([[2, 1, 1, 0, 1, 1, 30_000]]);
  });

  it('counts what no longer fits, and says so', () => {
    const counts = new CountTable(2);
    for (const key of ['a', 'b', 'c', 'a', 'd']) counts.add(key, true, 10);
    expect(counts.sorted().map((row) => [row.key, row.urls])).toEqual([
      ['a', 2],
      ['b', 1],
    ]);
    expect(counts.rest).toMatchObject({ urls: 2, pages: 2, bytes: 20 });
  });

  it('keeps every sum when the stretches of time become coarser, in any order', () => {
    const line = new Timeline(2, 10);
    for (let i = 999; i >= 0; i--) line.add(i * 1_000, i % 2, 3);
    const moments = line.moments();
    expect(moments.length).toBeLessThanOrEqual(10);
    expect(moments.map((m) => m.atMs)).toEqual(moments.map((_, i) => i * line.widthMs));
    const sum = (kind: number) => moments.reduce((all, { counts }) => all + (counts[kind] ?? 0), 0);
    expect([sum(0), sum(1)]).toEqual([1_500, 1_500]);
  });

  it('finds what two crawls share', async () => {
    const a = await gatherStatistics(each(records));
    const b = await gatherStatistics(
      each([records[0] as never, recordOf('https://new.test/', { digest: 'sha1:C' })]),
    );
    const { rows, note } = overlapTable(a, b);
    expect(rows[0]).toEqual(['urls', 6, 2, 1, 7, 0.1429]);
    expect(rows[1]).toEqual(['contents', 1, 2, 1, 2, 0.5]);
    expect(note).toBeUndefined();
  });

  it('writes one CSV file for each table; no name of a server becomes a formula', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'webfarer-stats-'));
    const hostile = [recordOf('https://example.org/', { server: '=cmd|"x"!A1' })];
    const names = await writeStatFiles(
      statTables(await gatherStatistics(each(hostile))),
      join(folder, 'csv'),
    );
    expect((await readdir(join(folder, 'csv'))).sort()).toEqual(names.sort());
    expect(await readFile(join(folder, 'csv', 'server-versions.csv'), 'utf8')).toBe(
      'server,urls,pages,bytes\r\n"\'=cmd|""x""!A1",1,1,10000\r\n',
    );
    await rm(folder, { recursive: true });
  });
});
