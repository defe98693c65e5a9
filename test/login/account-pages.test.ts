import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { CrawlOptions } from 'webfarer';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findBrowser } from '../../packages/worker/src/browser/find-browser.ts';
import { accountOf, crawlMembers, type Crawled, logIn, pagesOf, store } from './members-crawl.ts';
import {
  memberMark,
  type MembersOptions,
  type MembersSite,
  startMembersSite,
  visitorMark,
} from './members-site.ts';

const command = resolve(import.meta.dirname, '../../packages/cli/src/bin.ts');
const who = accountOf('alice');
let folder: string;
let site: MembersSite;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-account-pages-'));
});
afterEach(async () => {
  await site.close();
  await store().remove(who);
  rmSync(folder, { recursive: true, force: true });
});

async function run(
  options: Partial<MembersOptions>,
  changes: Partial<CrawlOptions> = {},
  onWait: () => Promise<void> = () => Promise.resolve(),
): Promise<Crawled> {
  site = await startMembersSite({ pages: 8, refusal: 'soft', ...options });
  await logIn(site);
  return await crawlMembers({
    site,
    folder,
    changes: { save: ['warc'], ...changes },
    async onWait() {
      await onWait();
      await logIn(site);
    },
  });
}

function archive(): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile() && one.name.endsWith('.warc.gz'))
    .map((one) => gunzipSync(readFileSync(join(one.parentPath, one.name))).toString('latin1'))
    .join('\n');
}

describe.skipIf(findBrowser() === undefined)('pages that a browser shows with an account', () => {
  let other: Server;
  const asked: { path: string; cookie: string | undefined }[] = [];
  let origin: string;
  beforeEach(async () => {
    asked.length = 0;
    other = createServer((request, response) => {
      asked.push({ path: request.url ?? '', cookie: request.headers.cookie });
      if (request.url === '/robots.txt') response.writeHead(404).end();
      else response.writeHead(200, { 'content-type': 'image/gif' }).end();
    });
    await new Promise<void>((done) => other.listen(0, '127.0.0.2', done));
    origin = `http://127.0.0.2:${(other.address() as AddressInfo).port}`;
  });
  afterEach(() => other.close());

  it('are those of the account, whose session reaches the files of the site and nobody else', async () => {
    const loads = ['/picture.gif', `${origin}/counter.gif`];
    const crawled = await run({ pages: 4, drawn: true, loads }, { render: 'always' });
    expect(pagesOf(crawled)).toHaveLength(4);
    // The sign is drawn by a script, which the site answers by the session.
    expect(crawled.sources.every((source) => /<a class="me">alice/.test(source))).toBe(true);
    const ownFiles = site.log.filter(({ path }) => path === '/me' || path === '/picture.gif');
    expect(ownFiles.length).toBeGreaterThanOrEqual(5);
    expect(ownFiles.filter(({ isIn }) => !isIn)).toEqual([]);
    const counted = asked.filter(({ path }) => path === '/counter.gif');
    expect(counted.length).toBeGreaterThan(0);
    expect(asked.filter(({ cookie }) => cookie !== undefined)).toEqual([]);
  });

  it('are not recorded when the session is lost in the middle', async () => {
    const crawled = await run({ pages: 6, drawn: true, loseAt: [3, 5] }, { render: 'always' });
    expect(pagesOf(crawled)).toHaveLength(6);
    expect(crawled.records).toHaveLength(6);
    expect(crawled.waits.length).toBeGreaterThanOrEqual(1);
    expect(crawled.sources.every((source) => source.includes(memberMark))).toBe(true);
    const kept = archive();
    expect(kept).toContain(memberMark);
    expect(kept).not.toContain(visitorMark);
  });
});

it.each([403, 429, 503])(
  'waits for the person where an account is challenged with %i',
  async (challengeStatus) => {
    const crawled = await run({ challengeAt: 4, challengeStatus });
    expect(pagesOf(crawled)).toHaveLength(8);
    expect(crawled.records.filter(({ reason }) => reason === 'challenge')).toEqual([]);
    expect(crawled.waits).toHaveLength(1);
    expect(crawled.waits[0]).toMatch(
      /alice is logged out of 127\.0\.0\.1 \(a challenge of Cloudflare\); run: /,
    );
    expect(archive()).not.toContain('cf-mitigated');
  },
  120_000,
);

it.each([true, false])(
  'settles a page that is forbidden to the account, and continues (its page names the account: %s)',
  async (forbiddenSign) => {
    const crawled = await run({ forbidden: [6, 7], forbiddenSign });
    expect(crawled.waits).toEqual([]);
    expect(pagesOf(crawled)).toHaveLength(6);
    const refused = crawled.records.filter(({ status }) => status === 403);
    expect(refused.map(({ url }) => url.slice(site.origin.length)).toSorted()).toEqual(['/p/6', '/p/7']);
  },
  120_000,
);

it('says in status and explain what a crawl waits for', async () => {
  const ask = (...words: string[]) =>
    new Promise<string>((done) => {
      execFile(process.execPath, [command, ...words], { cwd: folder }, (_error, stdout, stderr) =>
        done(stdout + stderr),
      );
    });
  let said: string[] = [];
  await run({ loseAt: [3] }, {}, async () => {
    if (said.length > 0) return;
    // The next snapshot has it, and the URLs are back in the queue a moment later.
    let status = '';
    while (!status.includes('waiting for') || !status.includes('(a login)'))
      status = await ask('status', join(folder, 'members.crawl'));
    said = [status, await ask('explain', '--folder', join(folder, 'members.crawl'), `${site.origin}/p/2`)];
  });
  const [status = '', explained = ''] = said;
  expect(status).toContain('waiting for a login: alice is logged out of 127.0.0.1 (a page without a.me)');
  expect(status).toContain('run: webfarer login https://127.0.0.1/ --as alice');
  expect(status).toMatch(/127\.0\.0\.1 +\d+ queued +due .*\(a login\)/);
  expect(explained).toMatch(/queued.*\n/);
  expect(explained).toContain('alice is logged out of 127.0.0.1; log in again with: webfarer login');
  expect(explained).toContain('--view');
});
