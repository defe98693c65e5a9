import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Job, systemClock } from '@webfarer/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { captureOf } from '../capture.fixture.ts';
import { mendSavers, openSavers } from './open-savers.ts';
import type { Saver } from '../saver.ts';
import { validateWarc } from '../../archive/warc/validate-warc.ts';

const targets: Job['save'] = [
  { kind: 'warc', rotateBytes: 1e9, dedupe: true, at: 'worker' },
  { kind: 'files', name: '{path}' },
  { kind: 'tar', name: '{path}', compress: 'none' },
];
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webfarer-processes-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const options = () => ({ folder, name: 'x', clock: systemClock(), software: 'test', baseFolder: folder });

/** As a process among several: its own files, names from the one register. */
function savers(process: number): Promise<Saver[]> {
  return openSavers(targets, { ...options(), process });
}

async function saveAll(all: Saver[], url: string, body: string): Promise<(string | undefined)[]> {
  const places = [];
  for (const saver of all) places.push((await saver.save(captureOf({ url, body })))?.file);
  for (const saver of all) await saver.sync();
  return places;
}

it('writes side by side into files of its own, under names that nobody else has', async () => {
  const [one, two] = await Promise.all([savers(1), savers(2)]);
  const a = await saveAll(one, 'http://a.test/same', 'from a');
  const b = await saveAll(two, 'http://b.test/same', 'from b');
  expect(a[0]).toMatch(/^archive\/x-p1-\d{14}-\d{5}\.warc\.gz$/);
  expect(b[0]).toMatch(/^archive\/x-p2-\d{14}-\d{5}\.warc\.gz$/);
  expect(a[1]).not.toBe(b[1]);
  expect(await readFile(join(folder, a[1] ?? ''), 'utf8')).toBe('from a');
  expect(await readFile(join(folder, b[1] ?? ''), 'utf8')).toBe('from b');
  for (const saver of [...one, ...two]) await saver.stop();
  expect((await readdir(join(folder, 'archive'))).filter((name) => name.endsWith('.open'))).toEqual([]);
});

it('mends its own files after a crash while another process goes on writing', async () => {
  const [one, two] = await Promise.all([savers(1), savers(2)]);
  await saveAll(one, 'http://a.test/1', 'before the crash');
  const [open] = await saveAll(two, 'http://b.test/1', 'alive');
  // The first is gone without a word; its successor takes its place.
  const again = await savers(1);
  const [mended] = await saveAll(again, 'http://a.test/2', 'after the crash');
  expect(mended).toMatch(/x-p1-/);
  expect((await saveAll(two, 'http://b.test/2', 'still alive'))[0]).toBe(open);
  for (const saver of [...again, ...two]) await saver.stop();
  for (const name of await readdir(join(folder, 'archive'))) {
    if (!name.endsWith('.warc.gz')) continue;
    const { problems } = await validateWarc(join(folder, 'archive', name));
    expect(problems).toEqual([]);
  }
});

it('leaves nothing unfinished when the number of processes changes', async () => {
  const three = await savers(3);
  await saveAll(three, 'http://a.test/1', 'of an earlier run');
  expect(await mendSavers(targets, options())).toMatchObject({ files: 2 });
  expect((await readdir(join(folder, 'archive'))).filter((name) => name.endsWith('.open'))).toEqual([]);
  const one = await savers(1);
  expect(one.map((saver) => saver.written().files)).toEqual([0, 0, 0]);
  for (const saver of one) await saver.stop();
});
