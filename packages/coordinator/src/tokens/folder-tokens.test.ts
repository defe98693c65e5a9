import { mkdtempSync, rmSync } from 'node:fs';
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@webfarer/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { folderRegistry } from '../registry/folder-registry.ts';
import type { Registry } from '../registry/registry.ts';
import { adoptTokens } from './earlier-tokens.ts';
import { folderTokens, openTokens, readToken, watchTokens } from './folder-tokens.ts';
import { openTokenDocuments, type TokenDocuments } from './token-documents.ts';
import { newToken, tokenDigest } from './tokens.ts';

const clock = systemClock();
let folder: string;
let registry: Registry;
let documents: TokenDocuments;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-tokens-'));
  registry = folderRegistry(folder, clock);
  documents = openTokenDocuments(registry, clock);
});
afterEach(async () => {
  await registry.close();
  rmSync(folder, { recursive: true, force: true });
});

const open = () => openTokens(folder, documents, { nowMs: clock.now(), note: 'test' });
const all = async () => (await documents.list({ after: '', limit: 100 })).tokens;

it('makes two different tokens that only their owner can read', async () => {
  const { worker, operator } = await open();
  expect(worker).toMatch(/^wf_[0-9a-f]{10}_[\w-]{43}[0-9a-z]{7}$/);
  expect(worker).not.toBe(operator);
  for (const name of ['worker.token', 'operator.token', 'registry.db'])
    expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
  expect((await readFile(join(folder, 'worker.token'), 'utf8')).trim()).toBe(worker);
  expect((await all()).map(({ scope }) => scope).toSorted()).toEqual(['admin', 'worker']);
});

it('stores their digests only', async () => {
  const { worker, operator } = await open();
  const found = JSON.stringify((await registry.list('token', { after: '', limit: 10 })).docs);
  expect(found).toContain(tokenDigest(worker));
  for (const name of ['registry.db', 'registry.db-wal']) {
    const bytes = await readFile(join(folder, name));
    for (const token of [worker, operator]) {
      expect(bytes.includes(token)).toBe(false);
      expect(bytes.includes(token.split('_').slice(2).join('_'))).toBe(false);
    }
  }
});

it('keeps them over restarts', async () => {
  expect(await open()).toEqual(await open());
  expect(await all()).toHaveLength(2);
});

it('refuses a token that is too short to be a secret, or damaged', async () => {
  await writeFile(join(folder, 'worker.token'), 'secret\n');
  await expect(readToken(join(folder, 'worker.token'))).rejects.toThrow('at least 32');
  await expect(open()).rejects.toThrow('at least 32');
  const token = newToken('0123456789');
  await writeFile(join(folder, 'worker.token'), `${token.slice(0, -1)}\n`);
  await expect(open()).rejects.toThrow('damaged token');
});

it('makes a new one where the file was deleted, beside the old one', async () => {
  const before = await open();
  await rm(join(folder, 'worker.token'));
  const after = await open();
  expect(after.worker).not.toBe(before.worker);
  const workers = (await all()).filter(({ scope }) => scope === 'worker');
  expect(workers.map(({ revokedAtMs }) => revokedAtMs)).toEqual([undefined, undefined]);
});

it('makes a new one where the token was revoked', async () => {
  const { worker } = await open();
  const { id } = (await documents.find(tokenDigest(worker)))!;
  await documents.revoke(id);
  const next = (await open()).worker;
  expect(next).not.toBe(worker);
  expect((await documents.find(tokenDigest(worker)))?.revokedAtMs).toBeDefined();
});

it('uses the tokens it is given, and says so where one of them was revoked', async () => {
  const given = join(folder, 'given');
  const token = newToken('0123456789');
  await writeFile(given, `${token}\n`);
  const about = { nowMs: 1, note: 'test', given: { worker: given } };
  const { operator } = await open();
  expect(await openTokens(folder, documents, about)).toEqual({ worker: token, operator });
  expect((await readFile(join(folder, 'worker.token'), 'utf8')).trim()).toBe(token);
  expect((await stat(join(folder, 'worker.token'))).mode & 0o777).toBe(0o600);
  expect(await openTokens(folder, documents, about)).toEqual({ worker: token, operator });
  await documents.revoke((await documents.find(tokenDigest(token)))!.id);
  await expect(openTokens(folder, documents, about)).rejects.toThrow('was revoked');
  await rm(given);
  await expect(openTokens(folder, documents, about)).rejects.toThrow('cannot read the token file');
});

it('follows the files it is given: the next token is accepted, and the one before for a day', async () => {
  const given = join(folder, 'given');
  const [first, second] = [newToken('0123456789'), newToken('9876543210')];
  await writeFile(given, `${first}\n`);
  // At once: a file that is half written is read as a token that is too short.
  const put = async (token: string) => {
    await writeFile(`${given}.new`, `${token}\n`);
    await rename(`${given}.new`, given);
  };
  const about = { note: 'test', given: { worker: given } };
  const inUse = await openTokens(folder, documents, { ...about, nowMs: 1 });
  const sleeping = { ...clock, sleep: (_ms: number, signal?: AbortSignal) => clock.sleep(5, signal) };
  const news: string[] = [];
  const stop = watchTokens(folder, documents, {
    ...about,
    inUse,
    clock: sleeping,
    changed: (file) => news.push(file),
    refused: ({ message }) => news.push(message),
  });
  try {
    await put('short');
    await expect.poll(() => news).toEqual([expect.stringContaining('at least 32')]);
    await put(second);
    await expect.poll(() => news.slice(1)).toEqual([given]);
    const before = await documents.find(tokenDigest(first));
    expect(before).toEqual(await documents.find(tokenDigest(second)));
    expect(Math.round(((before?.previousEndsAtMs ?? 0) - clock.wall()) / 3_600_000)).toBe(24);
    expect((await readFile(join(folder, 'worker.token'), 'utf8')).trim()).toBe(second);
    await put(first);
    await expect.poll(() => news.slice(2)).toEqual([given]);
    expect((await all()).filter(({ scope }) => scope === 'worker')).toHaveLength(1);
  } finally {
    await stop();
  }
});

it('adopts the tokens of an earlier version, those that were revoked as revoked', async () => {
  const [worker, operator, gone] = ['w'.repeat(43), 'o'.repeat(43), 'g'.repeat(43)] as const;
  const stored = (token: string, role: string, more = {}) => {
    const digest = tokenDigest(token);
    return { id: digest.slice(0, 8), role, digest, createdAtMs: 5, note: 'coordinator a', ...more };
  };
  const tokens = [
    stored(worker, 'worker'),
    stored(operator, 'operator'),
    stored(gone, 'operator', { revokedAtMs: 7 }),
  ];
  await writeFile(join(folder, 'tokens.json'), JSON.stringify({ format: 1, tokens }));
  await writeFile(join(folder, 'worker.token'), `${worker}\n`);
  await writeFile(join(folder, 'operator.token'), `${operator}\n`);
  await adoptTokens(folderTokens(folder), documents);
  await adoptTokens(folderTokens(folder), documents);
  await expect(stat(join(folder, 'tokens.json'))).rejects.toThrow('ENOENT');
  expect(await open()).toEqual({ worker, operator });
  expect(await all()).toHaveLength(3);
  expect(await documents.find(tokenDigest(worker))).toMatchObject({ scope: 'worker', createdAtMs: 5 });
  expect(await documents.find(tokenDigest(operator))).toMatchObject({ scope: 'admin', team: 'default' });
  expect(await documents.find(tokenDigest(gone))).toMatchObject({ scope: 'operator', revokedAtMs: 7 });
});
