import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PageRecord, Url } from '@webfarer/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cdxjLines, writeCdxj } from './cdxj.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webfarer-cdxj-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function record(url: string, offset = 0): PageRecord {
  return {
    url: url as Url,
    verdict: 'done',
    reason: 'ok',
    kind: 'page',
    depth: 0,
    attempts: 1,
    status: 200,
    mime: 'text/html',
    bytes: 10,
    startedAtMs: Date.UTC(2025, 0, 2, 3, 4, 5),
    durationMs: 1,
    digest: 'sha1:AAAA',
    saved: [
      { saver: 'files', file: 'files/a.html' },
      { saver: 'warc', file: 'archive/x-1.warc.gz', offset, length: 5 },
    ],
    links: 0,
    items: 0,
  };
}

async function* each<T>(values: T[]) {
  yield* values;
}

describe('cdxj', () => {
  it('writes a line that replay tools know', () => {
    expect(cdxjLines(record('https://www.example.org/b?z=1&a=2', 7))).toEqual([
      'org,example)/b?a=2&z=1 20250102030405 {"url":"https://www.example.org/b?z=1&a=2","mime":"text/html",' +
        '"status":"200","digest":"sha1:AAAA","length":"5","offset":"7","filename":"x-1.warc.gz"}',
    ]);
    const { saved: _, ...unsaved } = record('http://a.test/');
    expect(cdxjLines(unsaved)).toEqual([]);
  });

  it('lists a revisit with the capture it refers to, once', async () => {
    const first = record('http://a.test/first', 10);
    const again: PageRecord = {
      ...record('http://a.test/again'),
      saved: [
        {
          saver: 'warc',
          file: 'archive/x-2.warc.gz',
          offset: 99,
          length: 7,
          revisit: {
            url: first.url,
            startedAtMs: first.startedAtMs,
            digest: 'sha1:AAAA',
            original: {
              file: 'archive/x-1.warc.gz',
              offset: 10,
              length: 5,
              status: 200,
              mime: 'text/html',
            },
          },
        },
      ],
    };
    const file = join(folder, 'index.cdxj');
    expect(await writeCdxj(each([again]), file)).toEqual({ lines: 2 });
    const orphaned = await readFile(file, 'latin1');
    expect(await writeCdxj(each([again, first]), file)).toEqual({ lines: 2 });
    expect(await readFile(file, 'latin1')).toBe(orphaned);
    expect(orphaned).toContain('"mime":"warc/revisit","status":"200","digest":"sha1:AAAA","length":"7"');
    expect(orphaned).toContain(cdxjLines(first)[0]);
  });

  it('names an unchanged page by the digest of what is unchanged', () => {
    const at = { saver: 'warc', file: 'archive/x-1.warc.gz', offset: 1, length: 2 };
    const revisit = { url: 'http://a.test/' as Url, startedAtMs: 0, digest: 'sha1:BBBB' };
    const [line, ...more] = cdxjLines({
      ...record('http://a.test/'),
      status: 304,
      saved: [{ ...at, revisit }],
    });
    expect(more).toEqual([]);
    expect(line).toContain('"mime":"warc/revisit","status":"304","digest":"sha1:BBBB"');
  });

  it('escapes what is not ASCII', () => {
    const [line = ''] = cdxjLines({ ...record('http://a.test/'), mime: 'té\u007fxt/\u2028' });
    expect(line).toMatch(/^[\x20-\x7e]*$/);
    expect(JSON.parse(line.slice(line.indexOf('{'))).mime).toBe('té\u007fxt/\u2028');
  });

  it('sorts in byte order through files, and leaves nothing else behind', async () => {
    const urls = Array.from(
      { length: 1_000 },
      (_, i) => `http://h${(i * 7919) % 97}.test/${(i * 31) % 1000}?${i}`,
    );
    const small = join(folder, 'small.cdxj');
    const large = join(folder, 'large.cdxj');
    expect(
      await writeCdxj(each(urls.map((url) => record(url))), small, { chunkLines: 17, fanIn: 4 }),
    ).toEqual({
      lines: 1_000,
    });
    await writeCdxj(each(urls.map((url) => record(url))), large);
    const text = await readFile(small, 'latin1');
    expect(text).toBe(await readFile(large, 'latin1'));
    expect(text.split('\n')).toHaveLength(1_001);
    expect(execFileSync('sort', [small], { env: { LC_ALL: 'C' }, encoding: 'latin1' })).toBe(text);
    expect((await readdir(folder)).sort()).toEqual(['large.cdxj', 'small.cdxj']);
  });

  it('keeps the old index when the records cannot be read', async () => {
    const file = join(folder, 'index.cdxj');
    await writeCdxj(each([record('http://a.test/')]), file);
    const before = await readFile(file);
    async function* broken() {
      yield record('http://b.test/');
      throw new Error('gone');
    }
    await expect(writeCdxj(broken(), file)).rejects.toThrow('gone');
    expect(await readFile(file)).toEqual(before);
    expect(await readdir(folder)).toEqual(['index.cdxj']);
    await writeCdxj(each([]), file);
    expect(await readFile(file, 'latin1')).toBe('');
  });
});
