import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { filesIn, openFile } from './archive-files.ts';
import { rangeIn } from './archive-range.ts';

let folder: string;
beforeEach(() => {
  const home = mkdtempSync(join(tmpdir(), 'webfarer-files-'));
  folder = join(home, 'crawl');
  mkdirSync(join(folder, 'archive', '.names'), { recursive: true });
  mkdirSync(join(folder, 'files', 'a.test'), { recursive: true });
  mkdirSync(join(folder, 'markdown'));
  writeFileSync(join(folder, 'markdown', 'a.md'), '# A');
  for (const name of ['crawl.json', 'crawl.db', 'operator.token', 'results.jsonl', 'report.html'])
    writeFileSync(join(folder, name), name);
  writeFileSync(join(folder, 'archive', 'one.warc.gz'), '0123456789');
  writeFileSync(join(folder, 'archive', '.names', 'x'), 'x');
  writeFileSync(join(folder, 'files', 'a.test', 'index.html'), '<p>');
  writeFileSync(join(home, 'outside'), 'secret');
  symlinkSync(join(home, 'outside'), join(folder, 'archive', 'link'));
  symlinkSync(home, join(folder, 'files', 'up'));
});
afterEach(() => rmSync(join(folder, '..'), { recursive: true }));

it('lists what a crawl wrote for people, and nothing else', async () => {
  expect((await filesIn(folder)).map(({ path, bytes }) => `${path} ${bytes}`)).toEqual([
    'archive/one.warc.gz 10',
    'files/a.test/index.html 3',
    'markdown/a.md 3',
    'report.html 11',
    'results.jsonl 13',
  ]);
  expect(await filesIn(join(folder, 'nowhere'))).toEqual([]);
});

it.each([
  'crawl.json',
  'crawl.db',
  'operator.token',
  'archive',
  'archive/',
  'archive/.names/x',
  '../outside',
  'archive/../../outside',
  'archive/../crawl.db',
  'archive/./one.warc.gz',
  'archive//one.warc.gz',
  '/etc/passwd',
  'archive\\..\\crawl.db',
  'archive/one.warc.gz\0',
  'archive/%2e%2e/crawl.db',
])('does not open %j', async (path) => {
  await expect(openFile(folder, path)).rejects.toMatchObject({ code: 'not-found' });
});

it('follows no link to a file', async () => {
  await expect(openFile(folder, 'archive/link')).rejects.toMatchObject({ code: 'not-found' });
});

it('follows no link to a folder', async () => {
  for (const path of ['files/up/outside', 'files/up/crawl/archive/one.warc.gz'])
    await expect(openFile(folder, path)).rejects.toMatchObject({ code: 'not-found' });
});

it('reads a file, or a part of it', async () => {
  const text = async (first: number, last: number) => {
    const file = await openFile(folder, 'archive/one.warc.gz');
    expect(file.bytes).toBe(10);
    let all = '';
    for await (const piece of file.read(first, last)) all += Buffer.from(piece).toString();
    return all;
  };
  expect(await text(0, 9)).toBe('0123456789');
  expect(await text(3, 5)).toBe('345');
});

it('opens a file that is still being written to by the name that records have for it', async () => {
  const bytesOf = async (path: string) => {
    const file = await openFile(folder, path).catch(() => undefined);
    await file?.close();
    return file?.bytes;
  };
  writeFileSync(join(folder, 'archive', 'two.warc.gz.open'), '01234');
  expect(await bytesOf('archive/two.warc.gz')).toBe(5);
  // The complete file comes first.
  writeFileSync(join(folder, 'archive', 'two.warc.gz'), '0123456789');
  expect(await bytesOf('archive/two.warc.gz')).toBe(10);
  symlinkSync(join(folder, '..', 'outside'), join(folder, 'archive', 'three.warc.gz.open'));
  expect(await bytesOf('archive/three.warc.gz')).toBeUndefined();
});

it.each([
  [undefined, undefined],
  ['bytes=0-3', { first: 0, last: 3 }],
  ['bytes=4-', { first: 4, last: 9 }],
  ['bytes=-3', { first: 7, last: 9 }],
  ['bytes=-30', { first: 0, last: 9 }],
  ['bytes=5-99', { first: 5, last: 9 }],
  ['bytes=10-', 'unsatisfiable'],
  ['bytes=-0', 'unsatisfiable'],
  ['bytes=5-3', undefined],
  ['bytes=0-1,4-5', undefined],
  ['bytes=-', undefined],
  ['lines=1-2', undefined],
])('understands the range %j', (header, range) => {
  expect(rangeIn(header, 10)).toEqual(range);
});
