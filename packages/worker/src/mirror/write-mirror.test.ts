import { openArchive } from '../archive/open-archive.ts';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import * as sqlite from 'node:sqlite';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { PageRecord, Url } from '@webfarer/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { watchSyncs } from '../../../../test/durable/watch-syncs.ts';
import { writeMirror } from './write-mirror.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-mirror-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

interface Given extends Partial<Omit<PageRecord, 'url'>> {
  url: string;
  body?: string | Buffer;
}

/** A crawl folder with these bodies as the files saver keeps them. */
function recordOf({ url, body, ...more }: Given, n: number): PageRecord {
  const file = `files/${n}`;
  if (body !== undefined) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), body);
  }
  return {
    url: url as Url,
    verdict: 'done',
    reason: 'ok',
    kind: 'page',
    depth: n === 0 ? 0 : 1,
    attempts: 1,
    status: 200,
    mime: 'text/html',
    bytes: 0,
    startedAtMs: 0,
    durationMs: 0,
    links: 0,
    items: 0,
    ...(body === undefined ? {} : { saved: [{ saver: 'files', file }] }),
    ...more,
  };
}

async function* each<T>(values: readonly T[]) {
  yield* values;
}

const job = { name: 'lab', normalise: { enabled: true, sort: true, strip: ['sid'] } };

async function mirror(given: readonly Given[], to?: string) {
  const records = given.map(recordOf);
  return await writeMirror({
    sources: [{ folder, archive: openArchive(folder), records: () => each(records) }],
    to,
    job,
    sqlite,
  });
}

const read = (path: string) => readFileSync(join(folder, 'mirror', path), 'utf8');
const names = () =>
  readdirSync(join(folder, 'mirror'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + '/mirror/'.length))
    .toSorted();

describe('a mirror', () => {
  it('links what it has, also what was fetched later, and else the live site', async () => {
    await mirror([
      { url: 'http://a.test/', body: '<a href="/b?sid=1#part"><a href="/old"><a href="/missing#x">' },
      { url: 'http://a.test/old', status: 301, reason: 'redirect', redirectTo: 'http://a.test/older' as Url },
      { url: 'http://a.test/older', status: 301, reason: 'redirect', redirectTo: 'http://a.test/b' as Url },
      { url: 'http://a.test/b', body: '<a href="/">' },
      { url: 'http://a.test/gone', status: 404, reason: 'http-4xx', body: 'gone' },
    ]);
    expect(read('a.test/index.html')).toBe(
      '<a href="b.html#part"><a href="b.html"><a href="http://a.test/missing#x">',
    );
    expect(read('a.test/b.html')).toBe('<a href="index.html">');
    expect(names()).toEqual(['a.test/b.html', 'a.test/index.html', 'index.html']);
    expect(read('index.html')).toContain('url=a.test/index.html');
  });

  it('gives the same names whatever was fetched first, none of which clash on any system', async () => {
    const given = [
      '/A',
      '/a',
      '/a.html',
      '/a?b',
      '/con',
      '/%C3%A9',
      '/e%CC%81',
      '/a.html/b',
      '/Docs/x',
      '/docs/y',
    ].map((path) => ({
      url: `http://a.test${path}`,
      body: path,
    }));
    await mirror(given);
    const first = new Map(names().map((name) => [name, read(name)]));
    expect(new Set([...first.keys()].map((name) => name.normalize('NFC').toLowerCase())).size).toBe(11);
    expect(first.has('a.test/Docs/y.html')).toBe(true);
    rmSync(join(folder, 'mirror'), { recursive: true });
    await mirror(given.toReversed());
    expect(
      names()
        .filter((name) => name !== 'index.html')
        .map((name) => [name, read(name)]),
    ).toEqual([...first].filter(([name]) => name !== 'index.html'));
  });

  it('reads and writes texts in any encoding', async () => {
    const page = Buffer.from(
      '<meta charset=windows-1251><p>\xcf\xf0\xe8\xe2\xe5\xf2<a href=/\xef>',
      'latin1',
    );
    await mirror([{ url: 'http://a.test/', body: page, charset: 'windows-1251' }]);
    expect(read('a.test/index.html')).toContain('\ufeff<meta charset=windows-1251><p>Привет');
  });

  it('finds what a page asks for in its own encoding', async () => {
    const page = Buffer.from('<meta charset=windows-1251><a href="/?q=\xef">', 'latin1');
    const to = { url: 'http://a.test/?q=%EF', body: Buffer.from('found') };
    await mirror([{ url: 'http://a.test/', body: page, charset: 'windows-1251' }, to]);
    expect(read('a.test/index.html')).not.toContain('http://a.test');
  });

  it('writes again only what has changed', async () => {
    const two = [
      { url: 'http://a.test/', body: '<img src=i.png><a href=/new>' },
      { url: 'http://a.test/i.png', body: 'png', mime: 'image/png' },
    ];
    expect(await mirror(two)).toMatchObject({ files: 3, written: 3 });
    expect(await mirror(two)).toMatchObject({ files: 3, written: 0 });
    rmSync(join(folder, 'mirror/a.test/i.png'));
    expect(await mirror(two)).toMatchObject({ written: 1 });
    // The page leads to a new one now; the image is as it was.
    expect(await mirror([...two, { url: 'http://a.test/new', body: '' }])).toMatchObject({
      files: 4,
      written: 2,
    });
    expect(read('a.test/index.html')).toContain('href="new.html"');
    await mirror(two);
    expect(names()).toEqual(['a.test/i.png', 'a.test/index.html', 'index.html']);
  });

  it('has the names of its files on the disk when it is written', async () => {
    const synced = await watchSyncs();
    await mirror([{ url: 'http://a.test/docs/', body: 'docs' }]);
    expect(synced.map(({ path }) => path)).toContain(
      dirname(join(folder, 'mirror', names().find((name) => name.includes('docs')) ?? '')),
    );
  });

  it('leaves a folder alone that has other files', async () => {
    const to = join(folder, 'mine');
    mkdirSync(to);
    writeFileSync(join(to, 'letter.txt'), 'x');
    await expect(mirror([{ url: 'http://a.test/', body: '' }], to)).rejects.toThrow('not empty');
    rmSync(join(to, 'letter.txt'));
    expect(await mirror([{ url: 'http://a.test/', body: '' }], to)).toMatchObject({ to, files: 2 });
    expect(readdirSync(to).toSorted()).toEqual([
      expect.stringMatching(/^\.webfarer-/),
      'a.test',
      'index.html',
    ]);
    const other = { ...job, name: 'other' };
    await expect(
      writeMirror({
        sources: [{ folder, archive: openArchive(folder), records: () => each([]) }],
        to,
        job: other,
        sqlite,
      }),
    ).rejects.toThrow('not a mirror of this job');
  });

  it('rewrites style sheets and web app manifests', async () => {
    await mirror([
      { url: 'http://a.test/s/x.css', mime: 'text/css', body: 'a{b:url(../i.png)} @import url("y.css");' },
      { url: 'http://a.test/i.png', mime: 'image/png', body: 'png' },
      {
        url: 'http://a.test/app.webmanifest',
        mime: 'application/manifest+json',
        body: '{"icons":[{"src":"/i.png"}],"start_url":"/"}',
      },
    ]);
    expect(read('a.test/s/x.css')).toBe('a{b:url("../i.png")} @import url("http://a.test/s/y.css");');
    expect(JSON.parse(read('a.test/app.webmanifest'))).toEqual({
      icons: [{ src: 'i.png' }],
      start_url: 'http://a.test/',
    });
  });
});
