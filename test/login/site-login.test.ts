import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { CrawlOptions } from 'webfarer';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { accountOf, crawlMembers, type Crawled, logIn, pagesOf, store } from './members-crawl.ts';
import {
  memberMark,
  type MembersOptions,
  type MembersSite,
  startMembersSite,
  visitorMark,
} from './members-site.ts';

let folder: string;
let site: MembersSite;
const who = accountOf('alice');

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-site-login-'));
});
afterEach(async () => {
  await site.close();
  await store().remove(who);
  rmSync(folder, { recursive: true, force: true });
});

async function begin(options: Partial<MembersOptions> = {}): Promise<void> {
  site = await startMembersSite({ pages: 12, refusal: 'soft', ...options });
}

async function run(
  changes: Partial<CrawlOptions> = {},
  onWait: () => Promise<void> = () => logIn(site),
): Promise<Crawled> {
  return await crawlMembers({ site, folder, changes, onWait });
}

function everything(under: string): string {
  return readdirSync(under, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => {
      const bytes = readFileSync(join(one.parentPath, one.name));
      return (one.name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('latin1');
    })
    .join('\n');
}

it('reads pages with a stored account, and follows no link that logs out', async () => {
  await begin();
  await logIn(site);
  const crawled = await run();
  expect(pagesOf(crawled)).toHaveLength(12);
  expect(crawled.sources.every((source) => source.includes(memberMark))).toBe(true);
  expect(site.log.filter(({ path }) => /out/.test(path))).toEqual([]);
  expect(crawled.waits).toEqual([]);
});

it('refuses to begin without the account', async () => {
  await begin();
  await expect(run()).rejects.toThrow(/no account alice of 127\.0\.0\.1/);
  expect(site.log).toEqual([]);
});

it.each(['soft', 'redirect', '401', '403', 'all'] as const)(
  'pauses when the session is lost (%s), keeps nothing that a visitor sees, and continues after a person has logged in',
  async (refusal) => {
    await begin({ refusal, loseAt: [4, 9] });
    await logIn(site);
    const crawled = await run({
      login: [{ ...who, check: { selector: 'a.me', url: '**/login**' } }],
      save: ['warc'],
    });
    expect(pagesOf(crawled)).toHaveLength(12);
    expect(crawled.records).toHaveLength(12);
    expect(crawled.sources.some((source) => source.includes(visitorMark))).toBe(false);
    expect(crawled.waits).toHaveLength(2);
    expect(crawled.waits[0]).toMatch(
      /alice is logged out of 127\.0\.0\.1 \(.*\); run: webfarer login .* --as alice/,
    );
    const kept = everything(folder);
    expect(kept).toContain(memberMark);
    expect(kept).not.toContain(visitorMark);
    for (const secret of site.secrets) expect(kept).not.toContain(secret);
  },
  300_000,
);

it('asks for nothing while the account is out', async () => {
  await begin({ loseAt: [3] });
  await logIn(site);
  let outside = 0;
  await run({}, async () => {
    const before = site.log.length;
    await new Promise((resolve) => setTimeout(resolve, 300));
    outside = site.log.length - before;
    await logIn(site);
  });
  expect(outside).toBe(0);
});

const byForm = (password: string): Partial<CrawlOptions> => ({
  login: [{ ...who, check: { selector: 'a.me' }, form: `${site.origin}/login` }],
  credentials: { [site.origin]: { form: { user: 'alice', password } } },
});
const posts = () => site.log.filter(({ method }) => method === 'POST').length;

it('logs in by the form before the first page and after each loss, without a person', async () => {
  await begin({ refusal: 'all', loseAt: [4, 8] });
  const crawled = await run(byForm('opensesame'), () => Promise.resolve());
  expect(pagesOf(crawled)).toHaveLength(12);
  expect(crawled.sources.some((source) => source.includes(visitorMark))).toBe(false);
  expect(posts()).toBe(3);
  expect(new Set(crawled.waits.map((wait) => wait.slice(wait.lastIndexOf('; '))))).toEqual(
    new Set(['; logging in by the form']),
  );
  const kept = everything(folder);
  for (const secret of site.secrets) expect(kept).not.toContain(secret);
});

it('settles a public page that lacks the sign alone, after one login that the form itself has proven', async () => {
  await begin({ open: [0], landsOn: '/p/1' });
  const seeds = [`${site.origin}/`, `${site.origin}/p/1`];
  let persons = 0;
  const crawled = await run({ ...byForm('opensesame'), seeds }, async () => {
    if (posts() < 2) return;
    persons += 1;
    await logIn(site);
  });
  expect(persons).toBe(0);
  expect(posts()).toBe(1);
  expect(pagesOf(crawled)).toHaveLength(7);
  expect(crawled.records.find(({ url }) => url === seeds[0])).toMatchObject({
    verdict: 'failed',
    reason: 'login',
    detail: expect.stringMatching(
      /without a\.me, though the account is logged in: .* limit check\.pages/,
    ) as string,
  });
});

it('reads public pages as they are where check.pages says which pages show the account', async () => {
  await begin({ open: [0, 2], loseAt: [5] });
  const [rule] = byForm('opensesame').login ?? [];
  const check = { selector: 'a.me', pages: { regex: '/p/([013-9]|1.)$' } };
  const login = [{ ...who, ...rule, check }];
  const crawled = await run({ ...byForm('opensesame'), login }, () => Promise.resolve());
  expect(pagesOf(crawled)).toHaveLength(12);
  expect(crawled.sources.some((source) => source.includes(visitorMark))).toBe(false);
  expect(posts()).toBe(2);
});

it('tries a password that is refused twice, then waits for a person', async () => {
  await begin({ loseAt: [5] });
  await logIn(site);
  const crawled = await run(byForm('mistaken'), async () => {
    if (posts() >= 2) await logIn(site);
  });
  expect(pagesOf(crawled)).toHaveLength(12);
  expect(posts()).toBe(2);
  expect(crawled.waits.at(-1)).toContain('the login form was refused');
});

it('sends HTTP Basic of the account, and takes another password from a person', async () => {
  await begin({ basic: true, refusal: '401', loseAt: [4] });
  const storePassword = async () => {
    const [password = ''] = [...site.secrets].slice(-1);
    const credentials = [{ origin: site.origin, user: 'alice', password }];
    await store().write(who, { cookies: [], storage: [], credentials }, 0);
  };
  await storePassword();
  const crawled = await run({ login: [{ ...who, check: 'status' }] }, storePassword);
  expect(pagesOf(crawled)).toHaveLength(12);
  expect(crawled.records.filter(({ status }) => status === 401)).toEqual([]);
});
