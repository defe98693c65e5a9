import { describe, expect, it } from 'vitest';
import type { HostKey, SiteKey, Url } from '../base/brands.ts';
import {
  inFlightOn,
  obeysRobots,
  paceChooser,
  portAllowed,
  proxyChooser,
  renderChooser,
  requireContact,
  robotsToken,
  savesType,
  shortestGapMs,
  userAgentFor,
} from './policy.ts';
import { resolveJob } from './resolve.ts';

const job = resolveJob({
  seeds: ['a.example'],
  contact: 'me@lab.example',
  politeness: { perHost: 4, ownHosts: ['Own.example'] },
  robots: { obey: false, ignoreFor: ['own.example'] },
  fetch: {
    types: { save: ['*/*'], ignore: ['video/*', 'application/x-*'] },
    proxy: [
      { match: 'https://*.onion/**', use: 'socks5h://127.0.0.1:9050' },
      { unless: 'https://{seeds}/**', use: 'http://proxy.example:8080' },
      { use: 'direct' },
    ],
  },
});
const bare = resolveJob({ seeds: ['a.example'] });
const own = 'own.example' as HostKey;
const other = 'other.example' as HostKey;

describe('a job', () => {
  it('names itself and its contact', () => {
    expect(userAgentFor(job, '1.2.3')).toBe('webfarer/1.2.3 (+me@lab.example)');
    expect(userAgentFor(bare, '1.2.3')).toBe('webfarer/1.2.3');
    expect(robotsToken(userAgentFor(job, '1'))).toBe('webfarer');
    expect(robotsToken('My-Bot_x/2 y')).toBe('My-Bot_x');
    expect(robotsToken('Mozilla/5.0 (compatible; ExampleBot/1.0; +https://a.test)')).toBe('ExampleBot');
    const webkit =
      'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPT-Bot/1.2; +https://a.test)';
    expect(robotsToken(webkit)).toBe('GPT-Bot');
    expect(robotsToken('Mozilla/5.0 (X11; Linux x86_64; compatible; X_Bot/1.0)')).toBe('X_Bot');
    expect(robotsToken('Mozilla/5.0 (X11) incompatible; Y/1')).toBe('Mozilla');
    expect(robotsToken('Mozilla/5.0 (X11; Linux x86_64)')).toBe('Mozilla');
  });

  it('is gentler to hosts of others', () => {
    expect([inFlightOn(job, own), inFlightOn(job, other)]).toEqual([4, 1]);
    expect([obeysRobots(job, own), obeysRobots(job, other), obeysRobots(bare, own)]).toEqual([
      false,
      true,
      true,
    ]);
  });

  it('treats some hosts otherwise, by the most specific entry that fits', () => {
    const { politeness } = resolveJob({
      seeds: ['a.example'],
      politeness: {
        gap: '2s',
        perHost: 3,
        ownHosts: ['own.example', 'cdn.own.example'],
        hosts: [
          { match: '*.own.example', gap: '100ms', connections: 8 },
          { match: 'own.example', gap: '50ms' },
          { match: '*.slow.example', gap: '30s' },
          { match: 'www.slow.example', block: true },
        ],
      },
    });
    const pace = paceChooser({ politeness });
    const of = (host: string) => {
      const { gapMs, connections, block } = pace(host as HostKey);
      return [gapMs, connections, block];
    };
    expect(of('a.example')).toEqual([2_000, 1, false]);
    expect(of('own.example')).toEqual([50, 3, false]);
    expect(of('cdn.own.example')).toEqual([100, 8, false]);
    // Below a domain of ours, but nobody said that it is ours.
    expect(of('other.own.example')).toEqual([100, 1, false]);
    expect(of('slow.example')).toEqual([30_000, 1, false]);
    expect(of('www.slow.example')).toEqual([2_000, 1, true]);
    expect(of('x.www.slow.example')).toEqual([30_000, 1, false]);
    expect([shortestGapMs({ politeness }), shortestGapMs(bare)]).toEqual([50, 1_000]);
  });

  it.each([
    [bare, 'text/html', true],
    [bare, 'TEXT/plain', true],
    [bare, 'application/xhtml+xml', true],
    [bare, 'application/rss+xml', true],
    [bare, 'application/atom+xml', true],
    [bare, 'application/rdf+xml', true],
    [bare, 'application/feed+json', true],
    [bare, undefined, true],
    [bare, '', true],
    [bare, 'image/png', false],
    [bare, 'application/json', false],
    [job, 'image/png', true],
    [job, 'video/mp4', false],
    [job, 'application/x-tar', false],
    [job, 'application/xml', true],
  ])('saves types', (policy, type, saved) => expect(savesType(policy.fetch.types, type)).toBe(saved));

  it('keeps requisites of any type but those ignored', () => {
    expect(savesType(bare.fetch.types, 'image/png', 'requisite')).toBe(true);
    expect(savesType(bare.fetch.types, 'video/mp4', 'requisite')).toBe(false);
    expect(savesType(bare.fetch.types, 'application/xml', 'sitemap')).toBe(true);
    expect(savesType(bare.fetch.types, 'application/xml', 'check')).toBe(false);
  });

  it('stays away from ports of other services', () => {
    expect([80, 443, 8080, 3000].every((port) => portAllowed('safe', port))).toBe(true);
    expect([0, 22, 25, 6667].some((port) => portAllowed('safe', port))).toBe(false);
    expect(portAllowed([443], 80)).toBe(false);
  });

  it('chooses a proxy by the first rule that fits', () => {
    const choose = proxyChooser(job, ['a.example' as HostKey]);
    expect(choose('https://x.onion/' as Url)).toBe('socks5h://127.0.0.1:9050');
    expect(choose('https://b.example/' as Url)).toBe('http://proxy.example:8080');
    expect(choose('https://a.example/x' as Url)).toBeUndefined();
    expect(proxyChooser(bare, [])('https://a.example/' as Url)).toBeUndefined();
  });

  it('chooses whether a page is shown in a browser by the first rule that fits', () => {
    const { render } = resolveJob({
      seeds: ['https://a.example/'],
      render: [
        { match: ['/app/**', { regex: 'view=' }], do: 'always' },
        { match: '**{seeds}/text/**', do: 'never' },
        { do: 'auto' },
      ],
    });
    const choose = renderChooser({ render }, ['a.example' as HostKey]);
    const chosen = ['/app/x', '/?view=1', '/text/x', '/other'].map((path) =>
      choose(`https://a.example${path}` as Url),
    );
    expect(chosen.map((one) => one.render)).toEqual(['always', 'always', 'never', 'auto']);
    expect(chosen.map((one) => one.rule)).toEqual([
      'render: /app/**, regex view=: always',
      'render: /app/**, regex view=: always',
      'render: **{seeds}/text/**: never',
      'render: all others: auto',
    ]);
    expect(
      renderChooser({ render: [{ match: ['/app/**'], do: 'always' }] }, [])('https://a.example/' as Url),
    ).toEqual({
      render: 'never',
      rule: 'render: no rule fits',
    });
    expect(renderChooser({ render: 'always' }, [])('https://a.example/' as Url)).toEqual({
      render: 'always',
      rule: undefined,
    });
    expect(() =>
      resolveJob({ seeds: ['https://a.example/'], render: [{ match: '/x', do: 'often' }] as never }),
    ).toThrow(/render/);
  });

  it('needs a contact once its seeds are on two sites', () => {
    const sites = ['a.example', 'b.example'] as SiteKey[];
    expect(() => requireContact(bare, sites)).toThrow(expect.objectContaining({ code: 'contact-missing' }));
    expect(() => requireContact(job, sites)).not.toThrow();
    expect(() => requireContact(bare, sites.slice(1))).not.toThrow();
  });
});
