import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openTokens, readToken } from './tokens.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-tokens-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('makes two different tokens that only their owner can read', async () => {
  const { worker, operator } = await openTokens(folder);
  expect(Buffer.from(worker, 'base64url')).toHaveLength(32);
  expect(worker).not.toBe(operator);
  for (const name of ['worker.token', 'operator.token'])
    expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
  expect((await readFile(join(folder, 'worker.token'), 'utf8')).trim()).toBe(worker);
});

it('keeps them over restarts, and all who start at the same moment have the same', async () => {
  const all = await Promise.all(Array.from({ length: 8 }, () => openTokens(folder)));
  expect(new Set(all.map(({ worker }) => worker)).size).toBe(1);
  expect(await openTokens(folder)).toEqual(all[0]);
});

it('refuses a token that is too short to be a secret', async () => {
  await writeFile(join(folder, 'worker.token'), 'secret\n');
  await expect(readToken(join(folder, 'worker.token'))).rejects.toThrow('at least 32');
  await expect(openTokens(folder)).rejects.toThrow('at least 32');
});

it('coordinators of one store work out the same tokens, and the files say them', async () => {
  const shared = (purpose: string) => purpose.padEnd(40, '-').replaceAll(' ', '_');
  await openTokens(folder);
  const tokens = await openTokens(folder, shared);
  expect(tokens.worker).toBe(shared('worker token'));
  expect(await readToken(join(folder, 'worker.token'))).toBe(tokens.worker);
  expect((await stat(join(folder, 'operator.token'))).mode & 0o777).toBe(0o600);
});
