import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HostKey } from '../base/brands.ts';
import { globMatcher, patternMatcher, showPattern } from './glob.ts';
import { cpuMs } from '../../../../test/cpu-time.ts';

describe('globs', () => {
  it.each([
    ['**/login/**', 'https://a.example/login/', true],
    ['**/login/**', 'https://a.example/login', true],
    ['**/login/**', 'https://a.example/login?next=/', true],
    ['**/login/**', 'https://a.example/x/login/y', true],
    ['**/login/**', 'https://a.example/loginx/', false],
    ['**/login/**', 'https://a.example/?x=/login/', true],
    ['https://*/x/**', 'https://a.example/x/y/z', true],
    ['https://*/x/**', 'https://a.example/x', true],
    ['https://*/x/**', 'http://a.example/x/', false],
    ['https://*/x/**', 'https://a.example/y/x/', false],
    ['https://*.onion/**', 'https://abc.onion/', true],
    ['https://*.onion/**', 'https://abc.onion.example/', false],
    ['*.pdf', 'https://a.example/b/c.pdf', true],
    ['*.pdf', 'https://a.example/b/c.pdf?page=/2', true],
    ['*.pdf', 'https://a.example/b/c.pdf.html', false],
    ['/p/*', 'https://a.example/p/1', true],
    ['/p/*', 'https://a.example/p/1?x=/y', true],
    ['/p/*', 'https://a.example/p/1/2', false],
    ['/p/*', 'https://a.example/q/p/1', false],
    ['/p/**', 'https://a.example/p/1/2', true],
    ['/', 'https://a.example/', true],
    ['**?sort=**', 'https://a.example/b?sort=up', true],
    ['**sort=**', 'https://a.example/b?sort=up', true],
    ['/a?b', 'https://a.example/axb', false],
    ['example.org/docs/**', 'https://example.org/docs/a', true],
    ['**', 'https://a.example/', true],
    ['/café/*', 'https://a.example/caf%C3%A9/x', true],
    ['https://A.Example/X', 'https://a.example/X', true],
    ['https://A.Example/X', 'https://a.example/x', false],
  ])('%s on %s: %s', (glob, url, fits) => expect(globMatcher(glob)(url)).toBe(fits));

  it('fit what a plain expression fits', () => {
    const letters = ['a', 'b', '/', '*', '**', 'a/', '/b'];
    const glob = fc
      .array(fc.constantFrom(...letters), { maxLength: 8 })
      .map((parts) => `http://h/${parts.join('')}x`);
    const url = fc
      .array(fc.constantFrom('a', 'b', '/', 'x'), { maxLength: 12 })
      .map((p) => `http://h/${p.join('')}`);
    let fitting = 0;
    fc.assert(
      fc.property(glob, url, (pattern, text) => {
        const source = pattern.replace(/\*+/g, (stars) => (stars.length > 1 ? '.*' : '[^/]*'));
        const expected = new RegExp(`^${source}$`).test(text);
        if (expected) fitting++;
        return globMatcher(pattern)(text) === expected;
      }),
      { numRuns: 10_000 },
    );
    expect(fitting).toBeGreaterThan(100);
  });

  it('take time in proportion to pattern and URL, however they are made', () => {
    const url = `https://a.example/${'a'.repeat(2000)}`;
    const deep = `https://a.example/${'a/'.repeat(1000)}`;
    const globs = [
      '*a'.repeat(300),
      '**a'.repeat(300),
      '**a*a'.repeat(150),
      '**/*a*a*a*a*a*a/b',
      '**/a*/**/a*/c',
    ];
    for (const glob of globs) {
      const matches = globMatcher(`${glob}c`);
      const start = cpuMs();
      for (const text of [url, deep]) expect(matches(text)).toBe(false);
      expect(cpuMs() - start).toBeLessThan(1000);
    }
  });

  it('know the hosts of the seeds', () => {
    const seeds = ['a.example', 'b.example'] as HostKey[];
    const matches = globMatcher('https://{seeds}/**', seeds);
    expect(matches('https://b.example/x')).toBe(true);
    expect(matches('https://c.example/x')).toBe(false);
    const regex = patternMatcher({ regex: '^https?://{seeds}/' }, seeds);
    expect(regex('http://a.example/')).toBe(true);
    expect(regex('http://aXexample/')).toBe(false);
    expect(patternMatcher({ regex: '^https?://{seeds}/' }, [])('http://a.example/')).toBe(false);
  });

  it('and expressions are shown as written', () => {
    expect(showPattern('**/x')).toBe('**/x');
    expect(showPattern({ regex: 'x+' })).toBe('regex x+');
  });
});
