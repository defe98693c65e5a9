import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { watchSyncs } from '../../../../test/durable/watch-syncs.ts';
import { createDurably, isTemporaryName, makeFolder, renameDurably, writeDurably } from './durable-file.ts';

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
