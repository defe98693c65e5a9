import { expect, it } from 'vitest';
import { addressOf, parseStoreUrl, readStoreUrl, splitAddress } from './address.ts';

it('reads servers, their names and passwords', () => {
  expect(parseStoreUrl('redis://a,b:7000,[::1]:7001')).toEqual([
    { host: 'a', port: 6379, tls: false },
    { host: 'b', port: 7000, tls: false },
    { host: '::1', port: 7001, tls: false },
  ]);
  const signedIn = { host: 'a', port: 1, tls: true, user: 'me', password: 'a/b' };
  expect(parseStoreUrl('rediss://me:a%2Fb@a:1')).toEqual([signedIn]);
  expect(parseStoreUrl('valkeys://me:a%2Fb@a:1')).toEqual([signedIn]);
  expect(parseStoreUrl('valkey://:b@a')).toEqual([{ host: 'a', port: 6379, tls: false, password: 'b' }]);
});

it('reads the socket of a server on this machine', () => {
  const socket = { host: '/run/valkey.sock', port: 0, tls: false };
  expect(parseStoreUrl('unix:///run/valkey.sock')).toEqual([socket]);
  expect(parseStoreUrl('unix://me:a%2Fb@/run/valkey.sock')).toEqual([
    { ...socket, user: 'me', password: 'a/b' },
  ]);
  expect(splitAddress(addressOf(socket))).toEqual({ host: '/run/valkey.sock', port: 0 });
});

it('reads Sentinels, the name of what they monitor, and who signs in where', () => {
  expect(readStoreUrl('redis+sentinel://me:x@a,b:7000/mymaster?sentinel-auth=/run/auth')).toMatchObject({
    seeds: [
      { host: 'a', port: 26379, tls: false },
      { host: 'b', port: 7000, tls: false },
    ],
    sentinel: { name: 'mymaster', authFile: '/run/auth', servers: { user: 'me', password: 'x' } },
  });
  const watched = readStoreUrl('redis+sentinel://a/mymaster?password-file=/run/p');
  expect([watched.seeds[0], watched.sentinel?.servers]).toEqual([
    expect.not.objectContaining({ passwordFile: '/run/p' }),
    { passwordFile: '/run/p' },
  ]);
  expect(readStoreUrl('redis://a?password-file=/run/p').seeds[0]).toMatchObject({ passwordFile: '/run/p' });
  expect(readStoreUrl('redis+sentinel://me:x@a/mymaster').seeds[0]).not.toHaveProperty('password');
  expect(() => readStoreUrl('redis+sentinel://a')).toThrow('does not say which primary');
});

it('reads certificates, names and maps behind the address', () => {
  const url = 'rediss://a:1,b:2?ca=%2Fetc%2Fca.pem&server-name=store.test&nat=10.0.0.1:1%3Da:1';
  const { seeds, nat } = readStoreUrl(url);
  expect(seeds[1]).toEqual({
    host: 'b',
    port: 2,
    tls: true,
    trust: { ca: '/etc/ca.pem', serverName: 'store.test' },
  });
  expect(nat.outer('10.0.0.1:1')).toBe('a:1');
  expect(() => readStoreUrl('rediss://a?cacert=x')).toThrow('unknown option: cacert');
});

it.each([
  'http://a',
  'redis://',
  'redis://a/mymaster',
  'unix://run/x',
  'unix:///a,/b',
  'redis',
  'redis://:hidden@',
])('refuses %s, and prints no password', (url) => {
  expect(() => parseStoreUrl(url)).toThrow(/^invalid store address: (?!.*hidden)/);
});
