import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Url } from '../base/brands.ts';
import { maxRobotsBytes, parseRobots } from './robots.ts';
import { robotsVerdict } from './verdict.ts';

const file = `# made up
User-agent: webfarer
Disallow: /search   # not for robots
Allow: /search/about
Crawl-delay: 2.5
Sitemap: https://a.example/sitemap.xml

User-agent: *
Disallow: /
`;

describe('robots.txt', () => {
  const robots = parseRobots(file);

  it('says which line decided', () => {
    expect(robots.decide('Webfarer', '/search?q=x')).toEqual({
      allowed: false,
      line: 3,
      text: 'Disallow: /search',
      agent: 'webfarer',
    });
    expect(robots.decide('webfarer', '/search/about')).toMatchObject({ allowed: true, line: 4 });
    expect(robots.decide('webfarer', '/')).toEqual({ allowed: true, agent: 'webfarer' });
    expect(robots.decide('other', '/')).toMatchObject({ allowed: false, line: 9, agent: '*' });
  });

  it('counts rules, delays and sitemaps', () => {
    expect([robots.rulesFor('webfarer'), robots.rulesFor('other')]).toEqual([2, 1]);
    expect([robots.crawlDelayMs('webfarer'), robots.crawlDelayMs('other')]).toEqual([2500, undefined]);
    expect(robots.sitemaps).toEqual(['https://a.example/sitemap.xml']);
  });

  it('allows everything where there is nothing for us', () => {
    expect(parseRobots('').decide('webfarer', '/')).toEqual({ allowed: true });
    expect(parseRobots('User-agent: x\nDisallow: /').decide('webfarer', '/')).toEqual({ allowed: true });
    expect(parseRobots('Disallow: /').decide('webfarer', '/')).toEqual({ allowed: true });
  });
});

/** Whether `/a…` paths are allowed to webfarer. */
const allowed = (body: string, path: string) => parseRobots(body).decide('webfarer', path).allowed;
const rules = (...lines: string[]) => ['User-agent: *', ...lines].join('\n');

describe('matching', () => {
  it.each([
    [['Disallow: /a'], '/abc', false],
    [['Disallow: /a'], '/b', true],
    [['Disallow: /A'], '/a', true],
    [['Disallow: /a$'], '/a', false],
    [['Disallow: /a$'], '/ab', true],
    [['Disallow: /*.gif$'], '/x/y.gif', false],
    [['Disallow: /*.gif$'], '/x/y.gif?z', true],
    [['Disallow: /*/b*d'], '/a/b/c/d', false],
    [['Disallow: *x'], '/ax', false],
    [['Disallow: /a$b'], '/a$b', false],
    [['Disallow: /a*a$'], '/a', true],
    [['Disallow: /a*a$'], '/aa', false],
    [['Disallow: /page', 'Allow: /page'], '/page', true],
    [['Disallow: /*.html', 'Allow: /page'], '/page.html', false],
    [['Allow: /p', 'Disallow: /'], '/page', true],
    [['Disallow:'], '/a', true],
    [['Disallow /a'], '/a', false],
    [['Disallow /a b'], '/a', true],
    [['disalow: /a'], '/a', false],
    [['Disallow: /é'], '/%C3%A9', false],
    [['Disallow: /%c3%a9'], '/%C3%A9', false],
    [['Disallow: /%62az'], '/baz', false],
    [['Disallow: /baz'], '/%62az', false],
    [['Disallow: /', 'Allow: /%62az'], '/baz', false],
    [['Disallow: /a%2Fb'], '/a/b', true],
    [['Disallow: /', 'Allow: /x/index.html'], '/x/', true],
    [['Disallow: /', 'Allow: /x/index.html'], '/x/y', false],
  ])('%j on %s: %s', (lines, path, expected) => expect(allowed(rules(...lines), path)).toBe(expected));
});

describe('groups', () => {
  it('of the same agent are one, and agents in a row share theirs', () => {
    const body = 'User-agent: webfarer\nUser-agent: b\nDisallow: /1\n\nUser-agent: webfarer\nDisallow: /2';
    expect(parseRobots(body).rulesFor('webfarer')).toBe(2);
    expect(parseRobots(body).rulesFor('b')).toBe(1);
  });

  it('are not ended by other records', () => {
    const body = 'User-agent: webfarer\nSitemap: /s.xml\nUnknown: x\nUser-agent: b\nDisallow: /1';
    expect(allowed(body, '/1')).toBe(false);
  });

  it('give a delay to the agents above it', () => {
    const body =
      'User-agent: a\nCrawl-delay: 10\nUser-agent: b\nDisallow: /1\n\nUser-agent: *\nCrawl-delay: 30';
    const robots = parseRobots(body);
    expect(['a', 'b', 'c'].map((agent) => robots.crawlDelayMs(agent))).toEqual([10_000, undefined, 30_000]);
    expect(robots.decide('a', '/1').allowed).toBe(false);
  });

  it.each(['-1', 'soon', '', 'Infinity'])('ignore a delay of %j', (delay) =>
    expect(parseRobots(`User-agent: *\nCrawl-delay: ${delay}`).crawlDelayMs('x')).toBeUndefined(),
  );

  it.each(['WebFarer', 'webfarer/1.0', 'webfarer (+x)'])('named %s are ours', (agent) =>
    expect(allowed(`User-agent: ${agent}\nDisallow: /`, '/')).toBe(false),
  );

  it.each(['webfarerx', 'web', 'farer'])('named %s are not', (agent) =>
    expect(allowed(`User-agent: ${agent}\nDisallow: /`, '/')).toBe(true),
  );
});

