import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { watchSyncs } from '../../../../test/durable/watch-syncs.ts';
import {
  createDurably,
  isTemporaryName,
  makeFolder,
  renameDurably,
  writeDurably,
  writePiece,
  writeWhole,
} from './durable-file.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-durable-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('durable files', () => {
  it('replaces a file and leaves nothing beside it', async () => {
    const file = join(folder, 'a.json');
    await writeDurably(file, 'one');
    await writeDurably(file, [Buffer.from('tw'), Buffer.from('o')]);
    expect(readFileSync(file, 'utf8')).toBe('two');
    expect(readdirSync(folder)).toEqual(['a.json']);
  });

  it('has content and name on the disk when it resolves', async () => {
    const synced = await watchSyncs();
    await writeDurably(join(folder, 'a.json'), 'one');
    expect(synced).toEqual([
      { path: expect.stringMatching(/a\.json\..*\.new$/), content: 'one' },
      { path: folder, content: undefined },
    ]);
  });

  it('has the name of what it renames, and of a folder that it makes, on the disk when it resolves', async () => {
    writeFileSync(join(folder, 'e.new'), 'lines');
    const synced = await watchSyncs();
    await renameDurably(join(folder, 'e.new'), join(folder, 'e'));
    await makeFolder(join(folder, 'f', 'g'));
    expect(synced).toEqual([
      { path: join(folder, 'e.new'), content: 'lines' },
      { path: folder, content: undefined },
      { path: folder, content: undefined },
      { path: join(folder, 'f'), content: undefined },
    ]);
  });

  it('gives a secret its own permissions, whatever the file had before', async () => {
    const file = join(folder, 'token');
    writeFileSync(file, 'old', { mode: 0o644 });
    await writeDurably(file, 'secret', { mode: 0o600 });
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('survives writers of the same file that run at once', async () => {
    const file = join(folder, 'b.json');
    const texts = Array.from({ length: 20 }, (_, n) => String(n).repeat(10_000));
    await Promise.all(texts.map((text) => writeDurably(file, text)));
    expect(texts).toContain(readFileSync(file, 'utf8'));
    expect(readdirSync(folder)).toEqual(['b.json']);
  });

  it('lets exactly one of several create a file', async () => {
    const file = join(folder, 'c');
    const made = await Promise.all(['x', 'y', 'z'].map((text) => createDurably(file, text)));
    expect(made.filter(Boolean)).toHaveLength(1);
    expect(readFileSync(file, 'utf8')).toBe(['x', 'y', 'z'][made.indexOf(true)]);
    expect(readdirSync(folder)).toEqual(['c']);
  });

  it('keeps the old file and no temporary one when a write fails', async () => {
    await makeFolder(join(folder, 'd', 'in-the-way'));
    await expect(writeDurably(join(folder, 'd'), 'text')).rejects.toThrow();
    expect(readdirSync(folder)).toEqual(['d']);
  });

  it('renames what was written elsewhere', async () => {
    writeFileSync(join(folder, 'e.new'), 'lines');
    await renameDurably(join(folder, 'e.new'), join(folder, 'e'));
    expect(readFileSync(join(folder, 'e'), 'utf8')).toBe('lines');
    expect([isTemporaryName('crawl.json.0a1b2c3d.new'), isTemporaryName('crawl.json')]).toEqual([
      true,
      false,
    ]);
  });
});

it('a file appears whole, and stays as it was where its writer fails', async () => {
  const path = join(folder, 'a.csv');
  expect(await writeWhole(path, async (out) => (await writePiece(out, 'one'), 1))).toBe(1);
  const failing = writeWhole(path, async (out) => {
    await writePiece(out, 'half');
    throw new Error('no more');
  });
  await expect(failing).rejects.toThrow('no more');
  expect(readFileSync(path, 'utf8')).toBe('one');
  expect(existsSync(`${path}.new`)).toBe(false);
});

it('an error of the disk between two pieces is thrown to the writer, and ends no process', async () => {
  writeFileSync(join(folder, 'file'), '');
  const path = join(folder, 'file', 'a.csv');
  const writing = writeWhole(path, async (out) => {
    // Opening fails meanwhile, with nobody waiting.
    await pause(20);
    await writePiece(out, 'text');
  });
  await expect(writing).rejects.toMatchObject({ code: 'ENOTDIR' });
});
