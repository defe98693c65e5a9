import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Account } from '@webfarer/worker';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openAccountStore } from './account-store.ts';
import { keyOf, seal } from './sealed.ts';

let folder: string;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'webfarer-accounts-')), 'accounts');
});
afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }));

const ada = { site: 'example.org', as: 'ada' };
const account = (value: string): Account => ({
  cookies: [
    { host: 'example.org', subdomains: true, path: '/', secure: true, httpOnly: true, name: 's', value },
  ],
  storage: [{ origin: 'https://example.org', localStorage: [{ name: 'k', value }] }],
  credentials: [{ origin: 'https://example.org', user: 'ada', password: value, form: true }],
});
const open = (key?: string) => openAccountStore({ folder, key });

it('keeps accounts so that only their owner and the key can read them', async () => {
  await open().write(ada, account('tell-nobody'), 5);
  expect(await open().read(ada)).toEqual(account('tell-nobody'));
  expect(await open().list()).toEqual([{ ...ada, savedAtMs: 5 }]);
  for (const name of readdirSync(folder)) {
    expect(readFileSync(join(folder, name), 'latin1')).not.toContain('tell-nobody');
    expect(statSync(join(folder, name)).mode & 0o077).toBe(0);
  }
  expect(statSync(folder).mode & 0o077).toBe(0);
  await expect(open('another key').read(ada)).rejects.toThrow(/cannot be opened with this key/);
});

it('opens an account under its own name only', async () => {
  await open().write(ada, account('x'), 0);
  const file = join(folder, 'example.org~ada.account');
  const swapped = readFileSync(file, 'utf8').replace('"as":"ada"', '"as":"bob"');
  expect(swapped).toContain('bob');
  writeFileSync(file, swapped);
  renameSync(file, join(folder, 'example.org~bob.account'));
  await expect(open().read({ site: 'example.org', as: 'bob' })).rejects.toThrow(/cannot be opened/);
});

it('keeps the session of a crawl until a person logs in anew', async () => {
  const store = open('key');
  await store.write(ada, account('first'), 0);
  const source = store.source(ada);
  const revision = (await source.revision()) ?? '';
  await source.keepSession(revision, 'a jar');
  expect((await source.read())?.session).toBe('a jar');
  await store.write(ada, account('second'), 0);
  await source.keepSession(revision, 'an old jar');
  const now = await source.read();
  expect(now?.session).toBeUndefined();
  expect(now?.account).toEqual(account('second'));
  expect(now?.revision).not.toBe(revision);
});

it('removes an account', async () => {
  const store = open('key');
  await store.write(ada, account('x'), 0);
  expect([await store.remove(ada), await store.remove(ada)]).toEqual([true, false]);
  expect(await store.source(ada).revision()).toBeUndefined();
});

it('opens what an earlier version sealed with a passphrase, and seals it anew with a derived key', async () => {
  const file = join(folder, 'example.org~ada.account');
  const kept = { ...ada, savedAtMs: 0, revision: 'r' };
  const text = JSON.stringify(account('x'));
  mkdirSync(folder);
  const sealed = seal(text, 'example.org\nada\nr', await keyOf('a passphrase', undefined));
  writeFileSync(file, JSON.stringify({ ...kept, sealed }));
  expect(await open('a passphrase').read(ada)).toEqual(account('x'));
  await open('a passphrase').write(ada, account('y'), 0);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ sealed: { salt: expect.any(String) } });
  rmSync(join(folder, 'accounts.salt'));
  expect(await open('a passphrase').read(ada)).toEqual(account('y'));
});
