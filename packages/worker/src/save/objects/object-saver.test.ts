import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type SavedAt, systemClock, WebfarerError } from '@webfarer/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Archive } from '../../archive/archive.ts';
import { type CatalogEntry, chunkDir, chunkKey, entryKey, objectDir } from '../../archive/objects/layout.ts';
import { objectArchive } from '../../archive/object-archive.ts';
import { storedFiles } from '../../archive/objects/stored-files.ts';
import { openObjectStore } from '../../objects/object-place.ts';
import type { ObjectStore } from '../../objects/object-store.ts';
import { captureOf } from '../capture.fixture.ts';
import type { Saver } from '../saver.ts';
import { warcSaver } from '../warc/warc-saver.ts';
import { objectUploads } from './object-uploads.ts';
import { tidyObjects } from './upkeep.ts';

let root: string;
let store: ObjectStore;
let archive: Archive;
beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), 'webfarer-object-saver-'));
  store = await openObjectStore({ address: `file://${root}/store` });
  archive = objectArchive({ address: `file://${root}/store` });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const folder = (name: string) => join(root, name);

/** A worker with a folder of its own; `through` may stand in for the store. */
async function worker(name: string, through: ObjectStore = store, rotateBytes = 1e9): Promise<Saver> {
  const saver = warcSaver({
    folder: folder(name),
    name,
    clock: systemClock(),
    software: 'webfarer/test',
    rotateBytes,
    uploads: objectUploads({ store: through, clock: systemClock(), scratch: tmpdir(), gatherMs: 0 }),
  });
  await saver.start();
  return saver;
}

async function save(saver: Saver, n: number): Promise<SavedAt> {
  const at = await saver.save(captureOf({ url: `http://a.test/${n}`, body: `body ${n} ${'x'.repeat(n)}` }));
  if (!at) throw new Error('nothing was saved');
  return at;
}

async function bodyAt(at: SavedAt): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of archive.read(at, 'body')) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

async function keys(prefix: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { key } of store.list(prefix)) found.push(key);
  return found;
}

const tidy = (graceMs = 0) => tidyObjects({ store, nowMs: Date.now() + 1_000, graceMs, scratch: tmpdir() });

/** Fails where told so: before an operation takes effect, or after it did. */
function failing(fails: (verb: string, key: string) => 'before' | 'after' | undefined): ObjectStore {
  const wrap =
    (verb: 'put' | 'remove') =>
    async (key: string, bytes: Buffer = Buffer.alloc(0)): Promise<void> => {
      const how = fails(verb, key);
      const trouble = new WebfarerError('storage', `${verb} ${key} failed`);
      if (how === 'before') throw trouble;
      await (verb === 'put' ? store.put(key, bytes) : store.remove(key));
      if (how === 'after') throw trouble;
    };
  return { ...store, put: wrap('put'), remove: wrap('remove') };
}

