import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import type { HostKey, SiteKey } from '../base/brands.ts';
import { domainsOf, groupCount, groupOf, siteOf, suffixListVersion } from './site.ts';

describe('sites', () => {
  it.each([
    ['www.example.org', 'example.org'],
    ['a.b.example.co.uk', 'example.co.uk'],
    ['me.github.io', 'me.github.io'],
    ['x.me.github.io', 'me.github.io'],
    ['github.io', 'github.io'],
    ['co.uk', 'co.uk'],
    ['h1.site.test', 'site.test'],
    ['localhost', 'localhost'],
    ['127.0.0.1', '127.0.0.1'],
    ['[::1]', '[::1]'],
    ['example.org.', 'example.org'],
  ])('%s belongs to %s', (host, site) => expect(siteOf(host as HostKey)).toBe(site));

  it('tells registries and private suffixes apart', () => {
    expect(domainsOf('x.me.github.io' as HostKey)).toEqual({
      registrySuffix: 'io',
      registeredDomain: 'github.io',
      privateSuffix: 'github.io',
      privateDomain: 'me.github.io',
    });
    expect(domainsOf('127.0.0.1' as HostKey)).toEqual({});
    expect(domainsOf('co.uk' as HostKey)).toEqual({ registrySuffix: 'co.uk', privateSuffix: 'co.uk' });
  });

  it('names the list that is installed', () => {
    const path = createRequire(import.meta.url).resolve('tldts/package.json');
    const { version } = JSON.parse(readFileSync(path, 'utf8')) as { version: string };
    expect(suffixListVersion).toBe(`tldts ${version}`);
  });
});

describe('groups', () => {
  it('never move: stored state lies where these numbers say', () => {
    const groups = ['example.org', 'example.com', 'github.io', '127.0.0.1', ''].map((s) =>
      groupOf(s as SiteKey),
    );
    expect(groups).toEqual([291, 435, 808, 191, 11]);
  });

  it('are filled evenly', () => {
    const counts = new Array<number>(groupCount).fill(0);
    for (let i = 0; i < 200_000; i++) {
      const group = groupOf(`site-${i}.example` as SiteKey);
      counts[group] = (counts[group] ?? 0) + 1;
    }
    // Mean 195, standard deviation 14: five of them either way.
    expect(Math.min(...counts)).toBeGreaterThan(125);
    expect(Math.max(...counts)).toBeLessThan(265);
  });
});
