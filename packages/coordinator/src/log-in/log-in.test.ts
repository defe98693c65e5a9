import { generateKeyPairSync } from 'node:crypto';
import { systemClock } from '@webfarer/protocol';
import { problemSchema } from '@webfarer/protocol/api';
import type { LogInSettings } from '@webfarer/protocol/node';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { redisForFile } from '../../../../test/redis/for-file.ts';
import { type ApiServer, openApiServer } from '../api-server.fixture.ts';
import { type IssuerWay, openIssuer } from './issuer.ts';
import {
  openTestBrowser,
  openTestProvider,
  type TestBrowser,
  type TestProvider,
} from './provider.fixture.ts';

const redis = redisForFile();
// Each log-in is a dozen requests, and signatures of two parties.
vi.setConfig({ testTimeout: 60_000 });
const users = {
  anna: {
    groups: ['staff', 'crawl-operators'],
    name: 'Anna <i>',
    email: 'anna@example.org',
    email_verified: true,
  },
  bob: { groups: ['staff'], email: 'bob@press.example', email_verified: true },
  dora: { groups: ['<b>x'] },
  carl: { groups: ['staff'], email: 'carl@press.example', email_verified: false },
};
const settings = ({ issuer, clientId, clientSecret }: TestProvider): LogInSettings => ({
  issuer,
  clientId,
  clientSecret,
  scopes: ['openid', 'profile', 'email', 'groups'],
  groupsClaim: 'groups',
  sessionLife: 3_600_000,
  grants: [
    { group: 'crawl-operators', scope: 'operator', team: 'red' },
    { email: '*@press.example', scope: 'viewer', team: 'press' },
  ],
});

let provider: TestProvider;
/** Two coordinators of one store. */
let a: ApiServer;
let b: ApiServer;
/** What becomes of ID tokens on their way from the provider. */
let tamper: (idToken: string) => string;
let isCut = false;

const way: IssuerWay = {
  async ask({ method, url, headers, content }) {
    if (isCut) return { error: 'connection refused' };
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      headers,
      ...(method === 'POST' ? { body: content } : {}),
    });
    let text = await response.text();
    if (url.endsWith('/token') && response.ok) {
      const answer = JSON.parse(text) as { id_token: string };
      text = JSON.stringify({ ...answer, id_token: tamper(answer.id_token) });
    }
    return {
      status: response.status,
      headers: [['content-type', response.headers.get('content-type') ?? '']],
      body: new TextEncoder().encode(text),
    };
  },
};

beforeAll(async () => {
  tamper = (idToken) => idToken;
  provider = await openTestProvider(users);
  const host = { store: { url: (await redis()).url, durability: 'strict', insecure: false } } as const;
  const logIn = { settings: settings(provider), way };
  a = await openApiServer({ host, logIn });
  b = await openApiServer({ host, logIn });
  provider.start([a, b].map(({ server }) => `${server.url}/v1/session/callback`));
});
afterAll(async () => {
  await a.stop();
  await b.stop();
  await provider.stop();
});

const soon = { timeout: 30_000, interval: 100 };
const sessionCookie = 'webfarer-session';
const logInCookie = 'webfarer-log-in';

/** Until the provider sends the browser back: where to. */
async function begin(browser: TestBrowser, user: string, to = '/'): Promise<string> {
  const begun = await browser.send(`${a.server.url}/v1/session/log-in?to=${encodeURIComponent(to)}`);
  expect(begun.status).toBe(302);
  return await browser.passProvider(begun.headers.get('location') ?? '', user);
}

async function logIn(user: string): Promise<{ browser: TestBrowser; response: Response; secret: string }> {
  const browser = openTestBrowser();
  const back = await begin(browser, user);
  // As a browser says that comes from the provider.
  const response = await browser.send(back, { headers: { 'sec-fetch-site': 'cross-site' } });
  return { browser, response, secret: browser.cookies(a.server.url).get(sessionCookie) ?? '' };
}

async function refusal(response: Response) {
  expect(response.status).toBeGreaterThanOrEqual(400);
  const problem = problemSchema.parse(await response.json());
  expect(problem.status).toBe(response.status);
  expect(problem.next).toBeDefined();
  return problem;
}

const whoami = (server: ApiServer, secret: string) => async () => {
  const response = await fetch(`${server.server.url}/v1/whoami`, {
    headers: { cookie: `${sessionCookie}=${secret}` },
  });
  return response.status;
};

