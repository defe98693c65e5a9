import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HostKey } from '../base/brands.ts';
import { fitsHost, hostPattern, patternsOf } from './host-pattern.ts';

const host = (text: string) => text as HostKey;

describe('a host pattern', () => {
  it.each([
    ['Example.ORG', 'example.org'],
    ['*.Bücher.example', '*.xn--bcher-kva.example'],
    ['127.0.0.1', '127.0.0.1'],
    ['[::1]', '[::1]'],
    ['localhost', 'localhost'],
    ['*', '*'],
  ])('%s is looked up as %s', (text, pattern) => {
    expect(hostPattern(text)).toBe(pattern);
  });

  it.each([
    '',
    '**',
    '*.',
    'a.*.example',
    '*example.org',
    'http://a.example',
    'a.example:80',
    'a.example/x',
    'u@a.example',
    '*.127.0.0.1',
    '*.[::1]',
    'a b',
  ])('%j is not one', (text) => {
    expect(hostPattern(text)).toBeUndefined();
  });

  it('names a domain with and without what is below it, the most specific first', () => {
    expect([...patternsOf(host('www.a.example'))]).toEqual([
      'www.a.example',
      '*.www.a.example',
      '*.a.example',
      '*.example',
      '*',
    ]);
    expect([...patternsOf(host('10.0.0.1'))]).toEqual(['10.0.0.1', '*']);
    expect(fitsHost('*.a.example', host('a.example'))).toBe(true);
    expect(fitsHost('*.a.example', host('ba.example'))).toBe(false);
  });

  it('fits the hosts that list it, and no other', () => {
    const label = fc.constantFrom('a', 'b', 'ab');
    const name = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => host(labels.join('.')));
    fc.assert(
      fc.property(name, name, fc.boolean(), (one, other, isWide) => {
        const pattern = isWide ? `*.${other}` : other;
        expect(fitsHost(pattern, one)).toBe([...patternsOf(one)].includes(pattern));
      }),
    );
  });
});
