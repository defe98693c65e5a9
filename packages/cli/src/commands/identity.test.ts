import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fakeWorld } from '../fake-crawl.fixture.ts';
import { runCli } from '../program.ts';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'webfarer-identity-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

async function cli(...argv: string[]) {
  const world = fakeWorld(cwd, {}, argv);
  const exit = await runCli(argv, world.context);
  return { exit, out: world.out(), err: world.err() };
}

const file = (name: string) => readFileSync(join(cwd, name), 'utf8');
const secretOf = (folder: string) => file(`${folder}/identity.key`).split('\n')[1] ?? '';

test('new makes a key that only its owner reads, and shows all but the key', async () => {
  const made = await cli('identity', 'new', '--directory', 'https://me.test/');
  expect([made.exit, made.err]).toEqual([0, '']);
  expect(statSync(join(cwd, 'identity/identity.key')).mode & 0o777).toBe(0o600);
  const document = file('identity/http-message-signatures-directory');
  const { keys } = JSON.parse(document) as { keys: { kid: string; d?: string }[] };
  expect(keys).toHaveLength(1);
  expect(keys[0]?.d).toBeUndefined();
  expect(made.out).toContain(document);
  expect(made.out).toContain(`key     ${keys[0]?.kid}`);
  expect(made.out).toContain('https://me.test/.well-known/http-message-signatures-directory');
  expect(made.out).toContain(file('identity/http-message-signatures-directory.headers'));
  expect(secretOf('identity')).toHaveLength(64);
  for (const text of [made.out, document, file('identity/http-message-signatures-directory.headers')])
    expect(text).not.toContain(secretOf('identity'));
});

test('a second key does not replace the first', async () => {
  await cli('identity', 'new', 'keys');
  const first = secretOf('keys');
  const again = await cli('identity', 'new', 'keys');
  expect([again.exit, again.err]).toEqual([2, expect.stringContaining('exists already')]);
  expect(secretOf('keys')).toBe(first);
});

test('show publishes several keys together, each with its own proof', async () => {
  await cli('identity', 'new', 'old');
  await cli('identity', 'new', 'new');
  const shown = await cli('identity', 'show', 'new', 'old', '--directory', 'https://me.test:8443', '--json');
  const { keyIds, document, headers, url } = JSON.parse(shown.out) as {
    keyIds: string[];
    document: string;
    headers: Record<string, string>;
    url: string;
  };
  expect((JSON.parse(document) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid)).toEqual(keyIds);
  expect(url).toBe('https://me.test:8443/.well-known/http-message-signatures-directory');
  expect(headers['Signature-Input']).toMatch(/^binding=\(.*, binding2=\(/);
  expect(headers['Content-Type']).toBe('application/http-message-signatures-directory+json');
});

test('what is no directory, no key, or a key that others can read is refused', async () => {
  expect(await cli('identity', 'show')).toMatchObject({
    exit: 2,
    err: expect.stringContaining('no such file'),
  });
  await cli('identity', 'new');
  expect(await cli('identity', 'show', '--directory', 'http://me.test')).toMatchObject({
    exit: 2,
    err: expect.stringContaining('expected an https origin'),
  });
  writeFileSync(join(cwd, 'identity/identity.key'), 'secret words');
  const spoilt = await cli('identity', 'show');
  expect([spoilt.exit, spoilt.err]).toEqual([2, expect.stringContaining('holds no Ed25519 private key')]);
  expect(spoilt.err).not.toContain('secret words');
});
