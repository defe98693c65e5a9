import { describe, expect, it } from 'vitest';
import type { Url } from '../base/brands.ts';
import type { EntryKind } from '../base/entry.ts';
import { resolveJob } from '../job/resolve.ts';
import { createScope, type ScopeLink } from './scope.ts';

const contact = 'crawler@lab.example';

function scopeOf(input: Record<string, unknown>, seeds: string[] = ['https://museum.example/docs/']) {
  return createScope(resolveJob({ seeds, contact, ...input }), seeds as Url[]);
}

function link(url: string, rest: Partial<ScopeLink> = {}): ScopeLink {
  return { url: url as Url, depth: 1, parentCost: 0, kind: 'page', hops: 0, ...rest };
}

describe('stay', () => {
  const urls = {
    seed: 'https://museum.example/docs/',
    below: 'https://museum.example/docs/a/b?c',
    itself: 'https://museum.example/docs?x',
    beside: 'https://museum.example/docsy',
    http: 'http://museum.example/docs/x',
    www: 'https://www.museum.example/docs/x',
    sub: 'https://shop.museum.example/docs/x',
    other: 'https://other.example/docs/',
  };
  it.each([
    ['path', ['seed', 'below', 'itself', 'http', 'www']],
    ['host', ['seed', 'below', 'itself', 'beside', 'http', 'www']],
    ['site', ['seed', 'below', 'itself', 'beside', 'http', 'www', 'sub']],
    ['web', ['seed', 'below', 'itself', 'beside', 'http', 'www', 'sub', 'other']],
  ])('%s', (stay, inside) => {
    const scope = scopeOf({ scope: { stay } });
    const found = Object.entries(urls).filter(([, url]) => scope.decide(link(url)).in);
    expect(found.map(([name]) => name)).toEqual(inside);
  });

  it.each([
    ['https://a.example/docs', 'https://a.example/docs/x', true],
    ['https://a.example/docs', 'https://a.example/docs?x', true],
    ['https://a.example/docs', 'https://a.example/docsx', false],
    ['https://a.example/docs/index.html', 'https://a.example/docs/x', true],
    ['https://a.example/docs/index.html', 'https://a.example/x', false],
    ['https://a.example/docs/?page=1', 'https://a.example/docs/x', true],
    ['https://a.example/', 'https://a.example/x', true],
    ['https://www.a.example/x/', 'https://a.example/x/y', true],
  ])('path of %s holds %s: %s', (seed, url, inside) => {
    expect(scopeOf({ scope: { stay: 'path' } }, [seed]).decide(link(url)).in).toBe(inside);
  });

  it('says that it decided', () => {
    expect(scopeOf({}).decide(link('https://other.example/'))).toEqual({
      in: false,
      reason: 'scope',
      rule: 'scope.stay: site',
    });
  });
});

describe('patterns', () => {
  const scope = scopeOf({
    scope: { include: ['/docs/**', { regex: 'print' }], exclude: ['**/login/**', { regex: '[?&]sort=' }] },
  });
  it.each([
    ['https://museum.example/docs/a', undefined, undefined],
    ['https://museum.example/print', undefined, undefined],
    ['https://museum.example/docs/login/x', 'excluded', 'scope.exclude: **/login/**'],
    ['https://museum.example/docs/a?sort=up', 'excluded', 'scope.exclude: regex [?&]sort='],
    ['https://museum.example/news', 'not-included', 'scope.include: /docs/**, regex print'],
  ])('%s', (url, reason, rule) => {
    const decision = scope.decide(link(url));
    expect(decision).toEqual(reason === undefined ? { in: true, cost: 0 } : { in: false, reason, rule });
  });

  it('let a seed in that no include pattern names', () => {
    expect(scope.decide(link('https://museum.example/', { depth: 0 })).in).toBe(true);
  });
});

describe('order', () => {
  const job = {
    limits: { cost: 'none' as const },
    urlRules: [
      { match: '/product/**', priority: 1, cost: '+5' as const },
      { match: '/search**', priority: 8 },
      { cost: 0.5 },
    ],
  };
  const bandOf = (path: string, parentCost = 0, kind: EntryKind = 'page') =>
    scopeOf({ ...job, order: 'best-first' }).decide(
      link(`https://museum.example${path}`, { parentCost, kind }),
    );

  it('is by the priority of the first rule that fits, or else by whole units of cost', () => {
    expect(bandOf('/product/1')).toEqual({ in: true, cost: 5 });
    expect(bandOf('/search?q=x', 2)).toEqual({ in: true, cost: 2, band: 7 });
    expect(bandOf('/other')).toEqual({ in: true, cost: 0.5 });
    expect(bandOf('/other', 0.5)).toEqual({ in: true, cost: 1, band: 1 });
    expect(bandOf('/other', 6.7)).toEqual({ in: true, cost: 7.2, band: 7 });
    expect(bandOf('/other', 500)).toEqual({ in: true, cost: 500.5, band: 7 });
    expect(bandOf('/search.xml', 2, 'sitemap')).toEqual({ in: true, cost: 2 });
  });

  it('is as found where the job does not ask for another', () => {
    const found = scopeOf({ urlRules: [{ cost: 3 }] });
    expect(found.decide(link('https://museum.example/x'))).toEqual({ in: true, cost: 3 });
  });
});

