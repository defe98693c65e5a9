import type { CrawlId, JobInput, Url } from '@webfarer/protocol';
import { resolveJob } from '@webfarer/protocol/job';
import { describe, expect, test } from 'vitest';
import { type BannerFacts, banner, type RobotsFacts } from './banner.ts';

const size = { columns: 110, colour: false };

function facts(input: Partial<JobInput> = {}, change: Partial<BannerFacts> = {}): BannerFacts {
  return {
    version: '0.1.0',
    job: resolveJob({ seeds: ['example.org'], ...input }),
    typed: 'example.org',
    seeds: ['https://example.org/' as Url],
    folder: './example.org.crawl',
    userAgent: 'webfarer/0.1.0',
    hints: true,
    ...change,
  };
}

const robots: RobotsFacts = {
  type: 'robots',
  crawl: 'c1' as CrawlId,
  origin: 'https://www.example.org',
  state: 'rules',
  rules: 3,
  crawlDelayMs: 2000,
  sitemaps: ['https://www.example.org/sitemap.xml'],
};

describe('banner', () => {
  test('tells the facts of a first crawl', () => {
    const redirect = { to: 'https://www.example.org/' as Url, inScope: true };
    expect(banner(facts({}, { redirect, robots, sitemapUrls: 1204 }), size)).toMatchInlineSnapshot(`
      [
        "  webfarer 0.1.0    example.org → https://www.example.org/  (redirect; both in scope)",
        "  scope    example.org and its subdomains             --stay host | web",
        "  robots   obeyed: 3 rules for us, crawl-delay 2 s, sitemap with 1,204 URLs",
        "  pace     1 request at a time per host, 2 s apart    (the site asks for it)",
        "  limit    5,000 pages, 20 GB, 12 h                   --limit N",
        "  saving   ./example.org.crawl",
        "  as       webfarer/0.1.0                             --contact URL-or-mail",
      ]
    `);
  });

  test('a browser and accounts are said', () => {
    const rows = (input: Partial<JobInput>) =>
      banner(facts(input), size)
        .filter((row) => /^ {2}(?:browser|login) /.test(row))
        .map((row) => row.trim());
    expect(rows({})).toEqual([]);
    expect(rows({ render: 'always' })).toEqual(['browser  shows every HTML page']);
    expect(rows({ render: [{ match: '/app/**', do: 'always' }] })).toEqual([
      'browser  shows pages by 1 rule of the job',
    ]);
    const login = ['ann', 'bob'].map((as) => ({ site: 'example.org', as, check: 'status' as const }));
    expect(rows({ render: 'auto', login })).toEqual([
      'browser  shows pages of kinds that gain by it',
      'login    ann of example.org, bob of example.org',
    ]);
  });

  test('several processes are said', () => {
    expect(banner(facts({ processes: 2 }), size).join('\n')).toMatch(
      /^ {2}workers {2}2 processes +--processes N$/m,
    );
    expect(banner(facts(), size).join('\n')).not.toContain('processes');
  });

  test('a redirect out of scope is said before it surprises anybody', () => {
    const redirect = { to: 'https://other.example/' as Url, inScope: false };
    expect(banner(facts({}, { redirect }), size)[0]).toContain('(redirect; out of scope, so not followed)');
  });

  test('robots in every state', () => {
    const line = (change: Partial<RobotsFacts> | undefined) =>
      banner(facts({}, change ? { robots: { ...robots, ...change } } : {}), size)[2];
    expect(line(undefined)).toContain('obeyed; not read yet');
    expect(line({ state: 'absent' })).toContain('no robots.txt, so everything is allowed');
    expect(line({ state: 'unreachable', detail: 'connection refused' })).toContain(
      'could not be read (connection refused), so nothing may be fetched',
    );
    expect(line({ rules: 1, sitemaps: ['a', 'b'] })).toContain(
      'obeyed: 1 rule for us, crawl-delay 2 s, 2 sitemaps',
    );
  });

  test('scope in words', () => {
    const scope = (input: Partial<JobInput>, seeds: string[]) =>
      banner(facts(input, { seeds: seeds as Url[] }), size)[1];
    const contact = 'https://me.example/';
    expect(scope({ scope: { stay: 'host' } }, ['https://www.example.org/'])).toContain(
      'www.example.org only',
    );
    expect(scope({ scope: { stay: 'path' } }, ['https://example.org/docs/start.html'])).toContain(
      'https://example.org/docs/ and below',
    );
    expect(scope({ scope: { stay: 'web' }, contact }, ['https://example.org/'])).toContain('the whole web');
    expect(
      scope({ contact, seeds: ['a.example', 'b.example'] }, ['https://a.example/', 'https://b.example/']),
    ).toContain('2 sites and their subdomains');
    expect(scope({}, ['http://127.0.0.1:3000/'])).toContain('127.0.0.1 only');
    expect(scope({ scope: { exclude: ['**/login/**'] } }, ['https://example.org/'])).toContain(
      'and its subdomains, without 1 exclude rule',
    );
  });

  test('options are named only where they can be typed', () => {
    expect(banner(facts({}, { hints: false }), size).join('\n')).not.toContain('--');
  });

  test('a private origin that was typed is announced', () => {
    expect(banner(facts({}, { typedPrivate: ['http://localhost:3000'] }), size).at(-1)).toContain(
      'http://localhost:3000 is allowed, because you named it',
    );
  });
});
