import type { PageRecord, Url } from '@webfarer/protocol';
import { describe, expect, it } from 'vitest';
import { hashOf } from '../../stats/sketch.ts';
import { each, linksOf, recordOf } from '../../records.fixture.ts';
import { communities, tiesOf } from './communities.ts';
import { FoundTree } from './found-tree.ts';
import { hostMap } from './host-map.ts';
import { InDegrees } from './in-degrees.ts';
import { BrokenLinks } from './broken-links.ts';
import { surveyLinks } from './links.ts';
import { foldersOf, PathTree } from './path-tree.ts';
import { Redirects } from './redirects.ts';

const url = (text: string) => `https://example.org/${text}` as Url;

describe('what hangs together', () => {
  it('finds two groups of hosts joined by one link, and puts them apart', async () => {
    const clique = (from: number) =>
      [0, 1, 2, 3].flatMap((a) =>
        [0, 1, 2, 3].filter((b) => b !== a).map((b): [number, number, number] => [from + a, from + b, 5]),
      );
    const links = [...clique(0), ...clique(4), [0, 4, 1] as [number, number, number]];
    const groups = communities(tiesOf(8, links));
    expect(new Set(groups.slice(0, 4)).size).toBe(1);
    expect(new Set(groups.slice(4)).size).toBe(1);
    expect(groups[0]).not.toBe(groups[4]);
    const hosts = Array.from({ length: 8 }, (_, i) => `h${i}.test`);
    const graph = await hostMap(
      { hosts, links, leftOut: 0 },
      { maxHosts: 8, maxLinks: 99, crawled: (h) => h !== 'h1.test' },
    );
    const spot = (name: string) => graph.hosts.find(({ host }) => host === name)?.place ?? { x: 0, y: 0 };
    const apart = (a: string, b: string) => Math.hypot(spot(a).x - spot(b).x, spot(a).y - spot(b).y);
    expect(apart('h1.test', 'h2.test')).toBeLessThan(apart('h1.test', 'h6.test'));
    expect(graph.hosts.find(({ host }) => host === 'h1.test')).toMatchObject({
      crawled: false,
      linkedFrom: 3,
      linksTo: 3,
    });
    // Three neighbours at 1, the bridge and what is behind it at 2 and 3.
    expect(graph.hosts[0]).toMatchObject({ host: 'h4.test', centrality: 3 + 1 + 3 / 2 });
    const again = await hostMap(
      { hosts, links, leftOut: 0 },
      { maxHosts: 8, maxLinks: 99, crawled: (h) => h !== 'h1.test' },
    );
    expect(again).toEqual(graph);
  });

  it('keeps the hosts that were crawled, and of equal ones those with most links', async () => {
    // One site was crawled; it links to 40 others, to some more often, and nothing links back.
    const hosts = [
      'site.test',
      ...Array.from({ length: 40 }, (_, i) => `h${String(i).padStart(2, '0')}.test`),
    ];
    const links = Array.from({ length: 40 }, (_, i): [number, number, number] => [0, i + 1, i < 35 ? 1 : i]);
    const { hosts: kept, total } = await hostMap(
      { hosts, links, leftOut: 0 },
      { maxHosts: 6, maxLinks: 99, crawled: (host) => host === 'site.test' },
    );
    expect(total).toBe(41);
    expect(kept.map(({ host }) => host)).toEqual([
      'h39.test',
      'h38.test',
      'h37.test',
      'h36.test',
      'h35.test',
      'site.test',
    ]);
    expect(kept[0]).toMatchObject({ linkedFrom: 1, linksHere: 39 });
  });

  it('counts pages that link, exactly or in a fair sample', () => {
    const all = new InDegrees();
    const few = new InDegrees(1_000);
    for (let i = 0; i < 20_000; i++) {
      for (let n = 0; n <= i % 3; n++) for (const counts of [all, few]) counts.add(hashOf(url(`${i}`)));
    }
    expect(all.distribution().map(([degree, n]) => [degree, n])).toEqual([
      [1, 6_667],
      [2, 6_667],
      [3, 6_666],
    ]);
    expect(few.oneIn).toBeGreaterThan(1);
    for (const [, n] of few.distribution()) expect(Math.abs((n * few.oneIn) / 6_667 - 1)).toBeLessThan(0.3);
    expect(all.of(url('nowhere'))).toBe(0);
  });

  it('reads links once: hosts, broken links with their pages, what only a sitemap names', async () => {
    const edge = (to: string, rel = 'a') => ({ to: to as Url, rel });
    const broken = new BrokenLinks(1);
    broken.add(recordOf(url('gone'), { status: 404, reason: 'http-4xx' }));
    broken.add(recordOf(url('away'), { verdict: 'failed', reason: 'timeout' }));
    const found = await surveyLinks(
      each([
        linksOf(url('sitemap.xml'), [edge(url('lonely'), 'sitemap'), edge(url('a'), 'sitemap')]),
        linksOf(url('a'), [
          edge(url('gone')),
          edge(url('gone')),
          edge('https://x.test/'),
          edge('https://y.test/i.png', 'img'),
        ]),
        linksOf(url('b'), [edge(url('gone')), edge(url('a')), edge('https://x.test/')]),
        linksOf(url('c'), [edge(url('away'))]),
      ]),
      { broken, maxRows: 10 },
    );
    expect(broken.located()).toMatchObject([{ pages: [url('a'), url('b')], onPages: 2 }]);
    // Pages count also where their link has no row.
    expect([broken.total, broken.pages]).toEqual([2, 3]);
    expect(found.onlyInSitemap).toEqual({ rows: [url('lonely')], total: 1 });
    expect(found.hosts).toEqual({ hosts: ['example.org', 'x.test'], links: [[0, 1, 2]], leftOut: 0 });
    expect(found.inDegrees.of(url('gone'))).toBe(2);
  });
});

