import { describe, expect, test } from 'vitest';
import type { HostKey, Url } from '../base/brands.ts';
import { headerChooser } from '../job/policy.ts';
import { resolveJob } from '../job/resolve.ts';
import { changedFields } from '../job/changes.ts';
import { withoutSecrets } from '../job/secrets.ts';
import { authorizationFor, credentialsIn, credentialsLine, redact } from './secrets.ts';

describe('redact', () => {
  test.each([
    ['Go on: webfarer run x --store rediss://me:s3cret@h:1,i:2', 's3cret'],
    ['--proxy=socks5://me:s3cret@h:1080 is away', 's3cret'],
    ['"https://me:s3c@ret@h/x"', 's3c@ret'],
    ['https://s3cret@h/', 's3cret'],
    ['me:s3cret@example.org is not a web address', 's3cret'],
    ['redis://:s3cret@h', 's3cret'],
  ])('masks %s', (text, secret) => {
    expect(redact(text)).not.toContain(secret);
    expect(redact(text)).toContain('***@');
  });

  test.each([
    'https://example.org/@user',
    'https://example.org/a?mail=me@example.org',
    'mailto:me@example.org',
    'webfarer/1.0 (+mailto:me@example.org)',
    'contact me@example.org',
    'https://h/x:y@z',
    'git@example.org:repo',
  ])('leaves %s', (text) => {
    expect(redact(text)).toBe(text);
  });
});

const input = {
  seeds: ['https://me:s%40cret@a.example/x', { sitemap: 'https://you:other@b.example/s.xml' }],
  contact: 'https://c.example/',
  store: { url: 'rediss://u:pw@h:1' },
  fetch: { proxy: [{ use: 'socks5://p:q@proxy:1080' }], headers: { 'X-Key': 'k', 'Accept-Language': 'de' } },
};

test('a job is written down without its secrets, and is the same job', () => {
  const plain = withoutSecrets(input);
  expect(plain).toEqual({
    ...input,
    seeds: ['https://a.example/x', { sitemap: 'https://b.example/s.xml' }],
    store: { url: 'rediss://h:1' },
    fetch: { ...input.fetch, proxy: [{ use: 'socks5://***@proxy:1080' }] },
  });
  expect(changedFields(resolveJob(plain), resolveJob(input))).toEqual([]);
});

test('a name and password in a seed go to exactly its origin', () => {
  const job = resolveJob(input);
  expect(job.seeds).toEqual([{ url: 'https://a.example/x' }, { sitemap: 'https://b.example/s.xml' }]);
  const choose = headerChooser(job, ['a.example' as HostKey, 'b.example' as HostKey]);
  const sent = (url: string) => Object.fromEntries(choose(url as Url))['Authorization'];
  expect(sent('https://a.example/y')).toBe(`Basic ${Buffer.from('me:s@cret').toString('base64')}`);
  expect(sent('https://b.example/')).toBe(`Basic ${Buffer.from('you:other').toString('base64')}`);
  for (const other of [
    'http://a.example/',
    'https://a.example:8443/',
    'https://www.a.example/',
    'https://c.example/',
  ])
    expect(sent(other)).toBeUndefined();
});

test('headers that may be keys go to the sites of the seeds only', () => {
  const choose = headerChooser(resolveJob(input), ['a.example' as HostKey]);
  const names = (url: string) => choose(url as Url).map(([name]) => name);
  expect(names('https://www.a.example/')).toEqual(['X-Key', 'Accept-Language']);
  expect(names('https://elsewhere.example/')).toEqual(['Accept-Language']);
});

test('only http(s) URLs have credentials for a site', () => {
  expect(credentialsIn('redis://u:p@h')).toBeUndefined();
  expect(credentialsIn('https://h/')).toBeUndefined();
  expect(credentialsIn('https://u:100%@h/')).toEqual({ origin: 'https://h', user: 'u', password: '100%' });
});

test('a line of credentials has them in its address, or behind it without escapes', () => {
  const origin = 'https://h:8443';
  expect(credentialsLine(' https://u:p@h:8443/x ')).toEqual({ origin, user: 'u', password: 'p' });
  const basic = credentialsLine('https://h:8443/ basic u:p:@ %41\u00e9');
  expect(basic).toEqual({ origin, user: 'u', password: 'p:@ %41\u00e9' });
  const bearer = credentialsLine('https://h:8443/x Bearer abc.def==');
  expect(bearer).toEqual({ origin, token: 'abc.def==' });
  for (const line of [
    'https://h/ bearer a b',
    'https://h/ bearer t\u00f6ken',
    'https://h/ basic u',
    'https://u:p@h/ bearer t',
    'h bearer t',
    'ftp://h/ bearer t',
    'https://h/',
    'https://h/ bearer',
  ])
    expect(credentialsLine(line), line).toBeUndefined();
});

test('a bearer token goes to exactly its origin', () => {
  const all = [{ origin: 'https://a.example:8443', token: 'abc' }];
  const sent = (url: string) => authorizationFor(url as Url, all);
  expect(sent('https://a.example:8443/y')).toBe('Bearer abc');
  for (const other of ['http://a.example:8443/', 'https://a.example/', 'https://www.a.example:8443/'])
    expect(sent(other), other).toBeUndefined();
});

test('what a login form is sent goes with no request', () => {
  const form = credentialsLine('https://h/ form u:p:w');
  expect(form).toEqual({ origin: 'https://h', user: 'u', password: 'p:w', form: true });
  const basic = { origin: 'https://h', user: 'b', password: 'b' };
  expect(authorizationFor('https://h/' as Url, form ? [form] : [])).toBeUndefined();
  expect(authorizationFor('https://h/' as Url, form ? [form, basic] : [])).toBe('Basic Yjpi');
});
