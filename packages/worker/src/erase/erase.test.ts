import { execFileSync } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { type SavedAt, systemClock, type Url } from '@webfarer/protocol';
import { hostMatch } from '@webfarer/protocol/url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WARCParser } from 'warcio';
import { openArchive } from '../archive/open-archive.ts';
import { packings } from '../archive/tar/packings.ts';
import { wholeMembersEnd } from '../archive/bytes/gzip-tail.ts';
import { type CaptureParts, captureOf } from '../save/capture.fixture.ts';
import { tarSaver } from '../save/tar/tar-saver.ts';
import { warcSaver } from '../save/warc/warc-saver.ts';
import { eraseArchive, removeFiles } from './erase-archive.ts';
import { exactMember } from './exact-member.ts';
import { keepShared } from './keep-shared.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webfarer-erase-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const match = hostMatch('gone.test');
const nowMs = Date.UTC(2026, 0, 1);
const clock = systemClock();

async function saveWarc(captures: (CaptureParts & { via?: string })[]): Promise<SavedAt[]> {
  const saver = warcSaver({ folder, name: 'x', clock, software: 'webfarer/test' });
  await saver.start();
  const saved: SavedAt[] = [];
  for (const { via, ...parts } of captures) {
    const capture = captureOf(parts);
    if (via !== undefined) capture.entry.referrer = via as Url;
    saved.push((await saver.save(capture)) as SavedAt);
  }
  await saver.stop();
  return saved;
}

/** By other programs than ours, which read all of it. */
function unpacked(name: string, bytes: Buffer): Buffer {
  if (name.endsWith('.gz')) return gunzipSync(bytes);
  const program = name.endsWith('.bz2') ? 'bzip2' : name.endsWith('.zst') ? 'zstd' : undefined;
  if (program === undefined) return bytes;
  return execFileSync(program, ['-dc', join(folder, 'archive', name)], { maxBuffer: 1e8 });
}

async function plainBytes(): Promise<string> {
  const names = (await readdir(join(folder, 'archive'))).filter((name) => !name.startsWith('.'));
  const all = await Promise.all(names.map((name) => readFile(join(folder, 'archive', name))));
  return all.map((bytes, n) => unpacked(names[n] ?? '', bytes).toString('latin1')).join('');
}

async function bodyOf(at: SavedAt): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of openArchive(folder).read(at, 'body')) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

describe('exact members', () => {
  const head = (zeros: number, salt: string) => Buffer.from(`head ${zeros} ${salt}\n`);
  it('have any length that has room for their content', () => {
    for (const unit of [1, 512])
      for (let length = 100; length < 3_000; length += unit === 1 ? 3 : 97) {
        const pieces = exactMember({ head, end: Buffer.from('end'), unit }, length) ?? [];
        const bytes = Buffer.concat(
          pieces.map((piece) => (Buffer.isBuffer(piece) ? piece : Buffer.alloc(piece.zeros))),
        );
        expect(bytes.length).toBe(length);
        const zeros = pieces.reduce((sum, piece) => sum + (Buffer.isBuffer(piece) ? 0 : piece.zeros), 0);
        const plain = gunzipSync(bytes).toString('latin1');
        expect(plain.startsWith(`head ${zeros} `) && plain.endsWith(`${'\0'.repeat(zeros)}end`)).toBe(true);
      }
    expect(exactMember({ head, end: Buffer.from('end'), unit: 1 }, 30)).toBeUndefined();
  });
});

