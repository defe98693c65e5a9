import { describe, expect, it } from 'vitest';
import { decodeText } from './charset.ts';
import { cssCharset, readCss, readStyleSheet } from './css.ts';
import { cpuMs } from '../../../../test/cpu-time.ts';

const hrefs = (css: string): string[] =>
  readCss(css).map(({ href, rel }) => (rel === 'css' ? href : `@${href}`));

describe('a style sheet', () => {
  it.each<[string, string[]]>([
    ['a{background:url(x.png)}', ['x.png']],
    ['a{background:url( "x.png" )}', ['x.png']],
    ["a{background:URL('x y.png')}", ['x y.png']],
    ['a{background:url(  x.png\n)}', ['x.png']],
    ['a{background:url(x\\).png)}', ['x).png']],
    ['a{background:url(x\\28 y\\000029z)}', ['x(y)z']],
    ['a{background:u\\72l(x)}', ['x']],
    ['a{background:\\75 rl(x)}', ['x']],
    ['a{background:url("a\\"b\\\nc")}', ['a"bc']],
    ['a{background:url("a\nb") url(c)}', []],
    ['a{background:url("a\nb) url(c)}', ['c']],
    ['a{background:url(a b) url(c)}', ['c']],
    ['a{background:url(a"b) url(c)}', ['c']],
    ['a{background:url(a(b) url(c)}', ['c']],
    ['a{background:url() url("") url(#f) url(data:image/png;base64,AA)}', []],
    ['a{b:url(x', ['x']],
    ['a{b:url("x', ['x']],
    ['a{b:url(', []],
    ['a{b:url (x)}', []],
    ['a{b:myurl(x) url-y(x) "url(x)" /* url(x) */}', []],
    ['/* url(a) */ b{c:url(d)} /* @import "e"; ', ['d']],
    ['a{b:url(//c.example/d?e=f&g#h)}', ['//c.example/d?e=f&g#h']],
    ['a{b:url(/*x*/)}', ['/*x*/']],
    ['@import "a.css";', ['@a.css']],
    ["@import 'a.css' screen and (min-width: 1px);", ['@a.css']],
    ['@IMPORT url(a.css) layer(x);', ['@a.css']],
    ['@import/**/url( "a.css" );', ['@a.css']],
    ['@import url(a.css)', ['@a.css']],
    ['@\\69mport "a.css";', ['@a.css']],
    ['@imports "a.css"; @media "b" {c{d:url(e)}}', ['e']],
    ['@import ; "a"', []],
    ['@charset "utf-8"; @namespace svg url(http://www.w3.org/2000/svg); a{b:url(c)}', ['c']],
    ['@-moz-document url(http://a.example/) { b{c:url(d)} }', ['d']],
    [
      '@font-face{src:local("Ab"),url(a.woff2)format("woff2"),url("a.eot?#iefix") format("x")}',
      ['a.woff2', 'a.eot?#iefix'],
    ],
    [
      'a{b:image-set("a.png" 1x, url(b.png) 2x, "c.png" type("image/png")); content:"d"}',
      ['a.png', 'b.png', 'c.png'],
    ],
    ['a{b:-webkit-image-set(url(a) 1x)} c{d:src("e")}', ['a', 'e']],
    ['<!-- a{b:url(c)} -->', ['c']],
    ['a{b:url(x)}c{d:url( x )}', ['x']],
    ['background:url(&quot;no&quot;);color:red', ['&quot;no&quot;']],
    ['a{b:url(\\110000 x)url(\\0)url(\\d800)}', ['\ufffdx', '\ufffd']],
    ['a{b:url(ä/日本.png)}', ['ä/日本.png']],
    ['\\', []],
    ['a{b:url(\\', []],
    ['@', []],
  ])('%s', (css, expected) => {
    expect(hrefs(css)).toEqual(expected);
  });

  it.each([
    ['of backslashes', '\\'],
    ['of open functions', 'url('],
    ['of quotes', '"a\n'],
    ['of comments', '/*'],
    ['of names', 'a-'],
    ['of imports', '@import '],
    ['of broken URLs', 'url(a b'],
    ['of brackets', 'f('],
    ['of references', 'url(x\\41)'],
  ])('%s is read in bounded time', (_name, piece) => {
    const startedAt = cpuMs();
    expect(readCss(piece.repeat(Math.ceil(3_000_000 / piece.length))).length).toBeLessThanOrEqual(5_000);
    expect(cpuMs() - startedAt).toBeLessThan(3_000);
  });
});

describe('its text', () => {
  const latin = (text: string): Buffer => Buffer.from(text, 'latin1');
  it.each<[string, Buffer, string | undefined, string]>([
    ['is UTF-8', Buffer.from('ä'), undefined, 'ä'],
    ['is what the header says', latin('\xe4'), 'iso-8859-1', 'ä'],
    ['is what the sheet says', latin('@charset "koi8-r";\xc1'), undefined, '@charset "koi8-r";а'],
    [
      'is not what it says in other words',
      latin("@charset 'koi8-r';\xc1"),
      undefined,
      "@charset 'koi8-r';\ufffd",
    ],
    ['is what its mark says', Buffer.from('\ufeffä', 'utf16le'), 'koi8-r', 'ä'],
    ['is not of an unheard-of kind', Buffer.from('ä'), 'x-none', 'ä'],
  ])('%s', (_name, body, label, text) => {
    expect(decodeText(body, cssCharset(body, label))).toBe(text);
  });
});

it('reads on behind a string that is too long for a reference', () => {
  const long = String.raw`@import "${'\\61 '.repeat(70_000)}\"x"; @import "b.css";`;
  expect(readCss(long)).toEqual([{ href: 'b.css', rel: 'css:import' }]);
});

it('a large sheet is read in turns, to the same end', async () => {
  const css = Array.from({ length: 4_000 }, (_, n) => `/* ${'é'.repeat(300)} */ a{b:url("${n}.png")}`).join(
    '\n',
  );
  let turns = 0;
  let reading = true;
  const count = (): void => {
    turns += 1;
    if (reading) setImmediate(count);
  };
  setImmediate(count);
  const links = await readStyleSheet(Buffer.from(css), undefined);
  reading = false;
  expect(links).toEqual(readCss(css));
  expect(links).toHaveLength(4_000);
  expect(turns).toBeGreaterThan(3);
});
