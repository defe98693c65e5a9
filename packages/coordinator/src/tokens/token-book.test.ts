import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@webfarer/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Registry } from '../registry/registry.ts';
import { openSqliteRegistry } from '../registry/sqlite-registry.ts';
import { type RegistryWatch, watchRegistry } from '../registry/watch-registry.ts';
import { openTokenBook, type TokenBook } from './token-book.ts';
import { openTokenDocuments, type TokenDocuments } from './token-documents.ts';
import { digestIn, isMistyped, newToken, tokenDigest } from './tokens.ts';

const clock = systemClock();
let nowMs: number;
let folder: string;
/** Of this coordinator, and of another process that changes tokens. */
let registry: Registry;
let other: Registry;
let watch: RegistryWatch;
let documents: TokenDocuments;
let book: TokenBook;
const writes: string[] = [];

beforeEach(async () => {
  nowMs = Date.UTC(2026, 0, 1);
  folder = mkdtempSync(join(tmpdir(), 'webfarer-book-'));
  const path = join(folder, 'registry.db');
  const time = { wall: () => nowMs };
  const opened = openSqliteRegistry({ path, clock: time });
  writes.length = 0;
  registry = {
    ...opened,
    put: (kind, id, version, value) => {
      writes.push(id);
      return opened.put(kind, id, version, value);
    },
  };
  other = openSqliteRegistry({ path, clock: time });
  watch = watchRegistry({ registry, clock, failed: () => undefined });
  documents = openTokenDocuments(other, time);
  book = await openTokenBook({ registry, watch, clock: time });
});
afterEach(async () => {
  await watch.stop();
  await registry.close();
  await other.close();
  rmSync(folder, { recursive: true, force: true });
});

const about = { scope: 'operator', team: 'red', note: '' } as const;
const holder = (token: string) => book.holderOf(tokenDigest(token));

it('knows the holder of a token that another process made, and nobody else', async () => {
  const { token, info } = await documents.create(about);
  await expect
    .poll(() => holder(token), { timeout: 30_000 })
    .toEqual({ id: info.id, scope: 'operator', team: 'red' });
  expect(holder(`${token}x`)).toBeUndefined();
  expect(holder(newToken(info.id))).toBeUndefined();
  // The same beginning of the digest is not enough.
  const digest = tokenDigest(token);
  expect(book.holderOf(digest.slice(0, 8))).toBeUndefined();
  expect(book.holderOf(digest.slice(0, -1) + (digest.endsWith('0') ? '1' : '0'))).toBeUndefined();
});

it('lets only workers connect as workers', async () => {
  const worker = await documents.create({ ...about, scope: 'worker' });
  const admin = await documents.create({ ...about, scope: 'admin' });
  await watch.look();
  expect(book.trustOf(tokenDigest(worker.token))).toBe('own');
  expect(book.trustOf(tokenDigest(admin.token))).toBeUndefined();
});

it('rejects a revoked token within five seconds', async () => {
  const { token, info } = await documents.create(about);
  await watch.look();
  expect(holder(token)).toBeDefined();
  await documents.revoke(info.id);
  await expect.poll(() => holder(token), { timeout: 30_000 }).toBeUndefined();
});

it('rejects an expired token', async () => {
  const { token } = await documents.create({ ...about, expiresInMs: 1_000 });
  await watch.look();
  expect(holder(token)).toBeDefined();
  nowMs += 1_000;
  expect(holder(token)).toBeUndefined();
});

it('accepts both secrets while a rotation overlaps, then the new one', async () => {
  const { token: old, info } = await documents.create(about);
  const first = await documents.rotate(info.id, 60_000);
  await watch.look();
  expect(holder(old)?.id).toBe(info.id);
  expect(holder(first!.token)?.id).toBe(info.id);
  const second = await documents.rotate(info.id, 600_000);
  await watch.look();
  nowMs += 60_000;
  expect(holder(old)).toBeUndefined();
  expect(holder(first!.token)).toBeDefined();
  nowMs += 600_000;
  expect(holder(first!.token)).toBeUndefined();
  expect(holder(second!.token)?.id).toBe(info.id);
  await documents.revoke(info.id);
  expect(await documents.rotate(info.id, 0)).toBeUndefined();
});

it('records the last use with one write an hour, and never over a change', async () => {
  const { token, info } = await documents.create(about);
  await watch.look();
  for (let n = 0; n < 50; n++) holder(token);
  await expect.poll(async () => (await documents.get(info.id))?.lastUsedAtMs).toBe(nowMs);
  nowMs += 3_599_000;
  holder(token);
  await watch.look();
  holder(token);
  expect(writes).toEqual([info.id]);
  nowMs += 1_000;
  // This coordinator has not seen the revocation yet: its write must not undo it.
  await documents.revoke(info.id);
  holder(token);
  expect(writes).toEqual([info.id, info.id]);
  await watch.look();
  expect(await documents.get(info.id)).toMatchObject({ revokedAtMs: nowMs });
  expect(holder(token)).toBeUndefined();
});

it('shows no digest', async () => {
  const { token, info } = await documents.create(about);
  const shown = JSON.stringify([
    info,
    await documents.get(info.id),
    await documents.list({ after: '', limit: 9 }),
  ]);
  expect(shown).not.toContain(tokenDigest(token));
  expect(shown).not.toContain('secrets');
});

it('tells a mistyped token from one that is not ours', () => {
  const token = newToken('0123456789');
  expect(isMistyped(token)).toBe(false);
  expect(isMistyped(token.slice(0, -1))).toBe(true);
  const changed = token.slice(0, 20) + (token[20] === 'A' ? 'B' : 'A') + token.slice(21);
  expect(isMistyped(changed)).toBe(true);
  expect(isMistyped('o'.repeat(43))).toBe(false);
  expect(digestIn(`Bearer ${token}`)).toBe(tokenDigest(token));
  expect(digestIn(token)).toBeUndefined();
});
