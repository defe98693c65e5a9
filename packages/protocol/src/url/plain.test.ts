import fc from 'fast-check';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { plainResolver } from './plain.ts';
import { readWptCases } from './wpt.fixture.ts';

const bases = [
  'https://example.org/dir/page.html?q=a/b',
  'http://a.example:8080/',
  'https://u:p@a.example/x/',
  'https://a.example/x#/y',
  'ftp://a.example/x/',
  'HTTP://A.example/x/../y',
  'mailto:a@b.example',
];
const pieces = [
  ...'/ // . .. a Z9 ? # : @ % %2e %2F \\ & = \' " | ^ ~ ; - é'.split(' '),
  ...'http:// https:// b.example 1.2.3 [::1] :80 :443'.split(' '),
  ' ',
  '\t',
];
const plain = plainResolver();
const parsed = (text: string, base?: string) => URL.parse(text, base)?.href.split('#', 1)[0];

/** Where the quick way has an answer, it is the parser's. */
function agrees(text: string, base?: string): void {
  const quick = plain(text, base);
  if (quick !== undefined) expect(quick, `${text} on ${base}`).toBe(parsed(text, base));
}

describe('the quick way to a URL', () => {
  it.each([
    '/articles/3/page-13.html',
    '/a//b/?x[]=1&y=%2f#part',
    'page-2.html?x=1',
    'sub/folder/',
    'https://b.example/',
    'http://127.0.0.1:8080/x.html',
    '/~me/a%20b',
  ])('takes %s', (text) => {
    expect(plain(text, bases[0])).toBe(parsed(text, bases[0]));
    expect(plain(text, bases[1])).toBe(parsed(text, bases[1]));
  });

  it.each([
    '//b.example/',
    '/./x',
    '/a/../b',
    '/a/%2E%2e/b',
    '/a b',
    '/é',
    "/?it's",
    'x:y',
    '..',
    '',
    '?x',
    '#x',
    String.raw`/a\b`,
    '/a\tb',
    'http://u@b.example/',
    'http://B.example/',
    'http://b.example:80/',
    'http://0x7f.1/',
    'http://b.example',
    'https:/x',
  ])('leaves %j to the parser', (text) => expect(plain(text, bases[0])).toBeUndefined());

  it('says what the parser says', () => {
    const word = fc.constantFrom(...pieces);
    const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(''));
    fc.assert(
      fc.property(text, fc.constantFrom(undefined, ...bases), (written, base) => agrees(written, base)),
      { numRuns: 20_000 },
    );
  });
});

const corpora = process.env['WEBFARER_CORPORA'];

describe.skipIf(corpora === undefined)('the quick way, on corpora', () => {
  it('says what the parser says to the cases of the URL standard', () => {
    for (const { input, base } of readWptCases(corpora ?? '')) agrees(input, base ?? undefined);
  });

  it('says what the parser says to the links of real pages, and takes most of them', () => {
    const folder = join(corpora ?? '', 'html-pages');
    const hrefs = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.html'))
      .slice(0, 40)
      .flatMap((name) => [...readFileSync(join(folder, name), 'utf8').matchAll(/href="([^"&]*)"/g)])
      .map(([, href = '']) => href);
    for (const href of hrefs) agrees(href, bases[0]);
    const taken = hrefs.filter((href) => plain(href, bases[0]) !== undefined).length;
    expect(taken / hrefs.length).toBeGreaterThan(0.7);
  });
});
