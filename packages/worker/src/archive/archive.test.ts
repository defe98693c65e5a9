import { appendFile, mkdtemp, readdir, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Job, type SavedAt, systemClock } from '@webfarer/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { captureOf } from '../save/capture.fixture.ts';
import { openSavers } from '../save/savers/open-savers.ts';
import type { Saver } from '../save/saver.ts';
import type { Archive, CapturePart } from './archive.ts';
import { openArchive } from './open-archive.ts';

let folder: string;
let open: Saver[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webfarer-archive-'));
});
afterEach(async () => {
  await Promise.allSettled(open.map((saver) => saver.stop()));
  open = [];
  await rm(folder, { recursive: true, force: true });
});

const targets: Record<string, Job['save'][number]> = {
  warc: { kind: 'warc', rotateBytes: 1e9, dedupe: true, at: 'worker' } as Job['save'][number],
  files: { kind: 'files', name: '{host}/{path}' },
  tar: { kind: 'tar', name: '{host}/{path}', compress: 'none' },
  'tar.gz': { kind: 'tar', name: '{host}/{path}', compress: 'gz' },
  'tar.bz2': { kind: 'tar', name: '{host}/{path}', compress: 'bz2' },
  'tar.zst': { kind: 'tar', name: '{host}/{path}', compress: 'zst' },
};
const urls = ['http://a.test/', 'http://a.test/two', `http://b.test/${'long/'.repeat(40)}é`];
const bodyOf = (url: string): string => `<p>${url}</p>`.repeat(40);

/** Saves a page for each URL; `finish` completes the files. */
async function saved(kind: string, { finish }: { finish: boolean }): Promise<SavedAt[]> {
  const [saver] = await openSavers([targets[kind] as Job['save'][number]], {
    folder,
    name: 'x',
    clock: systemClock(),
    software: 'webfarer/test',
    baseFolder: folder,
  });
  if (saver) open.push(saver);
  const places: SavedAt[] = [];
  for (const url of urls) {
    const at = await saver?.save(captureOf({ url, body: bodyOf(url) }));
    if (at) places.push(at);
  }
  if (finish) await saver?.stop();
  else await saver?.sync();
  return places;
}

async function text(archive: Archive, at: SavedAt, part: CapturePart = 'body'): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of archive.read(at, part)) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

describe.each(Object.keys(targets))('what %s has saved', (kind) => {
  it('is read back by its place, while it is written and after', async () => {
    for (const finish of [false, true]) {
      const archive = openArchive(folder);
      const places = await saved(kind, { finish });
      for (const [n, at] of places.entries()) {
        expect(await archive.find(at.file)).toMatchObject({ name: at.file });
        expect(await text(archive, at)).toBe(bodyOf(urls[n] ?? ''));
      }
    }
  });

  it('is listed file by file and capture by capture', async () => {
    const places = await saved(kind, { finish: true });
    const archive = openArchive(folder);
    const files = await archive.files();
    expect(new Set(files.map(({ name }) => name))).toEqual(new Set(places.map(({ file }) => file)));
    expect(files.every(({ isOpen }) => !isOpen)).toBe(true);
    const found = [];
    for (const file of files) for await (const capture of archive.captures(file)) found.push(capture);
    const plain = places.map(({ file, offset, length }) =>
      offset === undefined ? { file, length } : { file, offset, length },
    );
    expect(found).toEqual(
      expect.arrayContaining(plain.map((place) => expect.objectContaining(place) as object)),
    );
    expect(found).toHaveLength(urls.length);
    if (kind !== 'files') expect(found.map(({ url }) => url)).toEqual(urls);
  });

  it('is sound, and its whole bytes are all of it', async () => {
    await saved(kind, { finish: true });
    const archive = openArchive(folder);
    for (const file of await archive.files()) {
      expect(await archive.validate(file)).toMatchObject({ ok: true, problems: [] });
      expect(await archive.wholeBytes(file)).toBe(file.bytes);
    }
  });

  it('is not found once its file is gone', async () => {
    const [at] = await saved(kind, { finish: true });
    if (!at) throw new Error('nothing was saved');
    await rm(join(folder, at.file));
    const archive = openArchive(folder);
    expect(await archive.find(at.file)).toBeUndefined();
    await expect(text(archive, at)).rejects.toMatchObject({ code: 'not-found' });
  });
});

describe.each(['warc', 'tar', 'tar.gz', 'tar.bz2', 'tar.zst'])('a torn %s file', (kind) => {
  it('counts up to its last whole capture, and says that it is torn', async () => {
    await saved(kind, { finish: false });
    const archive = openArchive(folder);
    const [whole] = await archive.files();
    if (!whole) throw new Error('no file');
    expect(whole.isOpen).toBe(true);
    expect(await archive.wholeBytes(whole)).toBe(whole.bytes);
    await truncate(whole.path, whole.bytes - 10);
    const [torn] = await archive.files();
    if (!torn) throw new Error('no file');
    const left = await archive.wholeBytes(torn);
    expect(left).toBeLessThan(whole.bytes - 10);
    expect(await archive.validate(torn)).toMatchObject({
      ok: false,
      soundUntil: left,
      problems: [{ torn: true }],
    });
  });

  it('that ends in other bytes says where they begin', async () => {
    await saved(kind, { finish: false });
    const archive = openArchive(folder);
    const [file] = await archive.files();
    if (!file) throw new Error('no file');
    await appendFile(file.path, Buffer.alloc(600, 'x'));
    const check = await archive.validate(file);
    expect(check).toMatchObject({ ok: false, soundUntil: file.bytes });
    expect(check.problems[0]?.offset).toBe(file.bytes);
  });
});

it('WARC files that lie in a folder by themselves are read too', async () => {
  const places = await saved('warc', { finish: true });
  const [name = ''] = (await readdir(join(folder, 'archive'))).filter((each) => each.endsWith('.warc.gz'));
  const archive = openArchive(join(folder, 'archive'));
  expect((await archive.files()).map((file) => file.name)).toEqual([name]);
  expect(await text(archive, { ...(places[0] as SavedAt), file: name })).toBe(bodyOf(urls[0] ?? ''));
});

it('of a WARC file, head and block are read as well', async () => {
  const [at] = await saved('warc', { finish: true });
  if (!at) throw new Error('nothing was saved');
  const archive = openArchive(folder);
  expect(await text(archive, at, 'block')).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(await text(archive, at, 'record')).toMatch(/^WARC\/1\.1\r\n/);
});
