import type { Edge, PageRecord, Url } from '@webfarer/protocol';
import { isBroken } from '@webfarer/protocol/numbers';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashOf } from '../../stats/sketch.ts';
import { each, linksOf, recordOf, unanswered } from '../../records.fixture.ts';
import { BrokenLinks, findBroken } from './broken-links.ts';
import { Copies } from './copies.ts';
import { InDegrees } from './in-degrees.ts';
import { surveyLinks } from './links.ts';
import { Redirects } from './redirects.ts';

const page = (n: number) => `https://a.test/${n}` as Url;
const linkTo = (to: Url, rel = 'a'): Edge => ({ to, rel, nofollow: false }) as Edge;

describe('redirects', () => {
  /** Where one leads by plain walking, with all that was passed. */
  function walk(next: Map<number, number>, from: number): { to: number; hops: number; loops: boolean } {
    const seen = [from];
    for (;;) {
      const to = next.get(seen.at(-1) as number);
      if (to === undefined) return { to: seen.at(-1) as number, hops: seen.length - 1, loops: false };
      if (seen.includes(to)) return { to, hops: seen.length, loops: true };
      seen.push(to);
    }
  }

  it('are followed as by walking each', () => {
    const pairs = fc.uniqueArray(fc.tuple(fc.nat(12), fc.nat(12)), { selector: ([from]) => from });
    fc.assert(
      fc.property(pairs, (all) => {
        const next = new Map(all);
        const redirects = new Redirects();
        for (const [from, to] of all) redirects.add(page(from), page(to));
        const targets = new Set(next.values());
        const wanted = [...next.keys()]
          .map((from) => ({ start: from, ...walk(next, from) }))
          .filter(({ start, hops, loops }) => loops || (hops > 1 && !targets.has(start)))
          .map(({ start, to, hops, loops }) => ({ from: page(start), to: page(to), hops, loops }));
        const found = redirects.chains();
        expect(found).toHaveLength(wanted.length);
        expect(found).toEqual(expect.arrayContaining(wanted));
        const rank = found.map(({ loops, hops }) => (loops ? 1_000 : 0) + hops);
        expect(rank).toEqual(rank.toSorted((a, b) => b - a));
        expect(redirects.lengths().reduce((sum, n) => sum + n, 0)).toBeLessThanOrEqual(all.length);
      }),
    );
  });

  it('end somewhere, however long they are', () => {
    const redirects = new Redirects();
    for (let n = 0; n < 100; n++) redirects.add(page(n), page(n + 1));
    expect(redirects.chains()).toEqual([{ from: page(0), to: page(30), hops: 30, loops: false }]);
  });

  it('are counted beyond what is kept', () => {
    const redirects = new Redirects(2);
    for (let n = 0; n < 5; n++) redirects.add(page(n), page(n + 1));
    expect(redirects.total).toBe(5);
    expect(redirects.chains()).toEqual([{ from: page(0), to: page(2), hops: 2, loops: false }]);
  });
});

describe('copies', () => {
  it('are named by the first page that had the content, most copied first', () => {
    const copies = new Copies();
    ['x', 'y', 'x', 'z', 'y', 'x'].forEach((digest, n) => copies.add(digest, page(n)));
    expect(copies.repeated()).toEqual([
      { first: page(0), urls: 3 },
      { first: page(1), urls: 2 },
    ]);
  });

  it('keep what they began with when there is no room', () => {
    const copies = new Copies(1);
    ['x', 'y', 'y', 'x'].forEach((digest, n) => copies.add(digest, page(n)));
    expect(copies.repeated()).toEqual([{ first: page(0), urls: 2 }]);
  });
});

describe('links to a URL', () => {
  it('are exact while all fit', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(40), { maxLength: 300 }), (targets) => {
        const degrees = new InDegrees(1_000);
        for (const n of targets) degrees.add(hashOf(page(n)));
        for (let n = 0; n <= 40; n++)
          expect(degrees.of(page(n))).toBe(targets.filter((target) => target === n).length);
        expect(degrees.oneIn).toBe(1);
      }),
    );
  });

  it('become a sample with exact counts when they do not', () => {
    const degrees = new InDegrees(500);
    // Every URL has as many links as its number says, whichever of them the sample keeps.
    for (let round = 1; round <= 3; round++)
      for (let n = 0; n < 8_000; n++) if (n % 3 < round) degrees.add(hashOf(page(n)));
    const known = Array.from({ length: 8_000 }, (_, n) => n).filter((n) => degrees.of(page(n)) !== undefined);
    expect(degrees.oneIn).toBeGreaterThanOrEqual(16);
    expect(known.length * degrees.oneIn).toBeGreaterThan(6_000);
    expect(known.length * degrees.oneIn).toBeLessThan(10_000);
    for (const n of known) expect(degrees.of(page(n))).toBe(3 - (n % 3));
    const counted = degrees.distribution().reduce((sum, [, urls]) => sum + urls, 0);
    expect(counted).toBe(known.length);
  });
});

