import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createXmlReader } from './sitemap-xml.ts';
import { readSitemap, type SitemapLink } from './sitemap.ts';
import { cpuMs } from '../../../../test/cpu-time.ts';

async function linksOf(text: string | Buffer): Promise<SitemapLink[]> {
  const links: SitemapLink[] = [];
  for await (const batch of readSitemap(Buffer.from(text))) links.push(...batch);
  return links;
}
const urls = async (text: string | Buffer): Promise<string[]> => (await linksOf(text)).map(({ url }) => url);
const wrap = (inner: string): string => `<?xml version="1.0"?>\n<urlset xmlns="x">${inner}</urlset>`;

describe('a sitemap', () => {
  it('names its pages', async () => {
    const links = await linksOf(
      wrap(
        '<url><loc> http://a.example/?x=1&amp;y=2 </loc><lastmod>2026-01-02</lastmod></url>' +
          '<url><loc><![CDATA[http://a.example/b]]></loc></url>' +
          '<url><image:image><image:loc>http://a.example/no.png</image:loc></image:image><loc>http://a.example/c</loc>' +
          '<xhtml:link rel="alternate" hreflang="de" href="http://a.example/de?a=1&amp;b"/><lastmod>2025</lastmod></url>',
      ),
    );
    expect(links).toEqual([
      { url: 'http://a.example/?x=1&y=2', kind: 'page', lastmod: '2026-01-02' },
      { url: 'http://a.example/b', kind: 'page' },
      { url: 'http://a.example/c', kind: 'page', lastmod: '2025' },
      { url: 'http://a.example/de?a=1&b', kind: 'page' },
    ]);
  });

  it('may be an index, a feed or a list, packed or not', async () => {
    const index = '<sitemapindex><sitemap><loc>http://a.example/1.xml</loc></sitemap></sitemapindex>';
    expect(await linksOf(index)).toEqual([{ url: 'http://a.example/1.xml', kind: 'sitemap' }]);
    expect(await urls(gzipSync(index))).toEqual(['http://a.example/1.xml']);
    const rss =
      '<rss><channel><link>http://a.example/</link><atom:link rel="self" href="http://a.example/f"/>' +
      '<item><title>x</title><link>http://a.example/1</link><guid>http://a.example/no</guid></item></channel></rss>';
    expect(await urls(rss)).toEqual(['http://a.example/', 'http://a.example/1']);
    const atom =
      '<feed><link href="http://a.example/"/><link rel="self" href="http://a.example/f"/><entry>' +
      '<link rel="alternate" href="http://a.example/1"/><link rel="edit" href="http://a.example/e"/></entry></feed>';
    expect(await urls(atom)).toEqual(['http://a.example/', 'http://a.example/1']);
    const rdf = '<rdf:RDF><item rdf:about="x"><link>http://a.example/1</link></item></rdf:RDF>';
    expect(await urls(rdf)).toEqual(['http://a.example/1']);
    expect(await urls('\ufeffhttp://a.example/1\r\n\r\n  https://a.example/2 \rnot a url\nftp://x/')).toEqual(
      ['http://a.example/1', 'https://a.example/2'],
    );
    expect(
      await urls('<sm:urlset xmlns:sm="x"><sm:url><sm:loc>http://a.example/</sm:loc></sm:url></sm:urlset>'),
    ).toEqual(['http://a.example/']);
  });

  it('in UTF-16 is read as well', async () => {
    expect(
      await urls(Buffer.from(`\ufeff${wrap('<url><loc>http://a.example/ä</loc></url>')}`, 'utf16le')),
    ).toEqual(['http://a.example/ä']);
  });

  it.each([
    ['nothing', ''],
    ['a page', '<!doctype html><html><a href=x>http://a.example/</a><url><loc>http://a.example/</loc></url>'],
    ['something else in XML', '<?xml version="1.0"?><svg><loc>http://a.example/</loc></svg>'],
    ['broken gzip', Buffer.from([0x1f, 0x8b, 0x08, 0, 1, 2, 3])],
    ['bytes', Buffer.from(Array.from({ length: 5_000 }, (_, i) => (i * 7919) & 255))],
  ])('is not %s', async (_name, body) => {
    expect(await urls(body)).toEqual([]);
  });
});