describe('erasing in WARC files', () => {
  it('leaves no byte of the host, and every other record in its place', async () => {
    const saved = await saveWarc([
      { url: 'http://a.test/1', body: 'first', via: 'http://gone.test/found-it' },
      { url: 'http://gone.test/secret', body: 'a secret' },
      { url: 'http://gone.test/large', body: 'LARGE '.repeat(40_000), mime: 'image/png' },
      { url: 'http://www.gone.test/', body: 'another host' },
      { url: 'http://a.test/2', body: 'second' },
      { url: 'http://gone.test/last', body: 'a secret at the end' },
    ]);
    const [file] = await openArchive(folder).files();
    const before = await stat(file?.path ?? '');
    expect(await eraseArchive(folder, { match, nowMs })).toMatchObject({ captures: 3, files: 1, left: [] });
    const after = await stat(file?.path ?? '');
    expect(after.size).toBe(before.size);
    const plain = await plainBytes();
    for (const word of ['secret', 'LARGE', 'found-it']) expect(plain).not.toContain(word);
    expect(plain.replaceAll('www.gone.test', '')).not.toContain('gone.test');
    for (const n of [0, 3, 4]) expect(await bodyOf(saved[n] as SavedAt)).toMatch(/first|another|second/);
    if (file) expect(await openArchive(folder).validate(file)).toMatchObject({ ok: true, problems: [] });
    expect(await wholeMembersEnd(file?.path ?? '')).toBe(after.size);
    const urls: unknown[] = [];
    for await (const record of new WARCParser(createReadStream(file?.path ?? '')))
      if (record.warcType === 'response') urls.push(record.warcTargetURI);
    expect(urls).toEqual(['http://a.test/1', 'http://www.gone.test/', 'http://a.test/2']);
    expect(await eraseArchive(folder, { match, nowMs })).toMatchObject({ captures: 0 });
  });

  it('keeps bodies that other hosts have served as well', async () => {
    const shared = 'shared body '.repeat(400);
    const saved = await saveWarc([
      { url: 'http://gone.test/lib.js', body: shared },
      { url: 'http://b.test/lib.js', body: shared, startedAtMs: Date.UTC(2025, 0, 3) },
      { url: 'http://c.test/lib.js', body: shared, startedAtMs: Date.UTC(2025, 0, 4) },
      { url: 'http://c.test/other', body: 'other' },
    ]);
    expect(saved[1]?.revisit?.url).toBe('http://gone.test/lib.js');
    const files = await openArchive(folder).files();
    const moved = await keepShared({ folder, files, match, clock, name: 'x', software: 'webfarer/test' });
    expect(moved.map(({ url, refersTo }) => [url, refersTo?.url])).toEqual([
      ['http://b.test/lib.js', undefined],
      ['http://c.test/lib.js', 'http://b.test/lib.js'],
    ]);
    expect(moved[0]?.from).toEqual({ file: saved[1]?.file, offset: saved[1]?.offset });
    await eraseArchive(folder, { match, nowMs });
    expect(await plainBytes()).not.toContain('gone.test');
    const to = moved[0]?.to;
    if (to) expect(await bodyOf({ saver: 'warc', ...to })).toBe(shared);
    expect(await bodyOf(saved[3] as SavedAt)).toBe('other');
    for (const file of await openArchive(folder).files())
      expect(await openArchive(folder).validate(file)).toMatchObject({ ok: true, problems: [] });
    const again = {
      folder,
      files: await openArchive(folder).files(),
      match,
      clock,
      name: 'x',
      software: 's',
    };
    expect(await keepShared(again)).toEqual([]);
  });

  it('counts without changing anything', async () => {
    await saveWarc([{ url: 'http://gone.test/', body: 'a secret' }]);
    const before = await plainBytes();
    expect(await eraseArchive(folder, { match, nowMs, dryRun: true })).toMatchObject({ captures: 1 });
    expect(await plainBytes()).toBe(before);
  });

  it('names a file that is not complete', async () => {
    await saveWarc([{ url: 'http://gone.test/', body: 'a secret' }]);
    await writeFile(join(folder, 'archive', 'y.warc.gz.open'), '');
    expect(await eraseArchive(folder, { match, nowMs })).toMatchObject({ left: ['archive/y.warc.gz'] });
  });
});

describe.each(['none', 'gz', 'bz2', 'zst'] as const)(
  'erasing in tar archives, compressed: %s',
  (compress) => {
    it('leaves the other files to every reader', async () => {
      const saver = tarSaver({
        folder,
        name: 'x',
        template: '{host}/{path}',
        compress,
        clock,
      });
      await saver.start();
      const saved: SavedAt[] = [];
      for (const [url, body] of [
        ['http://a.test/1', 'first'],
        ['http://gone.test/2', 'a secret'],
        ['http://gone.test/3', 'SECRET '.repeat(50_000)],
        ['http://a.test/4', 'fourth'],
      ] as const)
        saved.push((await saver.save(captureOf({ url, body }))) as SavedAt);
      await saver.stop();
      const [file] = await openArchive(folder).files();
      expect(await eraseArchive(folder, { match, nowMs })).toMatchObject({ captures: 2, left: [] });
      expect(await plainBytes()).not.toMatch(/secret|gone\.test/i);
      expect(await bodyOf(saved[3] as SavedAt)).toBe('fourth');
      if (file) expect(await openArchive(folder).validate(file)).toMatchObject({ ok: true, records: 2 });
      // After a crash a file is cut where its last whole entry ends.
      const { size } = await stat(file?.path ?? '');
      expect(await packings[compress].wholeEnd(file?.path ?? '')).toBeGreaterThanOrEqual(
        compress === 'none' ? size - 1_024 : size,
      );
      const listed = execFileSync('tar', ['-tf', file?.path ?? ''], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      expect(listed.trim().split('\n')).toEqual(['a.test/1.html', 'a.test/4.html']);
    });
  },
);

describe('removing files', () => {
  it('removes folders that are empty then, and nothing outside the crawl folder', async () => {
    const outside = await mkdtemp(join(tmpdir(), 'webfarer-outside-'));
    try {
      await writeFile(join(outside, 'x'), '');
      const saver = tarSaver({ folder, name: 'x', template: '{host}/{path}', compress: 'none', clock });
      await saver.start();
      await saver.stop();
      expect(
        await removeFiles(folder, [`../${outside.slice(outside.lastIndexOf('/') + 1)}/x`, 'files/none']),
      ).toBe(0);
      expect(await readdir(outside)).toEqual(['x']);
    } finally {
      await rm(outside, { recursive: true });
    }
  });
});