describe('captures in object storage', () => {
  it('can be read from anywhere when they are synced, and are one verified object in the end', async () => {
    const saver = await worker('w1');
    const first = await save(saver, 1);
    expect(await keys(chunkDir)).toEqual([]);
    await saver.sync();
    expect(first).toMatchObject({
      saver: 'warc',
      shared: true,
      file: expect.stringMatching(/^archive\/w1-/),
    });
    expect(await bodyAt(first)).toBe('body 1 x');
    const second = await save(saver, 2);
    await saver.sync();
    expect(await keys(chunkDir)).toHaveLength(2);
    expect(await archive.files()).toMatchObject([{ name: first.file, isOpen: true }]);
    await saver.stop();
    expect(await keys(chunkDir)).toEqual([]);
    const [file] = await archive.files();
    expect(file).toMatchObject({ name: first.file, isOpen: false });
    expect(await Promise.all([first, second].map(bodyAt))).toEqual(['body 1 x', 'body 2 xx']);
    // What is complete there leaves the disk here.
    expect(readdirSync(join(folder('w1'), 'outgoing'))).toEqual([]);
    const name = first.file.slice('archive/'.length);
    const entry = JSON.parse(
      (await store.get(entryKey(name), { start: 0, end: 1e6 })).toString(),
    ) as CatalogEntry;
    expect(entry).toMatchObject({ file: first.file, object: `${objectDir}${name}`, captures: 2, records: 7 });
    expect((await store.head(entry.object))?.bytes).toBe(entry.bytes);
    const index = (await store.get(`index/${name}.cdxj`, { start: 0, end: 1e6 })).toString();
    expect(index.match(/"url":"http:\/\/a\.test\/[12]"/g)).toHaveLength(2);
    if (!file) throw new Error('no file');
    expect(await archive.validate(file)).toMatchObject({ ok: true, records: 7 });
  });

  it('does not sync before the store has the bytes, and a lost reply does no harm', async () => {
    let how: 'before' | 'after' | undefined = 'before';
    const saver = await worker(
      'w1',
      failing((verb, key) => (verb === 'put' && key.startsWith(chunkDir) ? how : undefined)),
    );
    const at = await save(saver, 1);
    await expect(saver.sync()).rejects.toMatchObject({ code: 'storage' });
    expect(await keys(chunkDir)).toEqual([]);
    how = 'after';
    await expect(saver.sync()).rejects.toMatchObject({ code: 'storage' });
    how = undefined;
    await saver.sync();
    expect(await keys(chunkDir)).toHaveLength(1);
    expect(await bodyAt(at)).toBe('body 1 x');
    await saver.stop();
    expect(await bodyAt(at)).toBe('body 1 x');
  });

  it('makes an object of each file that is full, beside the next one', async () => {
    const saver = await worker('w1', store, 2_000);
    const saved: SavedAt[] = [];
    for (let n = 1; n <= 12; n++) {
      saved.push(await save(saver, n));
      await saver.sync();
    }
    await saver.stop();
    const files = await archive.files();
    expect(files.length).toBeGreaterThan(3);
    expect(files.every(({ isOpen }) => !isOpen)).toBe(true);
    for (const [n, at] of saved.entries())
      expect(await bodyAt(at)).toBe(`body ${n + 1} ${'x'.repeat(n + 1)}`);
    expect(await keys(chunkDir)).toEqual([]);
  });

  it('resumes a file after a crash where its chunks end', async () => {
    const first = await worker('w1');
    const one = await save(first, 1);
    await first.sync();
    const second = await worker('w1');
    const two = await save(second, 2);
    expect(two.file).toBe(one.file);
    await second.stop();
    expect(await Promise.all([one, two].map(bodyAt))).toEqual(['body 1 x', 'body 2 xx']);
    expect(await archive.files()).toHaveLength(1);
  });

  it('does not append to a file of which the store has more than the disk', async () => {
    const first = await worker('w1');
    const one = await save(first, 1);
    await first.sync();
    const two = await save(first, 2);
    await first.sync();
    const outgoing = join(folder('w1'), 'outgoing');
    const [open = ''] = readdirSync(outgoing);
    const { truncateSync } = await import('node:fs');
    truncateSync(join(outgoing, open), two.offset ?? 0);
    const second = await worker('w1');
    expect((await save(second, 3)).file).not.toBe(one.file);
    await second.stop();
    await tidy();
    expect(await Promise.all([one, two].map(bodyAt))).toEqual(['body 1 x', 'body 2 xx']);
  });

  it('keeps every chunk until the object of the file was verified', async () => {
    const broken = failing((verb, key) =>
      verb === 'put' && key.startsWith('catalog/') ? 'before' : undefined,
    );
    const saver = await worker('w1', broken);
    const at = await save(saver, 1);
    await saver.sync();
    await saver.stop();
    expect(await keys(chunkDir)).toHaveLength(1);
    expect(await bodyAt(at)).toBe('body 1 x');
    // The file waits here, and the next process of the worker completes it.
    expect(readdirSync(join(folder('w1'), 'outgoing'))).toHaveLength(1);
    await (await worker('w1')).stop();
    expect(await keys(chunkDir)).toEqual([]);
    expect(existsSync(join(folder('w1'), 'outgoing', at.file.slice('archive/'.length)))).toBe(false);
    expect(await bodyAt(at)).toBe('body 1 x');
  });
});

