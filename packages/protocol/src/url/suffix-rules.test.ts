import { describe, expect, it } from 'vitest';
import type { HostKey } from '../base/brands.ts';
import { siteOf } from './site.ts';
import { siteFinder, suffixRules } from './suffix-rules.ts';

const rules = await suffixRules();

describe('the rules of the suffix list', () => {
  it('are all there: names, wildcards and exceptions', () => {
    const all = rules.split('\n');
    expect(all.length).toBeGreaterThan(9_000);
    expect(all).toEqual(expect.arrayContaining(['com', 'co.uk', 'github.io', '*.ck', '!www.ck']));
  });

  it('decide of every suffix, and of names below it, what the package decides', () => {
    const find = siteFinder(rules);
    const names = rules.split('\n').flatMap((rule) => {
      const plain = rule.replace('!', '').replaceAll('*', 'any');
      return [plain, `a.${plain}`, `b.a.${plain}`, `c.b.a.${plain}`];
    });
    const others = [
      'localhost',
      'a.localhost',
      '127.0.0.1',
      '[::1]',
      'x.unknown',
      'a.x.unknown',
      'example.org.',
    ];
    const differ = [...names, ...others].filter((name) => find(name as HostKey) !== siteOf(name as HostKey));
    expect(differ).toEqual([]);
  });

  it('decide otherwise with another list', () => {
    const find = siteFinder(rules.replace('\ngithub.io\n', '\n'));
    expect(find('me.github.io' as HostKey)).toBe('github.io');
    expect(siteFinder(rules)('me.github.io' as HostKey)).toBe('me.github.io');
  });
});
