import { describe, expect, test } from 'vitest';
import type { HostKey, Url } from '../base/brands.ts';
import { headerChooser } from '../job/policy.ts';
import { resolveJob } from '../job/resolve.ts';
import { changedFields } from '../job/changes.ts';
import { withoutSecrets } from '../job/secrets.ts';
import { credentialsIn, redact } from './secrets.ts';

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