it('logs a user in, and every coordinator of the store knows the session at once', async () => {
  const { browser, response, secret } = await logIn('anna');
  expect(response.status).toBe(200);
  expect(await response.text()).toContain('Anna &#60;i&#62;');
  const [set] = response.headers.getSetCookie().filter((one) => one.startsWith(sessionCookie));
  expect(set).toMatch(/; Max-Age=3600; Path=\/; HttpOnly; SameSite=Strict$/);
  expect(browser.cookies(a.server.url).has(logInCookie)).toBe(false);
  const me = {
    id: 'oidc:anna',
    name: 'Anna <i>',
    scope: 'operator',
    team: 'red',
    session: expect.any(String),
  };
  expect(await (await browser.send(`${a.server.url}/v1/whoami`)).json()).toEqual(me);
  expect(await whoami(b, secret)()).toBe(200);
  const { body } = await a.ask('GET', '/v1/sessions');
  expect(body).toMatchObject({ items: [{ user: 'oidc:anna', email: 'anna@example.org', team: 'red' }] });
  const audit = JSON.stringify((await a.ask('GET', '/v1/audit')).body);
  expect(audit).toContain('logIn');
  // Nowhere in what an admin or the store sees.
  expect(JSON.stringify(body) + audit).not.toContain(secret.split('.')[1]);
});

it('changes something with a session only for a page of this very origin', async () => {
  const { browser, secret } = await logIn('anna');
  const create = (headers: Record<string, string>, name: string) =>
    fetch(`${a.server.url}/v1/crawls`, {
      method: 'POST',
      headers: { cookie: `${sessionCookie}=${secret}`, 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ job: { name, seeds: ['https://a.test/'] } }),
    });
  for (const headers of [{}, { origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }])
    expect((await create(headers as Record<string, string>, 'no')).status).toBe(403);
  const made = await create({ origin: a.server.url }, 'yes');
  expect([made.status, await made.json()]).toMatchObject([201, { job: { team: 'red' } }]);
  // A bad token is not made good by a session beside it.
  const mixed = await browser.send(`${a.server.url}/v1/whoami`, { headers: { authorization: 'Bearer x' } });
  expect(mixed.status).toBe(401);
});

it('refuses a return that it did not send for', async () => {
  const browser = openTestBrowser();
  const back = await begin(browser, 'anna');
  const wrongState = back.replace(/state=[^&]+/, 'state=other');
  expect(await refusal(await browser.send(wrongState))).toMatchObject({ code: 'log-in-refused' });
  expect(await refusal(await openTestBrowser().send(back))).toMatchObject({ code: 'log-in-refused' });
  expect(await refusal(await browser.send(`${a.server.url}/v1/session/callback`))).toMatchObject({
    status: 403,
  });
  // The nonce of another log-in: the ID token was made for somebody else's browser.
  const jar = browser.cookies(a.server.url);
  const kept = jar.get(logInCookie) ?? '';
  const begun = JSON.parse(Buffer.from(kept, 'base64url').toString()) as Record<string, unknown>;
  jar.set(logInCookie, Buffer.from(JSON.stringify({ ...begun, nonce: 'other' })).toString('base64url'));
  expect(await refusal(await browser.send(back))).toMatchObject({
    detail: expect.stringContaining('JWT claim'),
  });
  expect(jar.has(sessionCookie)).toBe(false);
});

it('refuses a code that was used before, even in the same browser', async () => {
  const browser = openTestBrowser();
  const back = await begin(browser, 'anna');
  const jar = browser.cookies(a.server.url);
  const kept = jar.get(logInCookie) ?? '';
  expect((await browser.send(back)).status).toBe(200);
  jar.set(logInCookie, kept);
  expect(await refusal(await browser.send(back))).toMatchObject({
    code: 'log-in-refused',
    detail: expect.stringContaining('invalid_grant'),
  });
});

it('refuses an ID token that is forged or expired', async () => {
  const { privateKey: key } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const past = Math.floor(Date.now() / 1_000) - 7_200;
  for (const forgery of [
    { key },
    { alg: 'none' as const },
    { claims: { iat: past, exp: past + 60 } },
    { claims: { aud: 'other' } },
    { claims: { iss: 'https://other.example' } },
  ]) {
    tamper = (idToken) => provider.forge(idToken, forgery);
    const { response, secret } = await logIn('anna');
    expect(await refusal(response), JSON.stringify(Object.keys(forgery))).toMatchObject({
      code: 'log-in-refused',
    });
    expect(secret).toBe('');
  }
  // The control: a token that is signed anew with the right key and changed in nothing.
  tamper = (idToken) => provider.forge(idToken, {});
  expect((await logIn('anna')).response.status).toBe(200);
  tamper = (idToken) => idToken;
});

it('lets nobody in without a grant, and says what to do', async () => {
  const verified = await logIn('bob');
  expect((await verified.browser.send(`${a.server.url}/v1/whoami`)).status).toBe(200);
  const { response, secret } = await logIn('carl');
  const problem = await refusal(response);
  expect(problem).toMatchObject({ status: 403, code: 'log-in-refused' });
  expect(problem.detail).toContain('staff');
  expect(problem.next).toContain('grant');
  expect(secret).toBe('');
});

