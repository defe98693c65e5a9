import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock, WebfarerError } from '@webfarer/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Registry } from './registry.ts';
import { keptHere } from './registry.suite.ts';
import { openSqliteRegistry } from './sqlite-registry.ts';
import { type RegistryWatch, watchRegistry } from './watch-registry.ts';

const clock = systemClock();
let folder: string;
let here: Registry;
let elsewhere: Registry;
let watch: RegistryWatch;
let broken: Error | undefined;
const failures: unknown[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-watch-'));
  const path = join(folder, 'registry.db');
  here = openSqliteRegistry({ path, clock, kept: keptHere });
  elsewhere = openSqliteRegistry({ path, clock, kept: keptHere });
  broken = undefined;
  failures.length = 0;
  const registry: Registry = {
    ...here,
    changes: async (since) => {
      if (broken) throw broken;
      return await here.changes(since);
    },
  };
  watch = watchRegistry({ registry, clock, failed: (error) => failures.push(error) });
});
afterEach(async () => {
  await watch.stop();
  await here.close();
  await elsewhere.close();
  rmSync(folder, { recursive: true });
});

it('has what there is, and follows what others write and remove', async () => {
  const x = await elsewhere.put('policy', 'x', 0, 1);
  await elsewhere.put('team', 'other', 0, 1);
  const told: (readonly string[])[] = [];
  const { docs } = await watch.follow<number>('policy', (ids) => told.push(ids));
  expect([...docs.values()].map(({ value }) => value)).toEqual([1]);
  await elsewhere.put('policy', 'y', 0, 2);
  await expect.poll(() => docs.get('y')?.value, { timeout: 30_000 }).toBe(2);
  await elsewhere.remove('policy', 'x', x.doc?.version ?? 0);
  await elsewhere.put('team', 'more', 0, 1);
  await expect.poll(() => docs.has('x'), { timeout: 30_000 }).toBe(false);
  expect(told).toEqual([['y'], ['x']]);
});

it('looks at once when asked', async () => {
  const [a, b] = await Promise.all([watch.follow('policy'), watch.follow('policy')]);
  expect(a.docs).toBe(b.docs);
  await here.put('policy', 'x', 0, 1);
  await watch.look();
  expect([...a.docs.keys()]).toEqual(['x']);
});

it('reads all again where the registry no longer knows what changed', async () => {
  const gone = await here.put('policy', 'gone', 0, 1);
  const kept = await here.put('policy', 'kept', 0, 1);
  const told: (readonly string[])[] = [];
  const { docs } = await watch.follow('policy', (ids) => told.push(ids));
  broken = new WebfarerError('storage', 'busy');
  await here.remove('policy', 'gone', gone.doc?.version ?? 0);
  for (let n = 0; n <= keptHere.changes; n++) await here.put('team', `t${n}`, 0, n);
  await expect(watch.look()).rejects.toThrow('busy');
  expect(docs.has('gone')).toBe(true);
  broken = undefined;
  await watch.look();
  expect([...docs.values()]).toEqual([kept.doc]);
  expect(told).toEqual([['gone']]);
  expect(failures).toEqual([]);
});

it('reports a fault of its own, and continues', async () => {
  const { docs } = await watch.follow('policy');
  broken = new Error('a bug');
  await expect.poll(() => failures.length, { timeout: 30_000 }).toBeGreaterThan(0);
  expect(failures[0]).toBe(broken);
  broken = undefined;
  await here.put('policy', 'x', 0, 1);
  await expect.poll(() => docs.has('x'), { timeout: 30_000 }).toBe(true);
});