describe('trees', () => {
  it('hang each page on the one that led to it, redirects included', () => {
    const tree = new FoundTree();
    const add = (path: string, parts: Partial<PageRecord>) => tree.add(recordOf(url(path), parts));
    add('z', { depth: 2, referrer: url('b') });
    add('b', { depth: 1, referrer: url('www') });
    add('www', { depth: 0, referrer: url('') });
    add('', { depth: 0 });
    add('stray', { depth: 3, referrer: url('unknown') });
    const { edges } = tree.roots();
    expect(edges.map(({ from, to }) => [from, to])).toEqual([
      ['', url('')],
      [url(''), url('www')],
      [url('www'), url('b')],
      [url('b'), url('z')],
    ]);
  });

  it('count what does not fit where it would hang', () => {
    const tree = new PathTree(3);
    for (const path of ['/a/b/c', '/a/x', '/d/e', '/']) tree.add('h.test', path, path === '/a/x');
    expect(tree.root.urls).toBe(4);
    expect(foldersOf(tree.root, 9)).toEqual([
      { path: 'h.test', urls: 4, errors: 1 },
      { path: 'h.test/a', urls: 2, errors: 1 },
      { path: 'h.test/a/b', urls: 1, errors: 0 },
    ]);
  });

  it('follow redirects to their end, and see circles', () => {
    const redirects = new Redirects();
    for (const [from, to] of [
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'd'],
      ['x', 'y'],
      ['y', 'x'],
      ['p', 'q'],
    ] as const)
      redirects.add(url(from), url(to));
    expect(redirects.chains()).toEqual([
      { from: url('x'), to: url('x'), hops: 2, loops: true },
      { from: url('y'), to: url('y'), hops: 2, loops: true },
      { from: url('a'), to: url('d'), hops: 3, loops: false },
    ]);
    expect(redirects.lengths()).toEqual([2, 1, 0, 1]);
  });
});
