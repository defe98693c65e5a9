import { gzipSync } from 'node:zlib';
import { type Bomb, filled, maker, numbered } from '../bomb.ts';

const make = maker('sitemaps', 'sitemaps', 'application/xml');
const sitemap = (name: string, body: () => string | Buffer): Bomb => make(name, body, { isSitemap: true });
const urls = (content: string) =>
  `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${content}</urlset>`;
const index = (content: string) => `<sitemapindex>${content}</sitemapindex>`;

export const sitemapBombs: readonly Bomb[] = [
  sitemap('urls', () => urls(numbered(50_000, (at) => `<url><loc>http://a.test/${at}</loc></url>`))),
  sitemap('long-urls', () =>
    urls(numbered(4_700, (at) => `<url><loc>http://a.test/${'a'.repeat(2_000)}${at}</loc></url>`)),
  ),
  sitemap('own-urls', () => urls(numbered(50_000, (at) => `<url><loc>/p/${at}</loc></url>`))),
  sitemap('packed', () => gzipSync(urls(filled('<url><loc>http://a.test/</loc></url>', 60_000_000)))),
  sitemap('packed-nothing', () => gzipSync(urls(filled('<x>', 50_000_000)))),
  sitemap('nested', () => urls(filled('<url>'))),
  sitemap(
    'entities',
    () =>
      `<!DOCTYPE x [${numbered(20, (at) => `<!ENTITY e${at + 1} "${`&e${at};`.repeat(20)}">`)}]>${urls('<url><loc>http://a.test/&e20;</loc></url>')}`,
  ),
  sitemap('references', () => urls(`<url><loc>${filled('&#x61;')}`)),
  sitemap('sections', () => urls(filled('<url><loc><![CDATA[http://a.test/]]></loc></url>'))),
  sitemap('languages', () =>
    urls(
      `<url><loc>http://a.test/</loc>${numbered(60_000, (at) => `<xhtml:link rel="alternate" href="http://a.test/${at}"/>`)}</url>`,
    ),
  ),
  sitemap('attributes', () => urls(`<url ${filled('a="b" ')}>`)),
  sitemap('dates', () =>
    urls(filled(`<url><loc>http://a.test/</loc><lastmod>${'1'.repeat(4_000)}</lastmod></url>`)),
  ),
  sitemap('of-sitemaps', () => index(numbered(50_000, (at) => `<sitemap><loc>/s/${at}.xml</loc></sitemap>`))),
  sitemap('of-itself', () => index(filled('<sitemap><loc>/sitemaps-of-itself</loc></sitemap>', 4_000_000))),
  sitemap('list', () => numbered(300_000, (at) => `http://a.test/${at}\n`)),
  sitemap('one-line', () => `http://a.test/${filled('a')}`),
];
