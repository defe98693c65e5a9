import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { decodeAttribute } from './entities.ts';
import { scanHtml } from './html-scanner.ts';

type Token = [kind: string, ...rest: unknown[]];

/** Start and end tags as the test files of html5lib write them. */
function tags(html: string, xml = false): Token[] {
  const found: Token[] = [];
  let name = '';
  let attributes: Record<string, string> = {};
  scanHtml(
    html,
    {
      open(tag) {
        name = tag;
        attributes = {};
        return true;
      },
      attribute(key, start, end) {
        if (!Object.hasOwn(attributes, key)) attributes[key] = decodeAttribute(html.slice(start, end));
      },
      opened(selfClosing) {
        found.push(selfClosing ? ['StartTag', name, attributes, true] : ['StartTag', name, attributes]);
      },
      close: (tag) => void found.push(['EndTag', tag]),
      text: (start, end) => void (end > start ? undefined : found.push(['empty text'])),
      isForeign: () => false,
    },
    { xml },
  );
  return found;
}

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

interface Case {
  description: string;
  input: string;
  output: Token[];
  initialStates?: string[];
  doubleEscaped?: boolean;
}

const corpora = process.env.WEBFARER_CORPORA;
const folder = join(corpora ?? '', 'html5lib-tokenizer/tokenizer');

/** The standard puts U+FFFD where NUL stood. */
const plain = (tokens: Token[]): string => JSON.stringify(tokens).replaceAll('\\u0000', '\ufffd');

it.skipIf(corpora === undefined)('agrees with html5lib on tags and attributes', () => {
  let passed = 0;
  const failures: string[] = [];
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.test'))) {
    const { tests = [] } = JSON.parse(readFileSync(join(folder, file), 'utf8')) as { tests?: Case[] };
    for (const test of tests) {
      // The others start within an element; surrogates and references in text are of no concern here.
      if (test.initialStates && !test.initialStates.includes('Data state')) continue;
      if (test.doubleEscaped) continue;
      const input = test.input.replaceAll('\r\n', '\n').replaceAll('\r', '\n');
      const wanted = test.output.filter(([kind]) => kind === 'StartTag' || kind === 'EndTag');
      if (plain(tags(input)) === plain(wanted)) passed += 1;
      else failures.push(`${file}: ${test.description}`);
    }
  }
  console.log(`html5lib tokenizer: ${passed} of ${passed + failures.length}`);
  expect(failures).toEqual([]);
});