describe('broken links', () => {
  const gone = recordOf('https://a.test/gone', { status: 404, reason: 'http-4xx', referrer: page(1) });
  const dead = unanswered('https://b.test/', {
    verdict: 'failed',
    reason: 'dns-not-found',
    referrer: page(2),
  });

  it('are those a visitor would stumble over', () => {
    expect(isBroken(gone)).toBe(true);
    expect(isBroken(dead)).toBe(true);
    expect(isBroken(recordOf('https://a.test/'))).toBe(false);
    expect(isBroken(unanswered('https://a.test/x', { verdict: 'refused', reason: 'robots' }))).toBe(false);
    // Our own code failed, or we asked too often: the link may be fine.
    for (const reason of ['handler', 'http-429', 'poison', 'login', 'dns-failed', 'step-failed'] as const)
      expect(isBroken(unanswered('https://a.test/x', { verdict: 'failed', reason }))).toBe(false);
  });

  it('include redirects in a circle and those that lead into one, and no others', async () => {
    const to = (from: string, target?: string): PageRecord =>
      recordOf(`https://a.test/${from}`, {
        status: 302,
        reason: 'redirect',
        ...(target === undefined ? {} : { redirectTo: `https://a.test/${target}` as Url }),
      });
    const redirects = [
      to('a', 'b'),
      to('b', 'a'),
      to('into', 'a'),
      to('self', 'self'),
      to('fine', '1'),
      to('long', 'fine'),
      to('nowhere'),
    ];
    const found = await findBroken(each([...redirects, recordOf(page(1))]), each([]), 10);
    expect(found.rows.map(({ record }) => record.url.slice('https://a.test/'.length)).toSorted()).toEqual([
      'a',
      'b',
      'into',
      'nowhere',
      'self',
    ]);
  });

  it('do not include what was not asked, because the host had stopped answering', async () => {
    const notAsked = (url: string) => unanswered(url, { verdict: 'failed', reason: 'host-dead' });
    const records = [
      notAsked('https://a.test/late'),
      recordOf('https://a.test/'),
      notAsked('https://dead.test/'),
    ];
    const found = await findBroken(each(records), each([]), 10);
    expect(found.rows.map(({ record }) => record.url)).toEqual(['https://dead.test/']);
  });

  it('name the pages they are on, once each', async () => {
    const found = await findBroken(
      each([gone, dead, recordOf('https://a.test/')]),
      each([
        { from: page(1), edges: [linkTo(gone.url), linkTo(gone.url), linkTo(page(9))] },
        { from: page(3), edges: [linkTo(gone.url)] },
        { from: page(4), edges: [linkTo(page(1))] },
      ]),
      10,
    );
    expect(found.total).toBe(2);
    expect(found.rows).toEqual([
      { record: gone, pages: [page(1), page(3)], onPages: 2 },
      // Nobody's links to it are known: the page it was found on stands for them.
      { record: dead, pages: [page(2)], onPages: 1 },
    ]);
    expect(found.pages).toBe(3);
  });

  it('are counted beyond the rows that are shown', () => {
    const broken = new BrokenLinks(1);
    broken.add(gone);
    broken.add(dead);
    broken.linkedFrom(page(7), [linkTo(dead.url)]);
    expect(broken.pages).toBe(2);
    expect([broken.total, broken.located().length]).toEqual([2, 1]);
  });
});

describe('the survey of links', () => {
  it('counts a pair of hosts once a page, and finds what only a sitemap names', async () => {
    const other = 'https://b.test/' as Url;
    const survey = await surveyLinks(
      each([
        linksOf(page(1), [linkTo(other), linkTo(other), linkTo(page(2)), linkTo(page(3), 'img')]),
        linksOf(page(2), [linkTo(other)]),
        linksOf(page(0), [linkTo(page(2), 'sitemap'), linkTo(page(5), 'sitemap')]),
      ]),
      { broken: new BrokenLinks(10), maxRows: 10 },
    );
    expect(survey.links).toBe(4);
    expect(survey.hosts.hosts).toEqual(['a.test', 'b.test']);
    expect(survey.hosts.links).toEqual([[0, 1, 2]]);
    expect(survey.onlyInSitemap).toEqual({ rows: [page(5)], total: 1 });
    expect(survey.inDegrees.of(other)).toBe(2);
  });

  it('gives others their turn while it reads very many long links', async () => {
    const long = (n: number) => `https://a.test/${n}/${'a'.repeat(400)}` as Url;
    const links = Array.from({ length: 20_000 }, (_, n) => linkTo(long(n), 'sitemap'));
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const survey = await surveyLinks(each([linksOf(page(1), links)]), {
      broken: new BrokenLinks(10),
      maxRows: 10,
    });
    isOver = true;
    expect(survey.onlyInSitemap.total).toBe(20_000);
    expect(turns).toBeGreaterThan(2);
  });
});