it('refuses a person with a page, which says what a program reads as a problem', async () => {
  const browser = openTestBrowser();
  const back = await begin(browser, 'carl');
  const response = await browser.send(back, { headers: { accept: 'text/html,application/xhtml+xml' } });
  expect(response.status).toBe(403);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(response.headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/);
  const page = await response.text();
  expect(page).toContain('groups: staff');
  expect(page).toContain('Ask an administrator');
  expect(page).not.toContain('refresh');
  const unusual = openTestBrowser();
  const markup = await unusual.send(await begin(unusual, 'dora'), { headers: { accept: 'text/html' } });
  expect(await markup.text()).toContain('&#60;b&#62;x');
  const odd = await fetch(`${a.server.url}/v1/session/log-in?to=elsewhere`, {
    headers: { accept: 'text/html' },
  });
  expect([odd.status, await odd.text()]).toEqual([
    400,
    expect.stringContaining('<h1>This did not work</h1>'),
  ]);
});

it('ends a session everywhere when its user logs out, or an admin revokes it', {
  timeout: 60_000,
}, async () => {
  const out = await logIn('anna');
  expect(await whoami(b, out.secret)()).toBe(200);
  const logOut = await out.browser.send(`${a.server.url}/v1/session`, {
    method: 'DELETE',
    headers: { origin: a.server.url },
  });
  expect(logOut.status).toBe(204);
  expect(out.browser.cookies(a.server.url).has(sessionCookie)).toBe(false);
  expect(await whoami(a, out.secret)()).toBe(401);
  await expect.poll(whoami(b, out.secret), soon).toBe(401);

  const revoked = await logIn('anna');
  const socket = new WebSocket(`${b.server.url.replace('http', 'ws')}/v1/stream`, {
    headers: { cookie: `${sessionCookie}=${revoked.secret}`, origin: b.server.url },
  });
  const closes: number[] = [];
  socket.on('close', (code: number) => closes.push(code));
  await new Promise((resolve, reject) => socket.once('message', resolve).once('error', reject));
  const id = revoked.secret.split('.')[0] ?? '';
  expect((await a.ask('DELETE', `/v1/sessions/${id}`)).status).toBe(204);
  expect(await whoami(a, revoked.secret)()).toBe(401);
  await expect.poll(whoami(b, revoked.secret), soon).toBe(401);
  await expect.poll(() => closes.length, soon).toBe(1);
  expect((await a.ask('DELETE', `/v1/sessions/${id}`)).status).toBe(404);
});

it('works with tokens while the provider is unreachable', async () => {
  const silent = await openApiServer({
    logIn: { settings: settings(provider), way: { ask: async () => ({ error: 'connection refused' }) } },
  });
  const begun = await fetch(`${silent.server.url}/v1/session/log-in`, { redirect: 'manual' });
  expect(await refusal(begun)).toMatchObject({ status: 503, code: 'issuer-silent' });
  expect((await silent.ask('GET', '/v1/whoami')).status).toBe(200);
  await silent.stop();
  // Known already, and unreachable when the browser comes back.
  const browser = openTestBrowser();
  const back = await begin(browser, 'anna');
  isCut = true;
  expect(await refusal(await browser.send(back))).toMatchObject({ code: 'issuer-silent', retryable: true });
  isCut = false;
});

it('sends no browser to a provider that answered once and is unreachable now', async () => {
  const time = { now: 0 };
  const redirectUrl = 'http://127.0.0.1:1/v1/session/finish';
  const issuer = openIssuer({
    settings: settings(provider),
    way,
    clock: { now: () => time.now },
    redirectUrl,
  });
  const begun = () => issuer.authorizationUrl(issuer.newChecks());
  expect(await begun()).toContain(provider.issuer);
  isCut = true;
  try {
    time.now += 6_000;
    await expect(begun()).rejects.toMatchObject({ code: 'issuer-silent' });
  } finally {
    isCut = false;
  }
  // Those who come next are refused at once for a moment, then it is asked again.
  await expect(begun()).rejects.toMatchObject({ code: 'issuer-silent' });
  time.now += 2_000;
  expect(await begun()).toContain(provider.issuer);
});

it('says so where there is no provider, and takes a browser to no other site', async () => {
  const alone = await openApiServer({ clock: systemClock() });
  expect(await alone.ask('GET', '/v1/session/log-in')).toMatchObject({ status: 404 });
  expect(await alone.ask('DELETE', '/v1/session')).toMatchObject({ status: 409 });
  await alone.stop();
  for (const to of ['https://evil.example/', '//evil.example', '/\\evil.example'])
    expect((await fetch(`${a.server.url}/v1/session/log-in?to=${encodeURIComponent(to)}`)).status).toBe(400);
});