describe('costs', () => {
  const scope = scopeOf({
    scope: { stay: 'web' },
    limits: { cost: 10 },
    urlRules: [
      { match: 'https://{seeds}/**', cost: 0 },
      { match: '*.pdf', cost: '*2' },
      { unless: { regex: '^https:' }, cost: '+5' },
      { cost: +1 },
    ],
  });
  it.each([
    ['https://museum.example/x.pdf', 4, 4],
    ['https://other.example/x.pdf', 4, 8],
    ['http://other.example/x', 4, 9],
    ['https://other.example/x', 4, 5],
    ['https://other.example/x', 9, 10],
  ])('%s from %d is %d', (url, parentCost, cost) => {
    expect(scope.decide(link(url, { parentCost }))).toEqual({ in: true, cost });
  });

  it('above the limit name the rule', () => {
    expect(scope.decide(link('https://other.example/x', { parentCost: 10 }))).toEqual({
      in: false,
      reason: 'cost',
      rule: 'limits.cost: 10 (urlRules[3] makes it 11)',
    });
  });

  it('never fall below nothing, and stay as they are where no rule fits', () => {
    const rules = scopeOf({ urlRules: [{ match: '/less', cost: -3 }] });
    expect(rules.decide(link('https://museum.example/less', { parentCost: 1 }))).toEqual({
      in: true,
      cost: 0,
    });
    expect(rules.decide(link('https://museum.example/same', { parentCost: 2 }))).toEqual({
      in: true,
      cost: 2,
    });
  });
});

describe('limits', () => {
  const scope = scopeOf({ limits: { depth: 3 }, fetch: { redirects: 2 } });
  it.each([
    ['depth', link('https://museum.example/', { depth: 4 }), 'limits.depth: 3'],
    ['redirect-limit', link('https://museum.example/', { hops: 3 }), 'fetch.redirects: 2'],
    ['too-long', link(`https://museum.example/${'x'.repeat(2083)}`), '2106 bytes, at most 2083'],
    ['trap', link('https://museum.example/a/b/b/b'), 'path repeats "b" more than 2 times in a row'],
    ['trap', link('https://museum.example/x/a/b/a/b/a/b/'), 'path repeats "a/b" more than 2 times in a row'],
    [
      'trap',
      link(`https://museum.example${'/p/q'.repeat(2)}${'/s'.repeat(1)}${'/t/u/v/w'.repeat(4)}`),
      'path of 21 segments, at most 20',
    ],
    ['requisite', link('https://museum.example/x.png', { kind: 'requisite' }), 'scope.requisites: false'],
  ])('%s', (reason, refused, rule) => {
    expect(scope.decide(refused)).toEqual({ in: false, reason, rule });
  });

  it.each([
    '/a/a/b',
    '/a/b/b',
    '/2024/2024/01',
    '/a/b/a/b',
    `/${Array.from({ length: 20 }, (_, i) => i).join('/')}`,
    '/?a/a/a/a',
  ])('%s is no trap', (path) => expect(scope.decide(link(`https://museum.example${path}`)).in).toBe(true));

  it('can be switched off', () => {
    const free = scopeOf({ limits: { depth: 'none', cost: 'none' }, urlRules: [{ cost: 1000 }] });
    expect(free.decide(link('https://museum.example/', { depth: 999, parentCost: 1e6 })).in).toBe(true);
  });
});

describe('requisites and sitemaps', () => {
  it('may be on any host', () => {
    const scope = scopeOf({ scope: { requisites: true, include: ['/docs/**'] } });
    expect(scope.decide(link('https://cdn.example/x.png', { kind: 'requisite' })).in).toBe(true);
    expect(scope.decide(link('https://cdn.example/sitemap.xml', { kind: 'sitemap' })).in).toBe(true);
    expect(scope.decide(link('https://cdn.example/x.html')).in).toBe(false);
  });
});

describe('sites with an account', () => {
  const scope = scopeOf({ login: [{ site: 'museum.example', as: 'ada', check: 'status' }] });
  it.each(['/logout', '/user/sign-out?x=1', '/?action=logoff', '/session/destroy', '/d%C3%A9connexion'])(
    'follow no link that logs out: %s',
    (path) =>
      expect(scope.decide(link(`https://www.museum.example${path}`))).toEqual({
        in: false,
        reason: 'excluded',
        rule: 'login: it would log ada out',
      }),
  );
  it.each(['/logouts-of-history', '/blog/outlook', '/login', '/signed'])('follow %s', (path) =>
    expect(scope.decide(link(`https://museum.example${path}`)).in).toBe(true),
  );
  it('has no rule elsewhere', () => {
    expect(scopeOf({}).decide(link('https://museum.example/logout')).in).toBe(true);
  });
});
