import { mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type PageRecord, systemClock, type Url } from '@webfarer/protocol';
import { type Capture, openSavers, sha1Digest } from '@webfarer/worker';
import { openArchive } from '@webfarer/worker/archive';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sampleRecord } from '../view/snapshot.fixture.ts';
import { type WaczOptions, writeWacz } from './wacz.ts';
import { validateWacz } from './wacz-validate.ts';
import { ZipFile } from './zip-file.ts';
import { ZipReader } from './zip-reader.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webfarer-wacz-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function capture(url: string, text: string): Capture {
  const body = Buffer.from(text);
  return {
    entry: { url: url as Url, kind: 'page', depth: 0, cost: 0, hops: 0, attempt: 0 },
    mime: 'text/html',
    decoded: body,
    digest: sha1Digest(body),
    page: {
      url: url as Url,
      status: 200,
      statusText: 'OK',
      headers: [['Content-Type', 'text/html']],
      requestHead: 'GET / HTTP/1.1\r\nHost: a.test\r\n\r\n',
      body,
      unread: false,
      startedAtMs: Date.UTC(2025, 0, 1),
      durationMs: 1,
    },
  };
}

/** A crawl folder with these captures, and their records. */
async function crawl(captures: Capture[], into = folder): Promise<PageRecord[]> {
  const [saver] = await openSavers([{ kind: 'warc', rotateBytes: 1e9, dedupe: true, at: 'worker' }], {
    folder: into,
    name: into === folder ? 'x' : 'y',
    clock: systemClock(),
    software: 'webfarer/test',
    baseFolder: folder,
  });
  const records: PageRecord[] = [];
  for (const one of captures) {
    const at = await saver?.save(one);
    records.push(
      sampleRecord({
        url: one.entry.url,
        status: 200,
        mime: one.mime,
        digest: one.digest,
        startedAtMs: one.page.startedAtMs,
        title: 'A page',
        depth: 0,
        ...(at && { saved: [at] }),
      }),
    );
  }
  await saver?.stop();
  return records;
}

async function* each<T>(values: T[]): AsyncGenerator<T> {
  yield* values;
}

async function pack(records: PageRecord[]): Promise<string> {
  await write([{ folder, archive: openArchive(folder), records: () => each(records) }]);
  return join(folder, 'out.wacz');
}

function write(sources: WaczOptions['sources']) {
  return writeWacz({
    sources,
    file: join(folder, 'out.wacz'),
    title: 'x',
    software: 'webfarer/test',
    nowMs: Date.UTC(2025, 0, 1),
  });
}

const long = 'words '.repeat(1_000);

