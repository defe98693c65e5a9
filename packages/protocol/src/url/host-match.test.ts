import { expect, it } from 'vitest';
import type { HostKey } from '../base/brands.ts';
import { hostMatch } from './host-match.ts';

it('finds one host, and with *. all below it', () => {
  const one = hostMatch('a.test');
  const all = hostMatch('*.a.test');
  const hosts = ['a.test', 'www.a.test', 'xa.test', 'a.test.b'] as HostKey[];
  expect(hosts.map(one.host)).toEqual([true, false, false, false]);
  expect(hosts.map(all.host)).toEqual([true, true, false, false]);
});

it('reads the host of a URL, also behind urn:', () => {
  const { url } = hostMatch('a.test');
  for (const yes of [
    'http://a.test/',
    'https://a.test:8443/x?y#z',
    'http://u:p@a.test',
    'urn:dom:http://a.test/',
  ])
    expect(url(yes), yes).toBe(true);
  for (const no of [
    'http://b.test/a.test',
    'http://a.test.b/',
    'http://www.a.test/',
    'a.test',
    'mailto:x@a.test',
  ])
    expect(url(no), no).toBe(false);
});

it('finds a name in text, but not inside a longer one', () => {
  const { mentions } = hostMatch('a.test');
  for (const yes of ['see http://a.test/x', 'A.TEST', '"a.test"', 'host a.test.', 'x@a.test'])
    expect(mentions(yes), yes).toBe(true);
  for (const no of ['www.a.test', 'xa.test', 'a.tests', 'a.test.example', 'a-test'])
    expect(mentions(no), no).toBe(false);
  expect(hostMatch('*.a.test').mentions('https://www.a.test/')).toBe(true);
  expect(hostMatch('[::1]').mentions('http://[::1]:80/')).toBe(true);
});
