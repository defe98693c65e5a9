import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { systemClock, WebfarerError } from '@webfarer/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { watchSyncs } from '../../../../../test/durable/watch-syncs.ts';
import { createGrowingBytes } from '../../bytes/growing-bytes.ts';
import { captureOf } from '../capture.fixture.ts';
import { filesSaver } from './files-saver.ts';
import { openSavers } from './open-savers.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webfarer-files-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function listing(): Promise<string[]> {
  const all = await readdir(join(folder, 'files'), { recursive: true, withFileTypes: true });
  return all
    .filter((entry) => entry.isFile())
    .map((entry) => relative(join(folder, 'files'), join(entry.parentPath, entry.name)).replaceAll(sep, '/'))
    .sort();
}

describe('files saver', () => {
  it('writes decoded bodies under names made of URLs', async () => {
    const saver = filesSaver({ folder, name: '{host}/{path}' });
    await saver.start();
    const at = await saver.save(captureOf({ url: 'http://a.test/docs/', body: 'docs' }));
    expect(at).toEqual({ saver: 'files', file: 'files/a.test/docs/index.html', length: 4 });
    await saver.save(captureOf({ url: 'http://a.test/docs', body: 'page' }));
    await saver.save(captureOf({ url: 'http://a.test/docs?x=1', body: 'query' }));
    expect(await saver.save(captureOf({ url: 'http://a.test/gone', status: 404 }))).toBeUndefined();
    await saver.sync();
    expect(await readFile(join(folder, at?.file ?? ''), 'utf8')).toBe('docs');
    expect(saver.written()).toEqual({ files: 3, bytes: 13 });
    await saver.stop();
    const names = await listing();
    expect(names).toHaveLength(4);
    expect(names).toContain('.names');
    expect(names).toContain('a.test/docs.html');
  });

  it('has files and their names on the disk when it has synced', async () => {
    const saver = filesSaver({ folder, name: '{host}/{path}' });
    await saver.start();
    await saver.save(captureOf({ url: 'http://a.test/docs', body: 'page' }));
    const synced = await watchSyncs();
    await saver.sync();
    const paths = synced.map(({ path }) => path);
    expect(synced.find(({ content }) => content === 'page')?.path).toContain('.partial');
    expect(paths.at(-1)).toBe(join(folder, 'files/a.test'));
    await saver.stop();
  });

  it('keeps a large body whose memory is given back before it is written', async () => {
    const bytes = createGrowingBytes(1_000_000);
    bytes.add(Buffer.alloc(500_000, 'x'));
    const saver = filesSaver({ folder, name: '{path}' });
    await saver.start();
    const at = await saver.save(captureOf({ url: 'http://a.test/large', body: bytes.take() }));
    bytes.free();
    await saver.stop();
    expect((await readFile(join(folder, at?.file ?? ''))).equals(Buffer.alloc(500_000, 'x'))).toBe(true);
  });

  it('gives the same URL the same file after a restart, and clears what was half written', async () => {
    let saver = filesSaver({ folder, name: '{path}' });
    await saver.start();
    const first = await saver.save(captureOf({ url: 'http://a.test/x', body: 'one' }));
    const other = await saver.save(captureOf({ url: 'http://b.test/x', body: 'two' }));
    expect(other?.file).not.toBe(first?.file);
    await saver.stop();
    await writeFile(join(folder, 'files/.partial/7'), 'half');
    saver = filesSaver({ folder, name: '{path}' });
    await saver.start();
    expect(await readdir(join(folder, 'files/.partial'))).toEqual([]);
    expect((await saver.save(captureOf({ url: 'http://b.test/x', body: 'new' })))?.file).toBe(other?.file);
    expect((await saver.save(captureOf({ url: 'http://a.test/x', body: 'one' })))?.file).toBe(first?.file);
    await saver.stop();
    expect(await readFile(join(folder, other?.file ?? ''), 'utf8')).toBe('new');
  });

  it('keeps what could not be written, and writes it when it can', async () => {
    const saver = filesSaver({ folder, name: '{path}' });
    await saver.start();
    const at = await saver.save(captureOf({ url: 'http://a.test/x', body: 'kept' }));
    await rm(join(folder, 'files/.partial'), { recursive: true });
    const failed = await saver.sync().catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(WebfarerError);
    expect((failed as WebfarerError).code).toBe('storage');
    await mkdir(join(folder, 'files/.partial'));
    await saver.sync();
    expect(await readFile(join(folder, at?.file ?? ''), 'utf8')).toBe('kept');
    await saver.stop();
  });
});

describe('openSavers', () => {
  const options = () => ({
    folder,
    name: 'x',
    clock: systemClock(),
    software: 'webfarer/test',
    baseFolder: folder,
  });

  it('opens what a job names, a module of the user too', async () => {
    await writeFile(
      join(folder, 'mine.mjs'),
      `export function saver({ folder }) {
        const none = async () => {};
        return { name: 'mine', start: none, stop: none, sync: none, written: () => ({ files: 0, bytes: 0 }),
          save: async (c) => ({ saver: 'mine', file: folder + c.entry.url }) };
      }`,
    );
    const savers = await openSavers(
      [
        { kind: 'warc', rotateBytes: 1e9, dedupe: true, at: 'worker' },
        { kind: 'files', name: '{host}/{path}' },
        { kind: 'tar', name: '{host}/{path}', compress: 'gz' },
        { kind: 'none' },
        { kind: 'module', path: './mine.mjs' },
      ],
      options(),
    );
    expect(savers.map((saver) => saver.name)).toEqual(['warc', 'files', 'tar', 'none', 'mine']);
    const places = await Promise.all(savers.map((saver) => saver.save(captureOf())));
    expect(places.map((at) => at?.saver)).toEqual(['warc', 'files', 'tar', undefined, 'mine']);
    for (const saver of savers) await saver.sync();
    for (const saver of savers) await saver.stop();
    expect(places[4]?.file).toBe(`${folder}http://example.test/`);
  });

  it('says what is wrong with a module or a list', async () => {
    await writeFile(join(folder, 'empty.mjs'), 'export const other = 1;');
    await expect(openSavers([{ kind: 'module', path: './none.mjs' }], options())).rejects.toThrow(
      'cannot load the saver',
    );
    await expect(openSavers([{ kind: 'module', path: './empty.mjs' }], options())).rejects.toThrow(
      'exports no saver',
    );
    await expect(openSavers([{ kind: 'none' }, { kind: 'none' }], options())).rejects.toThrow(
      'save names none twice',
    );
    await expect(openSavers([{ kind: 'files', name: '{x}' }], options())).rejects.toThrow(
      'unknown placeholder {x}',
    );
  });
});
