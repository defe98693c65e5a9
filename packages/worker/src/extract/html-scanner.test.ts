import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scanHtml } from './html-scanner.ts';
import { runTokenizerCases, type Token, tags } from './tokenizer-cases.fixture.ts';

function texts(html: string, foreign = false): string[] {
  const found: string[] = [];
  scanHtml(
    html,
    {
      open: () => false,
      attribute: () => {},
      opened: () => {},
      close: () => {},
      text: (start, end) => void found.push(html.slice(start, end)),
      isForeign: () => foreign,
      raw: () => {},
    },
    { xml: false },
  );
  return found;
}

describe('the scanner', () => {
  it.each<[string, Token[]]>([
    ['<a b=c d="e" f=\'g\' h>', [['StartTag', 'a', { b: 'c', d: 'e', f: 'g', h: '' }]]],
    ['<a/>', [['StartTag', 'a', {}, true]]],
    ['<a b=/>', [['StartTag', 'a', { b: '/' }]]],
    ['<a b=c />', [['StartTag', 'a', { b: 'c' }, true]]],
    ['<a b="c"/>', [['StartTag', 'a', { b: 'c' }, true]]],
    ['<a / b>', [['StartTag', 'a', { b: '' }]]],
    ['<a =b>', [['StartTag', 'a', { '=b': '' }]]],
    ['<a b=>c', [['StartTag', 'a', { b: '' }]]],
    ['<a b="c"d>', [['StartTag', 'a', { b: 'c', d: '' }]]],
    ['<a b"c=d>', [['StartTag', 'a', { 'b"c': 'd' }]]],
    ['<a b=c"d e>', [['StartTag', 'a', { b: 'c"d', e: '' }]]],
    ['</a b=">">x', [['EndTag', 'a']]],
    ['</><a>', [['StartTag', 'a', {}]]],
    ['<a<b>', [['StartTag', 'a<b', {}]]],
    ['<3 <a>', [['StartTag', 'a', {}]]],
    ['<a b="', []],
    ['<a', []],
    ['<', []],
    ['</', []],
    ['<!', []],
    [
      '<script>x</script>',
      [
        ['StartTag', 'script', {}],
        ['EndTag', 'script'],
      ],
    ],
    [
      '<script><!--<script></script>--><a></script>',
      [
        ['StartTag', 'script', {}],
        ['EndTag', 'script'],
      ],
    ],
    [
      '<script><!--><script></script><a>',
      [
        ['StartTag', 'script', {}],
        ['EndTag', 'script'],
        ['StartTag', 'a', {}],
      ],
    ],
    [
      '<script><!--</script><a>',
      [
        ['StartTag', 'script', {}],
        ['EndTag', 'script'],
        ['StartTag', 'a', {}],
      ],
    ],
  ])('%s', (html, expected) => {
    expect(tags(html)).toEqual(expected);
  });

  it('gives text in whole pieces', () => {
    expect(texts('a < b <i>c</i> d<!-- no -->e<script>no</script><title>f &lt; <b></title>')).toEqual([
      'a < b ',
      'c',
      ' d',
      'e',
      'f &lt; <b>',
    ]);
    expect(texts('a<![CDATA[b>]]>c')).toEqual(['a', ']]>c']);
    expect(texts('a<![CDATA[b>]]>c', true)).toEqual(['a', 'b>', 'c']);
    expect(texts('a<')).toEqual(['a<']);
  });
});

const corpora = process.env.WEBFARER_CORPORA;

it.skipIf(corpora === undefined)('agrees with html5lib on tags and attributes', () => {
  const { cases, differences, left } = runTokenizerCases(
    join(corpora as string, 'html5lib-tokenizer/tokenizer'),
  );
  console.log(`html5lib tokenizer: ${cases - differences.length} of ${cases}, ${left} left out`);
  expect(differences).toEqual([]);
  expect(cases).toBeGreaterThan(6_000);
});
