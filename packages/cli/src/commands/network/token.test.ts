import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@webfarer/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { fakeWorld } from '../../fake-crawl.fixture.ts';
import { runCli } from '../../program.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-token-'));
  mkdirSync(join(folder, 'data'));
  writeFileSync(join(folder, 'data', 'coordinator.json'), '{}');
});
afterEach(() => rmSync(folder, { recursive: true }));

async function token(...words: string[]) {
  const argv = ['token', ...words, '--data', join(folder, 'data')];
  const { context, out, err } = fakeWorld(folder, {}, argv);
  const exit = await runCli(argv, { ...context, clock: systemClock() });
  return { exit, out: out(), err: err() };
}

interface Shown {
  id: string;
  token?: string;
  scope: string;
  revokedAtMs?: number;
}
const json = async (...words: string[]) => JSON.parse((await token(...words, '--json')).out) as Shown;
const listed = async () =>
  (JSON.parse((await token('ls', '--json')).out) as unknown as { tokens: Shown[] }).tokens;

it('creates, lists, rotates and revokes tokens; each secret is shown once', async () => {
  const made = await json('new', 'viewer', '--team', 'red', '--note', 'for the console', '--expires', '30d');
  expect(made.token).toMatch(new RegExp(`^wf_${made.id}_`));
  const file = join(folder, 'next.token');
  const rotated = await token('rotate', made.id, '--overlap', '1h', '--token-file', file);
  expect(rotated.out).toContain('the old secret stays valid for 1h');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const next = readFileSync(file, 'utf8').trim();
  expect(next).toMatch(new RegExp(`^wf_${made.id}_`));
  expect(next).not.toBe(made.token);
  const { out } = await token('ls');
  expect(out).toMatch(/viewer +red .*for the console +accepted until/);
  for (const secret of [made.token ?? '', next]) {
    expect(out).not.toContain(secret);
    expect(rotated.out).not.toContain(secret);
  }
  expect((await token('revoke', made.id)).out).toContain('is revoked');
  expect(await listed()).toMatchObject([
    { id: made.id, scope: 'viewer', revokedAtMs: expect.any(Number) as number },
  ]);
  const { exit, err } = await token('rotate', made.id);
  expect([exit, err]).toEqual([2, expect.stringContaining('webfarer token ls')]);
});

it('says what is wrong with a time, a scope or an id', async () => {
  expect((await token('new', 'viewer', '--expires', 'soon')).err).toContain('--expires soon is not a time');
  expect((await token('new', 'owner')).exit).toBe(2);
  expect((await token('revoke', 'none')).err).toContain('there is no token none');
  expect(await listed()).toEqual([]);
});