describe('odd files', () => {
  it.each(['\n', '\r\n', '\r'])('may end lines with %j', (end) =>
    expect(allowed(['User-agent: *', 'Disallow: /a', 'Allow: /a/b'].join(end), '/a')).toBe(false),
  );

  it('may begin with a byte order mark, but not have one inside', () => {
    expect(allowed('\ufeffUser-agent: *\nDisallow: /a', '/a')).toBe(false);
    expect(allowed('User-agent: *\n\ufeffDisallow: /a', '/a')).toBe(true);
  });

  it('are read up to 500 KiB, and no half line', () => {
    const filler = `# ${'x'.repeat(97)}\n`.repeat(Math.ceil(maxRobotsBytes / 100) - 1);
    const body = `User-agent: *\nDisallow: /early\n${filler}Disallow: /late-and-long-enough-to-be-cut${'x'.repeat(200)}`;
    expect(body.length).toBeGreaterThan(maxRobotsBytes);
    expect(allowed(body, '/early')).toBe(false);
    expect(allowed(body, `/late-and-long-enough-to-be-cut${'x'.repeat(200)}`)).toBe(true);
  });

  it('of more rules than can be tried on a long path forbid it, and say so', () => {
    const many = parseRobots(`User-agent: *\n${'Disallow:*aab\n'.repeat(30_000)}`);
    expect(many.decide('webfarer', `/${'a'.repeat(2_000)}`)).toEqual({
      allowed: false,
      agent: '*',
      isCut: true,
    });
    expect(many.decide('webfarer', '/short').allowed).toBe(true);
    const copy = { origin: 'https://a.example', fetchedAtMs: 0, state: 'rules' as const };
    const body = `User-agent: *\n${'Disallow:*aab\n'.repeat(30_000)}`;
    expect(
      robotsVerdict({ ...copy, body }, 'webfarer', `https://a.example/${'a'.repeat(2_000)}` as Url),
    ).toEqual({ allowed: false, rule: 'robots.txt has more rules than are tried on one URL' });
    const names = Array.from({ length: 20_000 }, (_, n) => `Sitemap: /${n}`).join('\n');
    expect(parseRobots(names).sitemaps).toHaveLength(5_000);
  });

  it('never throw', () => {
    const words = [
      'User-agent',
      'Disallow',
      ':',
      ' ',
      '*',
      '$',
      '/',
      '%',
      '%zz',
      '\r',
      '\n',
      '#',
      '\0',
      'é',
      '\ud800',
    ];
    const body = fc.array(fc.constantFrom(...words), { maxLength: 40 }).map((parts) => parts.join(''));
    const path = fc
      .array(fc.constantFrom('/', 'a', '%', '*', '\ud800', 'é'), { maxLength: 6 })
      .map((p) => p.join(''));
    fc.assert(
      fc.property(body, path, (text, asked) => {
        const robots = parseRobots(text);
        return (
          typeof robots.decide('webfarer', asked).allowed === 'boolean' && robots.rulesFor('webfarer') >= 0
        );
      }),
      { numRuns: 2000 },
    );
  });

  it('match as a plain expression does', () => {
    const part = fc.constantFrom('a', 'b', '*', '/');
    const text = fc.array(fc.constantFrom('a', 'b', '/'), { maxLength: 8 }).map((p) => `/${p.join('')}`);
    const pattern = fc.tuple(fc.array(part, { maxLength: 6 }), fc.boolean());
    fc.assert(
      fc.property(pattern, text, ([parts, toEnd], path) => {
        const value = `/${parts.join('')}`;
        const expected = new RegExp(`^${value.replaceAll('*', '.*')}${toEnd ? '$' : ''}`).test(path);
        return allowed(rules(`Disallow: ${value}${toEnd ? '$' : ''}`), path) === !expected;
      }),
      { numRuns: 3000 },
    );
  });
});
