import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@webfarer/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { watchTokens } from './token-watch.ts';
import { storedToken, tokenDigest } from './tokens.ts';
import { folderTokens, openTokens, readToken } from './folder-tokens.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-tokens-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const clock = systemClock();
const open = () => openTokens(folder, folderTokens(folder), { clock, note: 'test' });

it('makes two different tokens that only their owner can read', async () => {
  const { worker, operator } = await open();
  expect(Buffer.from(worker, 'base64url')).toHaveLength(32);
  expect(worker).not.toBe(operator);
  for (const name of ['worker.token', 'operator.token', 'tokens.json'])
    expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
  expect((await readFile(join(folder, 'worker.token'), 'utf8')).trim()).toBe(worker);
});

it('stores their digests only', async () => {
  const { worker, operator } = await open();
  const text = await readFile(join(folder, 'tokens.json'), 'utf8');
  expect(text).not.toContain(worker);
  expect(text).not.toContain(operator);
  expect(text).toContain(tokenDigest(worker));
});

it('keeps them over restarts', async () => {
  expect(await open()).toEqual(await open());
  expect(await folderTokens(folder).all()).toHaveLength(2);
});

it('refuses a token that is too short to be a secret', async () => {
  await writeFile(join(folder, 'worker.token'), 'secret\n');
  await expect(readToken(join(folder, 'worker.token'))).rejects.toThrow('at least 32');
  await expect(open()).rejects.toThrow('at least 32');
});

it('makes a new one where the file was deleted, beside the old one, until that is revoked', async () => {
  const before = await open();
  await rm(join(folder, 'worker.token'));
  const after = await open();
  expect(after.worker).not.toBe(before.worker);
  const store = folderTokens(folder);
  const watch = await watchTokens(store, clock);
  expect(watch.digests('worker').toSorted()).toEqual(
    [tokenDigest(before.worker), tokenDigest(after.worker)].toSorted(),
  );
  watch.stop();
});

it('a revoked token is accepted no more within two seconds, and its file gets a new one at the next start', async () => {
  const { worker } = await open();
  const store = folderTokens(folder);
  const watch = await watchTokens(store, clock);
  const about = { role: 'worker', createdAtMs: 1, note: '' } as const;
  await store.put({ ...storedToken(worker, about), revokedAtMs: 2 });
  await expect.poll(() => watch.digests('worker'), { timeout: 5_000 }).toEqual([]);
  watch.stop();
  expect((await open()).worker).not.toBe(worker);
});
