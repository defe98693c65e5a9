import type { Url } from '@webfarer/protocol';
import type { LoginRule } from '@webfarer/protocol/job';
import { expect, it } from 'vitest';
import type { FetchedPage } from '../fetch/fetch.ts';
import { logInByForm } from './form-login.ts';
import { createSign } from './login-sign.ts';
import type { LoginRequest } from './login-way.ts';
import type { SiteLogin } from './site-login.ts';

const form =
  '<form method=post action=/in><input name=user><input type=password name=pass><button>Log in</button></form>';
const access = { at: 'https://club.test/login', user: 'ann', password: 'secret' };
const loginWith = (check: LoginRule['check']) =>
  ({ rule: { site: 'club.test' }, sign: createSign({ check }) }) as unknown as SiteLogin;

/** A site: status, then where it leads or what it shows, for `METHOD URL`. */
async function loggedIn(answers: Record<string, [number, string]>, check: LoginRule['check'] = {}) {
  const asked: string[] = [];
  const ask = (url: Url, sent?: LoginRequest): Promise<FetchedPage | string> => {
    const name = `${sent?.method ?? 'GET'} ${url}`;
    asked.push(sent?.body === undefined ? name : `${name} ${sent.body}`);
    const [status, text] = answers[name] ?? [404, ''];
    const headers: [string, string][] =
      status >= 300 && status < 400 ? [['Location', text]] : [['Content-Type', 'text/html']];
    return Promise.resolve({ ok: true, url, status, headers, body: Buffer.from(text) } as FetchedPage);
  };
  return { answer: await logInByForm(loginWith(check), access, { ask }), asked };
}

const sent = 'user=ann&pass=secret';

it('sends the form again where the answer says so, and not after any other redirect', async () => {
  const { answer, asked } = await loggedIn({
    'GET https://club.test/login': [200, form],
    'POST https://club.test/in': [307, '/v2/in'],
    'POST https://club.test/v2/in': [303, '/home'],
    'GET https://club.test/home': [200, 'hello ann'],
  });
  expect(asked).toEqual([
    'GET https://club.test/login',
    `POST https://club.test/in ${sent}`,
    `POST https://club.test/v2/in ${sent}`,
    'GET https://club.test/home',
  ]);
  expect(answer).toEqual({ kind: 'in' });
});

it('takes the password to no other origin', async () => {
  const { answer, asked } = await loggedIn({
    'GET https://club.test/login': [200, form],
    'POST https://club.test/in': [308, 'http://club.test/in'],
  });
  expect(asked).toHaveLength(2);
  expect(answer).toMatchObject({ kind: 'out', why: expect.stringContaining('http://club.test') });
});

it('names the page that shows the account, unless it is one that anyone may read', async () => {
  const answers: Record<string, [number, string]> = {
    'GET https://club.test/login': [200, form],
    'POST https://club.test/in': [303, '/home'],
    'GET https://club.test/home': [200, 'hello ann'],
  };
  const inside = { kind: 'in', at: 'https://club.test/home' };
  expect((await loggedIn(answers, { text: 'hello ann' })).answer).toEqual(inside);
  expect((await loggedIn(answers, { text: 'hello', pages: '/account/**' })).answer).toEqual({ kind: 'in' });
  expect((await loggedIn(answers, { text: 'hello bob' })).answer).toMatchObject({ kind: 'out' });
});
