import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@webfarer/protocol';
import { type ApiClient, type ApiSiteAccount, createClient } from '@webfarer/protocol/api';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  type CoordinatorService,
  openCoordinatorService,
} from '../../packages/cli/src/network/coordinator-service.ts';
import { until } from '../prove/lab.ts';
import { accountOf, logIn, store } from './members-crawl.ts';
import { type MembersSite, startMembersSite } from './members-site.ts';

const who = accountOf('alice');
let folder: string;
let site: MembersSite;
let service: CoordinatorService;
let api: ApiClient;
let token: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-accounts-'));
  site = await startMembersSite({ pages: 8, refusal: 'redirect', loseAt: [4] });
  service = await openCoordinatorService({
    folder: join(folder, 'data'),
    listen: { host: '127.0.0.1', port: 0 },
    advertise: undefined,
    withWorker: true,
    baseFolder: folder,
    clock: systemClock(),
    standing: true,
  });
  await service.stand({ store: undefined, ledger: undefined });
  token = readFileSync(join(folder, 'data/operator.token'), 'utf8').trim();
  api = createClient({ url: service.url, token, fetch });
});
afterEach(async () => {
  await service.stop({ now: true });
  await site.close();
  await store().remove(who);
  rmSync(folder, { recursive: true, force: true });
});

const job = (more: Record<string, unknown> = {}) => ({
  name: 'members',
  seeds: [`${site.origin}/`],
  contact: 'mailto:accounts@webfarer.test',
  politeness: { gap: '2ms', slowFactor: 0 },
  limits: { minFree: '1MB' },
  fetch: { allowPrivate: ['127.0.0.0/8'] },
  ...more,
});
const login = [{ ...who, check: { selector: 'a.me', url: '**/login**' } }];
const codeOf = (asked: Promise<unknown>): Promise<unknown> =>
  asked.then(
    () => 'answered',
    (error: { code: string }) => error.code,
  );
const stateOf = async (crawl: string) => (await api.getCrawl({ params: { crawl } })).state;

async function untilState(...states: ApiSiteAccount['state'][]): Promise<ApiSiteAccount> {
  let found: ApiSiteAccount | undefined;
  await until(
    `the account to be ${states.join(' or ')}`,
    async () => {
      const { items } = await api.listSiteAccounts();
      found = items.find((one) => states.includes(one.state));
      return found !== undefined;
    },
    60_000,
  );
  return found as ApiSiteAccount;
}

it('leaves out a crawl whose account is not there, and works on the others', async () => {
  await api.createCrawl({ body: { job: job({ login }) } });
  const account = await untilState('absent');
  expect(account).toMatchObject({ ...who, uses: [{ name: 'members', state: 'absent' }] });
  expect(account).not.toHaveProperty('keptAtMs');
  expect(account.logInAt).toBe(`${site.origin}/`);
  await api.createCrawl({ body: { job: job({ name: 'visitors', limits: { minFree: '1MB', pages: 1 } }) } });
  await until('the other crawl to end', async () => (await stateOf('visitors')) !== 'running', 20_000).catch(
    () => undefined,
  );
  expect(await stateOf('visitors')).toBe('limited');
});

it('tells of accounts, how crawls fare with them and what waits, and never a secret', async () => {
  await logIn(site);
  expect(await untilState('idle')).toMatchObject({ ...who, keptAtMs: 0, uses: [] });
  await api.createCrawl({ body: { job: job({ login }) } });
  const out = await untilState('out');
  const [use] = out.uses;
  expect(use).toMatchObject({ name: 'members', state: 'out', isChallenge: false, hostsWaiting: 1 });
  expect(use?.urlsWaiting).toBeGreaterThan(0);
  expect(use?.url).toContain(site.origin);
  expect(use?.usedAtMs).toBeGreaterThan(0);
  const answer = await fetch(`${service.url}/v1/site-accounts`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const text = await answer.text();
  for (const secret of site.secrets) expect(text).not.toContain(secret);
  await logIn(site);
  await until('the crawl to end', async () => (await stateOf('members')) === 'finished', 60_000);
  expect(await untilState('idle')).toMatchObject({ uses: [] });
});

it('says that the site asks for proof of being human', async () => {
  await site.close();
  site = await startMembersSite({ pages: 8, refusal: 'redirect', challengeAt: 3 });
  await logIn(site);
  await api.createCrawl({ body: { job: job({ login }) } });
  const { state, uses } = await untilState('challenge', 'out');
  expect(state).toBe('challenge');
  expect(uses[0]).toMatchObject({
    state: 'out',
    isChallenge: true,
    why: expect.stringContaining('challenge'),
  });
});

it('removes an account for admins, and lists none to others', async () => {
  await logIn(site);
  const params = { site: who.site, account: who.as };
  const { token: operator } = await api.createToken({ body: { scope: 'operator' } });
  const other = createClient({ url: service.url, token: operator, fetch });
  expect(await codeOf(other.listSiteAccounts())).toBe('forbidden');
  expect(await codeOf(other.removeSiteAccount({ params }))).toBe('forbidden');
  await api.removeSiteAccount({ params });
  expect(await store().read(who)).toBeUndefined();
  expect(await codeOf(api.removeSiteAccount({ params }))).toBe('not-found');
});
