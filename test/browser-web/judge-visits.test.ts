import { expect, it } from 'vitest';
import type { Seen } from './browser-web.ts';
import { judgeVisits } from './judge-visits.ts';
import { pagesOfSite } from './pages.ts';

const pages = new Map(pagesOfSite(0, 20).map((page) => [`http://site0${page.path}`, page]));
const web = {
  pages,
  isSite: (host: string) => host.startsWith('site'),
  urlOf: ({ site }: { site: number }, path: string) => `http://site${site}${path}`,
};
const seen = (host: string, path: string, startMs: number, more: Partial<Seen> = {}): Seen => ({
  host,
  path,
  method: 'GET',
  startMs,
  endMs: startMs + 10,
  byPage: false,
  ...more,
});
const robots = seen('site0', '/robots.txt', 0);
const judge = (...log: Seen[]) => judgeVisits(web, [robots, ...log], 50);

it('finds nothing where the rules are kept', () => {
  const byPage = { byPage: true };
  const log = [
    seen('site0', '/', 60),
    seen('site0', '/img/1', 65, byPage),
    seen('site0', '/img/2', 76, byPage),
  ];
  expect(judge(...log, seen('site0', '/p/3', 136))).toMatchObject({
    gapViolations: 0,
    maxInFlightOwn: 2,
    disallowed: 0,
    beforeRobots: 0,
    changing: 0,
    askedAgain: 0,
  });
});

it('counts a page that comes too soon after what the one before it loaded', () => {
  const log = [
    seen('site0', '/', 60),
    seen('site0', '/img/1', 100, { byPage: true }),
    seen('site0', '/p/3', 130),
  ];
  expect(judge(...log).gapViolations).toBe(1);
});

it('counts requests to other hosts at once and without a pause, by page or not', () => {
  const cdn = (path: string, startMs: number) => seen('cdn', path, startMs, { byPage: true });
  const found = judge(cdn('/robots.txt', 0), cdn('/lib.js', 60), cdn('/other.js', 65));
  expect([found.gapViolations, found.maxInFlightElsewhere]).toEqual([1, 2]);
});

it('counts what robots.txt forbids, what comes before it, what changes something and what is asked for again', () => {
  const found = judge(
    seen('tracker', '/collect/', 0, { method: 'PUT' }),
    seen('tracker', '/robots.txt', 100),
    seen('tracker', '/t.js', 200),
    seen('tracker', '/t.js', 300),
    seen('site0', '/', 100),
    seen('site0', '/', 200, { byPage: true }),
  );
  expect(found).toMatchObject({ disallowed: 1, beforeRobots: 1, changing: 1, sharedAgain: 1, askedAgain: 1 });
});

it('every page of a site is linked once and a third of them needs a browser', () => {
  const site = pagesOfSite(0, 200);
  const linked = site.flatMap(({ links }) => links);
  expect(new Set(linked).size).toBe(linked.length);
  expect(new Set([...linked, '/'])).toEqual(new Set(site.map(({ path }) => path)));
  const texts = site.flatMap((page) => page.texts.map((text) => text.replaceAll(/\d/g, '')));
  expect(new Set(texts).size).toBe(texts.length);
});
