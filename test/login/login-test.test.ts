import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openAccountStore } from '../../packages/cli/src/accounts/account-store.ts';
import { type MembersOptions, type MembersSite, startMembersSite } from './members-site.ts';

const command = resolve(import.meta.dirname, '../../packages/cli/src/bin.ts');
const who = { site: '127.0.0.1', as: 'alice' };
let state: string;
let site: MembersSite;

beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'webfarer-login-test-'));
});
afterEach(async () => {
  await site.close();
  rmSync(state, { recursive: true, force: true });
});

const store = () => openAccountStore({ folder: join(state, 'accounts'), key: undefined });

async function begin(options: Partial<MembersOptions> = {}): Promise<void> {
  site = await startMembersSite({ pages: 3, refusal: 'soft', ...options });
  const cookie = { host: '127.0.0.1', subdomains: false, path: '/', secure: false, httpOnly: true };
  const cookies = [{ ...cookie, name: 'session', value: site.admit() }];
  await store().write(who, { cookies, storage: [], credentials: [] }, 0);
}

function run(...words: string[]): Promise<{ code: number; out: string }> {
  const args = [command, 'login', 'test', '127.0.0.1', ...words, '--url', `${site.origin}/`];
  const env = { ...process.env, WEBFARER_STATE: state };
  return new Promise((done) => {
    const child = execFile(process.execPath, args, { env }, (_error, stdout, stderr) =>
      done({ code: child.exitCode ?? -1, out: stdout + stderr }),
    );
  });
}

const pages = () => site.log.filter(({ path }) => path !== '/robots.txt');

it('says that an account is logged in, with one request, and keeps the session that the site renewed', async () => {
  await begin();
  const first = await run('alice', '--selector', 'a.me');
  expect(first.out).toContain('logged in: the page shows');
  expect(first.code).toBe(0);
  expect(pages()).toMatchObject([{ path: '/', method: 'GET', isIn: true }]);
  // The answer gave the session another name and ended the old one.
  expect(await run('alice', '--selector', 'a.me', '--json')).toMatchObject({ code: 0 });
  expect(pages()).toHaveLength(2);
  for (const secret of site.secrets) expect(first.out).not.toContain(secret);
});

it.each([
  ['soft', ['--selector', 'a.me'], 'a page without a.me'],
  ['soft', ['--text', 'for-members-only'], 'a page without the text'],
  ['401', [], 'answered 401'],
] as const)(
  'says that it is logged out (%s %j)',
  async (refusal, words, why) => {
    await begin({ refusal });
    site.lose();
    const { code, out } = await run('alice', ...words);
    expect(out).toContain(`logged out: ${why}`);
    expect(out).toContain('webfarer login');
    expect(code).toBe(4);
  },
  300_000,
);

it('does not guess where nothing shows it', async () => {
  await begin({ refusal: 'redirect' });
  site.lose();
  expect(await run('alice')).toMatchObject({
    code: 0,
    out: expect.stringContaining('unclear: sent to /login'),
  });
  expect(await run('bob')).toMatchObject({ code: 2, out: expect.stringContaining('no account bob') });
});
