import { type BadServer, once, reply } from './bad-server.ts';

/**
 * Pages made to cost time, memory or stack, and text in odd charsets. They are valid answers: `ok` is right. So many
 * come at once that they must wait for each other; that is our doing, and no reason to call one late.
 */
type Make = () => string | Buffer;

const million = 1_000_000;
const monster = (name: string, make: Make, type = 'text/html; charset=utf-8'): BadServer => {
  const body = once(() => Buffer.from(make()));
  return {
    name,
    expects: ['ok'],
    prepare: body,
    answer: (socket) => reply(socket, body(), { type }),
  };
};
const repeated = (piece: string, bytes: number): string => piece.repeat(Math.ceil(bytes / piece.length));
const numbered = (count: number, piece: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => piece(n)).join('');

export const monsterServers: BadServer[] = [
  monster('nested-tags', () => repeated('<div>', 5 * million)),
  monster('nested-templates', () => repeated('<template><svg><foreignObject>', 5 * million)),
  monster('nested-tables', () => repeated('<table><tr><td>', 5 * million)),
  monster('nested-formatting', () => repeated('<b><i><a href=/>', 5 * million)),
  monster('many-attributes', () => `<a ${numbered(500_000, (n) => `a${n}=1 `)} href="/x">`),
  monster('same-attribute', () => `<a ${repeated('href=/x ', 5 * million)}>`),
  monster('long-attribute', () => `<a href="/${'x'.repeat(9 * million)}">`),
  monster('open-attribute', () => `<a href="${repeated("x'> <", 9 * million)}`),
  monster('long-text', () => 'x'.repeat(12 * million)),
  monster('long-title', () => `<title>${repeated('title ', 9 * million)}`),
  monster('open-comment', () => `<!--${repeated('-- > <a href=/x>', 9 * million)}`),
  monster('comment-ends', () => repeated('<!--->', 9 * million)),
  monster('open-script', () => `<script>${repeated('</scrip <a href=/x>', 9 * million)}`),
  monster('script-escapes', () => `<script>${repeated('<!--<script>', 9 * million)}`),
  monster('only-brackets', () => '<'.repeat(9 * million)),
  monster('only-end-tags', () => repeated('</', 9 * million)),
  monster('only-ampersands', () => `<a href="${'&'.repeat(9 * million)}">`),
  monster(
    'many-entities',
    () => `<title>${repeated('&CounterClockwiseContourIntegral;', 5 * million)}</title>`,
  ),
  monster('many-bases', () => numbered(100_000, (n) => `<base href="http://x${n}.test/">`)),
  monster('many-links', () => numbered(200_000, (n) => `<a href="/l${n}">${n}</a>`)),
  monster('many-hosts', () => numbered(500, (n) => `<a href="http://h${n}.wildcard.test/">${n}</a>`)),
  monster('long-links', () => numbered(2_000, (n) => `<a href="/${'y'.repeat(4_000)}${n}">`)),
  monster('many-sources', () => `<img srcset="${numbered(200_000, (n) => `/s${n} ${n}w, `)}">`),
  monster('source-commas', () => `<img srcset="${','.repeat(9 * million)}">`),
  monster('many-refreshes', () => repeated('<meta http-equiv=refresh content="0;url=/x">', 5 * million)),
  monster('meta-charsets', () => repeated('<meta charset="', 9 * million)),
  monster('nulls', () => Buffer.alloc(9 * million)),
  monster('plaintext', () => `<plaintext>${repeated('<a href=/x>', 5 * million)}`),
  monster('cdata', () => `<svg>${repeated('<![CDATA[ ]] ', 9 * million)}`),
  monster('spaces', () => `<a${' '.repeat(9 * million)}href=/x>`),
  monster('white-href', () => `<a href="${' \t\n'.repeat(3 * million)}/x">`),
  // Text that is not what it says.
  monster('utf-7', () => '<meta charset=utf-7>+ADw-a href=/x+AD4-', 'text/html; charset=utf-7'),
  monster('utf-16-unmarked', () => Buffer.from('<a href="/x">x</a>', 'utf16le'), 'text/html'),
  monster('utf-16-odd', () => Buffer.alloc(100_001, 0xd8), 'text/html; charset=utf-16le'),
  monster('utf-32', () => Buffer.from([0xff, 0xfe, 0, 0, 60, 0, 0, 0]), 'text/html; charset=utf-32'),
  monster(
    'marks-clash',
    () => Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from('<a href=/x>')]),
    'text/html; charset=shift_jis',
  ),
  monster('overlong-utf-8', () =>
    Buffer.from([0x3c, 0xc0, 0xbc, 0xe0, 0x80, 0xaf, 0xf8, 0x88, 0x80, 0x80, 0x80]),
  ),
  monster(
    'escapes-jp',
    () => Buffer.from('\x1b$B<a href="/x">\x1b(J</script>\x1b$'.repeat(10_000), 'latin1'),
    'text/html; charset=iso-2022-jp',
  ),
  monster('gb18030', () => Buffer.alloc(2 * million, 0x81), 'text/html; charset=gb18030'),
  monster('big5', () => Buffer.alloc(2 * million, 0xfe), 'text/html; charset=big5'),
  monster('euc-kr', () => Buffer.alloc(2 * million, 0xa1), 'text/html; charset=euc-kr'),
  monster('unknown-charset', () => '<a href=/x>', 'text/html; charset=x-none-such'),
  monster('long-charset', () => '<a href=/x>', `text/html; charset=${'u'.repeat(20_000)}`),
  monster('replacement', () => '<a href=/x>', 'text/html; charset=replacement'),
];