describe('wacz', () => {
  it('packs archive, indexes, pages and digests', async () => {
    const many = Array.from({ length: 1_200 }, (_, i) => capture(`http://a.test/${i}`, `page ${i}`));
    const records = await crawl([
      ...many,
      capture('http://b.test/1', long),
      capture('http://b.test/2', long),
    ]);
    const file = await pack(records);
    const check = await validateWacz(file);
    expect(check).toEqual({ ok: true, entries: 6, captures: 1_202, pages: 1_202, problems: [] });
    expect((await readdir(folder)).toSorted()).toEqual(['archive', 'out.wacz']);
    const zip = await ZipReader.open(file);
    const [warc] = await readdir(join(folder, 'archive'));
    expect(await zip.whole(`archive/${warc}`)).toEqual(await readFile(join(folder, 'archive', warc ?? '')));
    const rows = String(await zip.whole('indexes/index.idx'))
      .trim()
      .split('\n');
    expect(rows).toHaveLength(3);
    expect(rows[0]).toBe('!meta 0 {"format":"cdxj-gzip-1.0","filename":"index.cdx.gz"}');
    expect(String(await zip.whole('pages/pages.jsonl')).split('\n')[1]).toContain(
      '"title":"A page","seed":true',
    );
    await zip.close();
  });

  it('files pages under both keys that readers look for', async () => {
    const records = await crawl([capture('http://a.test/b/', 'one'), capture('http://a.test/', 'two')]);
    const file = await pack(records);
    expect(await validateWacz(file)).toMatchObject({ ok: true, captures: 2, pages: 2 });
    const zip = await ZipReader.open(file);
    const index = gunzipSync((await zip.whole('indexes/index.cdx.gz')) ?? Buffer.alloc(0)).toString();
    expect(index.match(/^\S+/gm)).toEqual(['test,a)/', 'test,a)/b', 'test,a)/b/']);
    await zip.close();
  });

  it('packs the earlier crawls too where a recrawl left bodies out', async () => {
    const first = await crawl([capture('http://a.test/1', 'one')]);
    const again = join(folder, 'again');
    const before = { url: 'http://a.test/1' as Url, startedAtMs: Date.UTC(2025, 0, 1) };
    const unchanged = {
      ...capture('http://a.test/1', 'one'),
      previous: { ...before, digest: sha1Digest(Buffer.from('one')) },
    };
    unchanged.page.startedAtMs += 60_000;
    const second = await crawl([unchanged], again);
    const newest = { folder: again, archive: openArchive(again), records: () => each(second) };
    const oldest = { folder, archive: openArchive(folder), records: () => each(first) };
    expect(await write([newest])).toMatchObject({ crawls: 1, captures: 1, elsewhere: 1 });
    expect(await write([newest, oldest])).toMatchObject({ crawls: 2, captures: 2, pages: 1, elsewhere: 0 });
    expect((await validateWacz(join(folder, 'out.wacz'))).problems).toEqual([]);
    expect(await write([oldest, newest])).toMatchObject({ crawls: 1, captures: 1, elsewhere: 0 });
  });

  it('takes the whole records of a file that a crash left open', async () => {
    const records = await crawl([capture('http://a.test/1', 'one')]);
    const [warc = ''] = await readdir(join(folder, 'archive'));
    const bytes = await readFile(join(folder, 'archive', warc));
    await rm(join(folder, 'archive', warc));
    await writeFile(join(folder, 'archive', `${warc}.open`), Buffer.concat([bytes, bytes.subarray(0, 99)]));
    const file = await pack(records);
    expect((await validateWacz(file)).problems).toEqual([]);
    const zip = await ZipReader.open(file);
    expect(await zip.whole(`archive/${warc}`)).toEqual(bytes);
    await zip.close();
  });

  it('leaves nothing behind when it fails', async () => {
    await expect(pack([])).rejects.toThrow('no WARC file');
    await mkdir(join(folder, 'archive'));
    await writeFile(join(folder, 'archive', 'x.warc.gz'), 'x');
    async function* gone(): AsyncGenerator<PageRecord> {
      yield* [];
      throw new Error('gone');
    }
    const broken = write([{ folder, archive: openArchive(folder), records: gone }]);
    await expect(broken).rejects.toThrow('gone');
    expect(await readdir(folder)).toEqual(['archive']);
  });

  it('notices any changed byte, a cut and a wrong index', async () => {
    const records = await crawl([capture('http://a.test/1', 'one'), capture('http://a.test/2', 'two')]);
    const file = await pack(records);
    const bytes = await readFile(file);
    const other = join(folder, 'other.wacz');
    const zip = await ZipReader.open(file);
    for (const { name, start, bytes: length } of zip.entries.values()) {
      const changed = Buffer.from(bytes);
      changed.writeUInt8(changed.readUInt8(start + (length >> 1)) ^ 1, start + (length >> 1));
      await writeFile(other, changed);
      expect([name, (await validateWacz(other)).ok]).toEqual([name, false]);
    }
    await zip.close();
    for (const cut of [0, 10, bytes.length >> 1, bytes.length - 1]) {
      await writeFile(other, bytes);
      await truncate(other, cut);
      expect((await validateWacz(other)).ok).toBe(false);
    }
    const [first, second] = records;
    const swapped = [
      { ...first, saved: second?.saved },
      { ...second, saved: first?.saved },
    ] as PageRecord[];
    expect((await validateWacz(await pack(swapped))).problems).toContain(
      'the index points to another record: http://a.test/1',
    );
    expect((await validateWacz(await pack([sampleRecord({ url: 'http://c.test/' as Url })]))).ok).toBe(true);
  });
});

describe('zip', () => {
  it('writes and reads both forms', async () => {
    for (const zip64From of [undefined, 0, 40]) {
      const path = join(folder, 'a.zip');
      const zip = await ZipFile.create(path, {
        dateMs: Date.UTC(2025, 4, 6),
        ...(zip64From !== undefined && { zip64From }),
      });
      for (const [name, text] of contents)
        await zip.add({ name, bytes: Buffer.byteLength(text), pieces: [Buffer.from(text)] });
      expect(await zip.finish()).toBe((await readFile(path)).length);
      const reader = await ZipReader.open(path);
      expect([...reader.entries.keys()]).toEqual(contents.map(([name]) => name));
      for (const [name, text] of contents) expect(String(await reader.whole(name))).toBe(text);
      await reader.close();
    }
  });

  it('refuses contents of another length', async () => {
    const zip = await ZipFile.create(join(folder, 'a.zip'), { dateMs: 0 });
    for (const bytes of [2, 4]) {
      await expect(zip.add({ name: 'a', bytes, pieces: [Buffer.from('abc')] })).rejects.toThrow('is not');
    }
    await zip.abandon();
    expect(await readdir(folder)).toEqual([]);
  });
});

const contents: [string, string][] = [
  ['a/first.txt', 'hello'],
  ['empty', ''],
  ['a/té.txt', 'x'.repeat(100)],
];
