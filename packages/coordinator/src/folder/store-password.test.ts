import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keepPassword, withPassword } from './store-password.ts';

const url = 'rediss://me:s%40cret@store.example:6379,other.example:6380';
const plain = 'rediss://store.example:6379,other.example:6380';
const rest = { durability: 'strict', insecure: false } as const;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-password-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('it is kept beside it, for its owner only, and used where none is given', async () => {
  expect(await withPassword({ url: plain, ...rest }, folder)).toEqual({ url: plain, ...rest });
  await keepPassword(folder, { url, ...rest });
  expect(statSync(join(folder, 'store-password')).mode & 0o777).toBe(0o600);
  expect(await withPassword({ url: plain, ...rest }, folder)).toEqual({ url, ...rest });
  const newer = 'redis://me:new@store.example:6379';
  expect((await withPassword({ url: newer, ...rest }, folder)).url).toBe(newer);
});

test('one that was given to the process is used for the same store', async () => {
  const given = 'rediss://you:other@store.example:6379,other.example:6380';
  const find = (of: string) => (of === plain ? given : undefined);
  expect((await withPassword({ url: plain, ...rest }, folder, find)).url).toBe(given);
  const another = 'redis://store.example:6379';
  expect((await withPassword({ url: another, ...rest }, folder, find)).url).toBe(another);
  expect(readdirSync(folder)).toEqual([]);
});
