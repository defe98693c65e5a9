import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Job, systemClock } from '@webfarer/protocol';
import { resolveJob } from '@webfarer/protocol/job';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { captureOf } from '../capture.fixture.ts';
import { openSavers, type OpenSaversOptions } from './open-savers.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webfarer-savers-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const options = (): OpenSaversOptions => ({
  folder,
  name: 'x',
  clock: systemClock(),
  software: 'webfarer/test',
  baseFolder: folder,
});

/** Save targets as a job file has them. */
function targets(...save: unknown[]): Job['save'] {
  return resolveJob({ seeds: ['http://a.test/'], contact: 'me@a.test', save }).save;
}

/** A user's module; it notes in a file what is called. */
async function module(name: string, text: string): Promise<string> {
  await writeFile(join(folder, name), text);
  return `./${name}`;
}

const noting = `
import { appendFileSync } from 'node:fs';
export function saver({ folder, name }) {
  const note = (text) => appendFileSync(folder + '/calls', text + '\\n');
  return {
    name: 'noting',
    start: async () => note('start ' + name),
    save: async ({ entry }) => (note('save ' + entry.url), { saver: 'noting', file: 'n' }),
    sync: async () => note('sync'),
    stop: async () => note('stop'),
    written: () => ({ files: 1, bytes: 2 }),
  };
}`;

const calls = async (): Promise<string[]> =>
  (await readFile(join(folder, 'calls'), 'utf8')).trimEnd().split('\n');

it('opens the savers that a job names, in its order', async () => {
  const savers = await openSavers(targets('warc', 'files', { tar: { gzip: true } }), options());
  expect(savers.map(({ name }) => name)).toEqual(['warc', 'files', 'tar']);
  const places = [];
  for (const saver of savers) places.push(await saver.save(captureOf()));
  for (const saver of savers) await saver.stop();
  expect(places.map((at) => at?.saver)).toEqual(['warc', 'files', 'tar']);
});

it('keeps nothing where a job wants nothing kept', async () => {
  const [saver] = await openSavers(targets('none'), options());
  expect(await saver?.save(captureOf())).toBeUndefined();
  await saver?.stop();
  expect(await readdir(folder)).toEqual([]);
});

it("opens a user's own saver and tells it where the crawl is", async () => {
  const path = await module('own.mjs', noting);
  const [saver] = await openSavers(targets(path), options());
  expect(await saver?.save(captureOf({ url: 'http://a.test/1' }))).toEqual({ saver: 'noting', file: 'n' });
  await saver?.stop();
  expect(await calls()).toEqual(['start x', 'save http://a.test/1', 'stop']);
});

it('stops those that have started when a later one cannot', async () => {
  const good = await module('good.mjs', noting);
  const bad = await module(
    'bad.mjs',
    noting.replace("note('start ' + name)", "{ throw new Error('no disk') }"),
  );
  await expect(openSavers(targets(good, bad), options())).rejects.toThrow('no disk');
  expect(await calls()).toEqual(['start x', 'stop']);
});

it('refuses two savers that would write to the same files', async () => {
  const twice = [targets('warc')[0], targets('warc')[0]] as Job['save'];
  await expect(openSavers(twice, options())).rejects.toThrow('save names warc twice');
  const tars = targets({ tar: { gzip: true } }, { tar: { gzip: false } });
  const savers = await openSavers(tars, options());
  for (const saver of savers) await saver.stop();
  expect(savers).toHaveLength(2);
});

it('says what is wrong with a module', async () => {
  const open = async (path: string) => await openSavers(targets(path), options());
  await expect(open('./absent.mjs')).rejects.toMatchObject({ code: 'job-invalid' });
  await expect(open(await module('empty.mjs', 'export const other = 1;'))).rejects.toThrow(
    'exports no saver',
  );
  const half = await module('half.mjs', `export const saver = { name: 'half', save() {} };`);
  await expect(open(half)).rejects.toThrow('exports no saver');
});

it('reads the tar target of a coordinator of the version before', async () => {
  const before = targets('tar').map(
    (tar) => ({ ...tar, compress: undefined, gzip: true }) as unknown as typeof tar,
  );
  const [saver] = await openSavers(before, options());
  await saver?.save(captureOf());
  await saver?.stop();
  const files = await readdir(join(folder, 'archive'));
  expect(files.filter((file) => !file.endsWith('.tar.gz'))).toEqual([]);
  expect(files.length).toBeGreaterThan(0);
});
