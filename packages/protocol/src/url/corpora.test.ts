import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { HostKey } from '../base/brands.ts';
import { siteOf } from './site.ts';
import { normaliser, parseUrl } from './url.ts';
import { readWptCases, wptDeviations } from './wpt.fixture.ts';

const corpora = process.env['WEBFARER_CORPORA'];
if (corpora === undefined) console.info('skipped: URL corpora (WEBFARER_CORPORA does not name their folder)');
const read = (...path: string[]) => readFileSync(join(corpora ?? '', ...path), 'utf8');
const lines = (text: string, comment: string) =>
  text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith(comment));

describe.skipIf(corpora === undefined)('web-platform-tests', () => {
  it('URL cases all parse as expected', () => {
    const cases = readWptCases(corpora ?? '');
    expect(wptDeviations(cases)).toEqual([]);
    expect(cases.length).toBeGreaterThan(800);
  });
});

/** Fields may be quoted, with `""` for a quote. */
function csv(line: string): string[] {
  return [...line.matchAll(/\s*(?:"((?:[^"]|"")*)"|([^,]*?))\s*(?:,|$)/g)]
    .slice(0, -1)
    .map(([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '');
}

/** Where we decide otherwise on purpose. */
const deviations: Record<string, (input: string, theirs: string) => boolean> = {
  'only http and https are crawled': (input) => !/^https?:\/\/[^/]/.test(input),
  'empty segments can be other pages': (input) => /^https?:\/\/.*\/\//.test(input),
  'a stray % stays as the site wrote it': (_, theirs) => theirs.includes('%25'),
  'what WHATWG leaves alone in a query stays': (input) => /\?.*[\^`|[\]]/.test(input),
  'the host is never changed, not even its last dot': (input) => /^https?:\/\/[^/]*\.\//.test(input),
  'parameters without value or name can mean something': (input) => /[?&](?:[^=&]*=(?:&|$)|=)/.test(input),
};

describe.skipIf(corpora === undefined)('crawler-commons', () => {
  const normalise = normaliser({
    enabled: true,
    sort: true,
    strip: ['PHPSESSID', 'JSESSIONID', 'sid', 'utm_*'],
  });

  it('agrees on what a weird URL is, but for the listed deviations', () => {
    const cases = lines(read('crawler-commons', 'normalizer', 'weirdToNormalizedUrls.csv'), '#').map(csv);
    const different = cases.filter(([input = '', theirs]) => normalise(input) !== theirs);
    const unexplained = different.filter(
      ([input = '', theirs = '']) => !Object.values(deviations).some((fits) => fits(input, theirs)),
    );
    expect(unexplained).toEqual([]);
    expect(cases.length - different.length).toBeGreaterThan(80);
  });

  it('agrees on what is no URL', () => {
    const cases = lines(read('crawler-commons', 'normalizer', 'invalidUrls.csv'), '#');
    expect(cases.filter((line) => normalise(line.trim()) !== undefined)).toEqual([]);
    expect(cases.length).toBeGreaterThan(0);
  });

  it('agrees on resolving', () => {
    const cases = lines(read('crawler-commons', 'url-utils', 'url-resolve.csv'), '#').map(csv);
    const wrong = cases.filter(
      ([input = '', base, result]) => parseUrl(input, base === '' ? undefined : base)?.href !== result,
    );
    expect(wrong).toEqual([]);
    expect(cases.length).toBeGreaterThan(20);
  });
});

describe.skipIf(corpora === undefined)('public suffix list checks', () => {
  it('all hold; a public suffix alone is its own site', () => {
    const checks = lines(read('psl', 'tests.txt'), '//').map((line) => line.split(' '));
    const wrong = checks.filter(([host = '', domain = '']) => {
      // A leading dot is not a host name that a URL can lead to.
      if (host === 'null' || host.startsWith('.')) return false;
      const ascii = parseUrl(`http://${host}`)?.hostname as HostKey;
      const expected = domain === 'null' ? ascii : parseUrl(`http://${domain}`)?.hostname;
      return siteOf(ascii) !== expected;
    });
    expect(wrong).toEqual([]);
    expect(checks.length).toBeGreaterThan(70);
  });
});