describe('slices', () => {
  const links =
    '<url><loc> http://a.example/?x=1&amp;y=2&#228; </loc><lastmod>2026-01-02</lastmod></url><!-- <loc>no</loc> -->' +
    '<url><loc><![CDATA[http://a.example/b]]></loc><xhtml:link rel="alternate" href="http://a.example/de?a&amp;b"/></url>';

  it('may be cut anywhere', () => {
    const whole = createXmlReader();
    whole.write(wrap(links));
    whole.end();
    const expected = whole.take();
    expect(expected).toHaveLength(3);
    for (const size of [1, 2, 3, 7, 50]) {
      const reader = createXmlReader();
      const found: SitemapLink[] = [];
      for (let at = 0; at < wrap(links).length; at += size) {
        reader.write(wrap(links).slice(at, at + size));
        found.push(...structuredClone(reader.take()));
      }
      reader.end();
      found.push(...reader.take());
      expect(found).toEqual(expected);
    }
  });

  it.each([
    ['plain', (body: Buffer) => body],
    ['packed', (body: Buffer) => gzipSync(body)],
  ])('of a large file, %s, let others have their turn', async (_name, pack) => {
    const large = Buffer.from(wrap('<a>'.repeat(700_000)));
    const body = pack(large);
    let turns = 0;
    let reading = true;
    const count = (): void => {
      turns += 1;
      if (reading) setImmediate(count);
    };
    setImmediate(count);
    await linksOf(body);
    reading = false;
    expect(turns).toBeGreaterThan(large.length / 100_000);
  });

  it('of a list may be cut within a line', async () => {
    const list = Array.from({ length: 5_000 }, (_, i) => `http://a.example/${'é'.repeat(i % 20)}${i}`);
    expect(await urls(list.join('\r\n'))).toEqual(list);
  });
});

describe('a hostile sitemap', () => {
  const deep = '<a>'.repeat(500_000);
  it.each([
    ['nested without end', wrap(deep), 0],
    ['with very many attributes', `<urlset ${'a="b" '.repeat(300_000)}>`, 0],
    [
      'with entities of its own',
      '<!DOCTYPE x [<!ENTITY a "http://a.example/&b;"><!ENTITY b SYSTEM "file:///etc/passwd">]><urlset><url><loc>&a;</loc></url></urlset>',
      1,
    ],
    ['with a loc that does not end', `<urlset><url><loc>http://a.example/${'x'.repeat(5_000_000)}`, 0],
    ['with a URL longer than any', wrap(`<url><loc>http://a.example/${'x'.repeat(3_000)}</loc></url>`), 0],
    [
      'with a URL longer than any in a line of its own',
      wrap(`<url><loc>\n  http://a.example/${'x'.repeat(3_000)}</loc></url>`),
      0,
    ],
    [
      'with a reference longer than any',
      wrap(`<x:link rel="alternate" href=" http://a.example/${'x'.repeat(3_000)}"/>`),
      0,
    ],
    [
      'with very much space around a URL',
      wrap(`<url><loc>${' '.repeat(9_000)}http://a.example/</loc></url>`),
      1,
    ],
    ['that stops in the middle', '<urlset><url><loc>http://a.example/1</loc></url><url><lo', 1],
    [
      'with too many URLs',
      wrap(Array.from({ length: 60_000 }, (_, i) => `<url><loc>http://a.example/${i}</loc></url>`).join('')),
      50_000,
    ],
    [
      'with too many lines',
      Array.from({ length: 60_000 }, (_, i) => `http://a.example/${i}`).join('\n'),
      50_000,
    ],
  ])('%s is read in bounded time', async (_name, text, count) => {
    const startedAt = cpuMs();
    expect(await linksOf(text)).toHaveLength(count);
    expect(cpuMs() - startedAt).toBeLessThan(5_000);
  });

  it('packed into a bomb is cut', async () => {
    const page = '<url><loc>http://a.example/same</loc></url>'.repeat(25_000);
    const bomb = gzipSync(
      Buffer.concat([Buffer.from('<urlset>'), ...Array<Buffer>(55).fill(Buffer.from(page))]),
    );
    const before = process.memoryUsage.rss();
    expect(await urls(bomb)).toEqual(['http://a.example/same']);
    expect(process.memoryUsage.rss() - before).toBeLessThan(400 * 1024 * 1024);
  });
});

const corpora = process.env.WEBFARER_CORPORA;
const file = (name: string): Buffer =>
  readFileSync(join(corpora as string, 'crawler-commons/sitemaps', name));

it.skipIf(corpora === undefined || !existsSync(join(corpora, 'crawler-commons')))(
  'real files are read in full',
  async () => {
    const counts: [string, number][] = [
      ['atom.xml', 3],
      ['sitemap.index.xml', 15],
      ['sitemap.ns.xml', 2],
      ['sitemap.badns.xml', 2],
      ['sitemap.txt', 2],
      ['sitemap.txt.gz', 5],
      ['sitemap-with-bom.txt', 2],
      ['xmlSitemap.gz', 5],
      ['extension/sitemap-links.xml', 3],
      ['extension/sitemap-images.xml', 1],
      ['extension/sitemap-videos.xml', 3],
      ['extension/hebdenbridgetimes-articles-sitemap.xml', 74],
    ];
    for (const [name, count] of counts)
      expect([name, (await linksOf(file(name))).length]).toEqual([name, count]);
  },
);
