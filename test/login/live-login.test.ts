import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { systemClock } from '@webfarer/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openCoordinatorService } from '../../packages/cli/src/network/coordinator-service.ts';
import { findBrowser } from '../../packages/worker/src/browser/find-browser.ts';
import { accountOf, crawlMembers, logIn, pagesOf, store } from './members-crawl.ts';
import { logInAtView } from './log-in-view.ts';
import { memberMark, type MembersSite, startMembersSite, visitorMark } from './members-site.ts';

const executablePath = findBrowser() ?? '';
const command = resolve(import.meta.dirname, '../../packages/cli/src/bin.ts');
const who = accountOf('alice');
let folder: string;
let site: MembersSite;
let browser: Browser;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-live-login-'));
  site = await startMembersSite({ pages: 8, refusal: 'redirect', loseAt: [4] });
  browser = await chromium.launch({ executablePath, chromiumSandbox: process.getuid?.() !== 0 });
});
afterEach(async () => {
  await browser.close();
  await site.close();
  await store().remove(who);
  rmSync(folder, { recursive: true, force: true });
});

/** `webfarer login`, and where it is to be viewed. */
async function openView(
  ...words: string[]
): Promise<{ url: string; child: ChildProcess; output: () => string }> {
  const args = [command, 'login', `${site.origin}/login`, '--as', 'alice', ...words];
  const child = spawn(process.execPath, args, { env: process.env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += String(data)));
  const url = await new Promise<string>((found, failed) => {
    child.stdout.on('data', () => {
      const [address] = /http:\S+#\S+/.exec(output) ?? [];
      if (address !== undefined) found(address);
    });
    child.once('exit', () => failed(new Error(output)));
  });
  return { url, child, output: () => output };
}

const ended = (child: ChildProcess) =>
  new Promise<number | null>((done) =>
    child.exitCode === null ? child.once('exit', done) : done(child.exitCode),
  );

describe.skipIf(executablePath === '')('a login from elsewhere', () => {
  it('lets a person log in from elsewhere, and a crawl that waits for it continues', async () => {
    await logIn(site);
    let output = '';
    const crawled = await crawlMembers({
      site,
      folder,
      changes: { login: [{ ...who, check: { selector: 'a.me', url: '**/login**' } }] },
      async onWait(detail) {
        if (output !== '') return;
        expect(detail).toContain('--view');
        const view = await openView('--view');
        const page = await browser.newPage();
        await page.goto(view.url);
        await logInAtView(page, 'opensesame');
        expect(page.url()).not.toContain('#');
        await page.click('#done');
        await page.getByRole('status').filter({ hasText: 'Done.' }).waitFor();
        expect(await ended(view.child)).toBe(0);
        output = view.output();
      },
    });
    expect(output).toContain('kept      alice of 127.0.0.1');
    expect(output).not.toContain('opensesame');
    expect(pagesOf(crawled)).toHaveLength(8);
    expect(
      crawled.sources.every((source) => source.includes(memberMark) && !source.includes(visitorMark)),
    ).toBe(true);
  });

  it('ends by itself once a page shows it, and a reload continues the view', async () => {
    const view = await openView('--view', '--selector', 'a.me');
    const page = await browser.newPage();
    await page.goto(view.url);
    await page.locator('#cover').waitFor({ state: 'hidden' });
    await page.reload();
    await logInAtView(page, 'opensesame');
    await page.getByRole('status').filter({ hasText: 'Done.' }).waitFor();
    expect(await ended(view.child)).toBe(0);
    expect((await store().read(who))?.cookies.map(({ name }) => name)).toContain('session');
  });

  it('does the same at a coordinator that fetches itself, for admins', async () => {
    const service = await openCoordinatorService({
      folder: join(folder, 'data'),
      listen: { host: '127.0.0.1', port: 0 },
      advertise: undefined,
      withWorker: true,
      baseFolder: folder,
      clock: systemClock(),
      standing: true,
    });
    try {
      await service.stand({ store: undefined, ledger: undefined });
      const view = await openView('--at', join(folder, 'data'));
      expect(view.url).toContain(`${service.url}/v1/live-view/page#`);
      const page = await browser.newPage();
      const answer = await page.goto(view.url);
      expect(answer?.headers()['content-security-policy']).toContain("script-src 'sha256-");
      await logInAtView(page, 'opensesame');
      await page.click('#done');
      await page.getByRole('status').filter({ hasText: 'Done.' }).waitFor();
      expect(await ended(view.child)).toBe(0);
      expect((await store().read(who))?.cookies.map(({ name }) => name)).toContain('session');
      const admin = readFileSync(join(folder, 'data/operator.token'), 'utf8').trim();
      const ask = (method: string, path: string, body?: object, token = admin) =>
        fetch(service.url + path, {
          method,
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          ...(body ? { body: JSON.stringify(body) } : {}),
        });
      const made = await ask('POST', '/v1/tokens', { scope: 'operator' });
      const { token } = (await made.json()) as { token: string };
      const wish = { url: `${site.origin}/login`, as: 'alice' };
      expect((await ask('POST', '/v1/site-logins', wish, token)).status).toBe(403);
      expect((await ask('POST', '/v1/site-logins', { ...wish, url: 'file:///etc/passwd' })).status).toBe(400);
      const noted = await (await ask('GET', '/v1/audit')).text();
      expect(noted).toContain('openSiteLogin');
      expect(noted).not.toContain(view.url.split('#')[1]);
      expect(await (await ask('GET', '/v1/site-logins')).json()).toMatchObject({
        items: [{ as: 'alice', state: 'kept' }],
      });
    } finally {
      await service.stop();
    }
  });

  it('keeps nothing when the person cancels', async () => {
    const view = await openView('--view');
    const page = await browser.newPage();
    await page.goto(view.url);
    await page.locator('#cover').waitFor({ state: 'hidden' });
    await page.click('#cancel');
    await page.getByRole('status').filter({ hasText: 'Cancelled.' }).waitFor();
    expect(await ended(view.child)).not.toBe(0);
    expect(await store().read(who)).toBeUndefined();
  });
});
