import { gzipSync } from 'node:zlib';
import { readSitemap, type SitemapLink } from '@webfarer/worker';
import { createXmlReader } from '../../../packages/worker/src/extract/sitemap-xml.ts';
import { assemble, mutate } from '../mutate.ts';
import { buffers, must, seedFiles, type Target, type TargetOptions } from '../target.ts';

// biome-ignore format: a table of pieces
const pieces = [
  '<urlset>', '<urlset xmlns="x">', '<sitemapindex>', '<rss>', '<feed>', '<rdf:RDF>', '<sm:urlset>', '<url>', '</url>', '<sitemap>', '<loc>', '</loc>',
  '<sm:loc>', 'http://a.example/', 'https://a.example/?a=1&amp;b=2', '<lastmod>2026</lastmod>', '<link>', '</link>', '<link href="b"/>',
  '<link rel="self" href=', '<xhtml:link rel="alternate" href="c"/>', '<![CDATA[', ']]>', '<!--', '-->', '<?xml version="1.0" encoding="utf-16"?>',
  '<!DOCTYPE x [<!ENTITY a "b">]>', '&a;', '&#x41;', '&#', '&', '<', '>', '"', ' ', '\n', '\r', '\0', '\ufeff', 'é', '<image:loc>', '/>', '</',
];

export async function open({ corpora }: TargetOptions): Promise<Target> {
  const words = buffers(pieces);
  const seeds = [
    ...buffers([
      '<urlset><url><loc>http://a.example/</loc></url></urlset>',
      'http://a.example/\nhttp://b.example/',
    ]),
    ...seedFiles(corpora, 'crawler-commons/sitemaps'),
  ];
  return {
    make(random) {
      const body = random.chance(0.5)
        ? Buffer.from(`<urlset>${assemble(random, pieces, 80)}`)
        : mutate(random, random.pick(seeds), words);
      if (!random.chance(0.1)) return body;
      const packed = gzipSync(body, { level: 1 });
      return random.chance(0.7) ? mutate(random, packed, []) : packed;
    },
    async run(input) {
      const links: SitemapLink[] = [];
      for await (const batch of readSitemap(input)) links.push(...batch);
      must(links.length <= 50_000, `${links.length} links`);
      for (const { url, kind } of links) {
        must(url !== '' && url.length <= 2_083 && url === url.trim(), `not a URL: ${url}`);
        must(kind === 'page' || kind === 'sitemap', `a link of the kind ${kind}`);
      }
      const text = input.toString('latin1', 0, 4_000);
      const [whole, cut] = [read(text, text.length), read(text, 7)];
      must(whole === cut, `cut into slices it is another sitemap: ${whole} and ${cut}`);
    },
  };
}

function read(text: string, size: number): string {
  const reader = createXmlReader();
  const links: SitemapLink[] = [];
  for (let at = 0; at < text.length; at += size) {
    reader.write(text.slice(at, at + size));
    links.push(...reader.take());
  }
  reader.end();
  links.push(...reader.take());
  return JSON.stringify(links);
}
