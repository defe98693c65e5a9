import { expect, it } from 'vitest';
import { credentialsIn, logInCookies, sessionIn } from './cookies.ts';

it('binds cookies to the host over https, and never reads those that others could set', () => {
  const { session, logIn } = logInCookies(true);
  expect(session.set('x', 60_000)).toBe(
    '__Host-webfarer-session=x; Max-Age=60; Path=/; HttpOnly; SameSite=Strict; Secure',
  );
  expect(logIn.clear()).toBe('__Host-webfarer-log-in=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax; Secure');
  expect(session.read('a=b; __Host-webfarer-session=x=y; c=d')).toBe('x=y');
  expect(session.read('webfarer-session=x')).toBeUndefined();
  // Two of the same name: somebody else may have set one.
  expect(session.read('__Host-webfarer-session=x; __Host-webfarer-session=y')).toBeUndefined();
  expect(session.read(undefined)).toBeUndefined();
});

it('takes the Authorization header before a session', () => {
  const cookies = logInCookies(false);
  const headers = { authorization: 'Bearer t', cookie: 'webfarer-session=s' };
  expect(credentialsIn((name) => headers[name], cookies)).toBe('Bearer t');
  const credentials = credentialsIn((name) => (name === 'cookie' ? headers.cookie : undefined), cookies);
  expect(sessionIn(credentials)).toBe('s');
  expect(sessionIn('Bearer t')).toBeUndefined();
});
