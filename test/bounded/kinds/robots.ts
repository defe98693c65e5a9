import { gzipSync } from 'node:zlib';
import { type Answer, answerOf, type Bomb, filled, html, maker, numbered } from '../bomb.ts';

const make = maker('robots', 'robots');
const long = 'a'.repeat(1_900);
const most = 512_000;

/** A page whose host has such rules; its address is made for them. */
const rules = (name: string, text: () => string | Buffer, more: Partial<Bomb> = {}): Bomb =>
  make(name, () => '<p>a', {
    query: `?${long}`,
    alone: true,
    files: { '/robots.txt': answerOf('text/plain', text) },
    ...more,
  });
const served = (answer: Answer): Partial<Bomb> => ({ files: { '/robots.txt': answer } });
const forAll = (lines: string) => `User-agent: *\n${lines}`;

export const robotsBombs: readonly Bomb[] = [
  rules('stars', () => forAll(filled(`Disallow: /${'*a'.repeat(50)}b\n`, most))),
  rules('one-pattern', () => forAll(`Disallow: /${filled('*a', 400_000)}b\n`)),
  rules('ends', () => forAll(filled('Disallow: /*a$b$\n', most))),
  rules('short-rules', () => forAll(filled('Allow:/a\n', most))),
  rules('groups', () => filled('User-agent: webfarer\nDisallow: /x\n', most)),
  rules('agents', () => numbered(25_000, (at) => `User-agent: bot-${at}\n`)),
  rules('sitemaps', () => numbered(12_000, (at) => `Sitemap: http://127.9.9.9/${at}.xml\n`)),
  rules('one-line', () => filled('Disallow', most)),
  rules('escapes', () => forAll(filled('Disallow: /%61%2a%\n', most))),
  rules('comments', () => filled('#', most)),
  rules(
    'packed',
    () => '',
    served(
      answerOf('text/plain', () => gzipSync(filled('Disallow: /a\n', 50_000_000)), [
        'content-encoding',
        'gzip',
      ]),
    ),
  ),
  rules('page', () => '', served(html(() => filled('<p>a')))),
  rules('two-bytes', () =>
    Buffer.from(`\ufeff${forAll(filled('Disallow: /*a*a*b\n', most / 2))}`, 'utf16le'),
  ),
  rules('circle', () => '', served({ status: 302, headers: ['location', '/robots.txt'], body: () => '' })),
  rules('delay', () => forAll(`Crawl-delay: ${'9'.repeat(400_000)}\n`)),
];