describe('upkeep', () => {
  it('joins the chunks of a worker that is gone, and again what it adds should it come back', async () => {
    const saver = await worker('w1');
    const one = await save(saver, 1);
    await saver.sync();
    expect(await tidy(3_600_000)).toMatchObject({ joined: 0, open: 1 });
    expect(await tidy()).toMatchObject({ joined: 1, chunksRemoved: 1, gaps: [] });
    expect(await keys(chunkDir)).toEqual([]);
    expect(await bodyAt(one)).toBe('body 1 x');
    expect(await tidy()).toMatchObject({ joined: 0, open: 0, chunksRemoved: 0, objectsRemoved: 0 });
    const two = await save(saver, 2);
    await saver.sync();
    archive = objectArchive({ address: `file://${root}/store` });
    expect(await Promise.all([one, two].map(bodyAt))).toEqual(['body 1 x', 'body 2 xx']);
    expect(await tidy()).toMatchObject({ joined: 1 });
    expect(await keys(objectDir)).toHaveLength(1);
    await saver.stop();
    expect(await keys(objectDir)).toEqual([`${objectDir}${one.file.slice('archive/'.length)}`]);
    expect(await Promise.all([one, two].map(bodyAt))).toEqual(['body 1 x', 'body 2 xx']);
  });

  it('never joins over a gap, and leaves what is behind it', async () => {
    const saver = await worker('w1');
    const saved: SavedAt[] = [];
    for (let n = 1; n <= 3; n++) {
      saved.push(await save(saver, n));
      await saver.sync();
    }
    const [, middle = '', last = ''] = await keys(chunkDir);
    await store.remove(middle);
    const report = await tidy();
    expect(report).toMatchObject({
      joined: 1,
      chunksRemoved: 1,
      gaps: [{ bytesBehind: expect.any(Number) }],
    });
    expect(await keys(chunkDir)).toEqual([last]);
    const [file] = await storedFiles(store);
    expect(file?.bytes).toBe(saved[1]?.offset);
    expect(await bodyAt(saved[0] as SavedAt)).toBe('body 1 x');
  });

  it('reads overlapping chunks as the one file they are part of', async () => {
    const saver = await worker('w1');
    const saved: SavedAt[] = [];
    for (let n = 1; n <= 3; n++) {
      saved.push(await save(saver, n));
      await saver.sync();
    }
    const [file] = await storedFiles(store);
    if (!file) throw new Error('no file');
    const whole: Buffer[] = [];
    for (const { key } of file.pieces) whole.push(await store.get(key, { start: 0, end: 1e9 }));
    const bytes = Buffer.concat(whole);
    // As a request that was given up and arrived after all.
    await store.put(chunkKey(file.name, 0, saved[2]?.offset ?? 0), bytes.subarray(0, saved[2]?.offset));
    for (const [n, at] of saved.entries())
      expect(await bodyAt(at)).toBe(`body ${n + 1} ${'x'.repeat(n + 1)}`);
    expect(await tidy()).toMatchObject({ joined: 1, chunksRemoved: 4 });
    expect(await keys('')).toHaveLength(4);
  });

  it('aborts uploads that nobody completes and removes objects that nobody verified', async () => {
    await store.beginUpload(`${objectDir}x.warc.gz`);
    await store.put(`${objectDir}y.warc.gz`, Buffer.from('half'));
    expect(await tidy(3_600_000)).toMatchObject({ uploadsAborted: 0, objectsRemoved: 0 });
    expect(await tidy()).toMatchObject({ uploadsAborted: 1, objectsRemoved: 1 });
    expect(await keys('')).toEqual([]);
  });
});
