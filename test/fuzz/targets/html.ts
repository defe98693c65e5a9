import type { Url } from '@webfarer/protocol';
import { normaliser } from '@webfarer/protocol/url';
import { readDocument, readDocumentInTurns } from '@webfarer/worker';
import { assemble, mutate } from '../mutate.ts';
import type { Random } from '../random.ts';
import { buffers, must, seedFiles, type Target, type TargetOptions } from '../target.ts';

// biome-ignore format: a table of pieces
const pieces = [
  '<a href=', '<a href="/x">', "<A HREF='y' rel=nofollow>", '</a>', '<img srcset="a 1x, b 2x" src=c>', '<base href="/b/">',
  '<base href="javascript:x">', '<meta http-equiv=refresh content="0;url=z">', '<meta name=robots content=nofollow>',
  '<meta charset=utf-7>', '<meta charset=iso-2022-jp>', '<meta http-equiv=content-type content="text/html; charset=gbk">',
  '<script>', '</script>', '<script><!--<script>', '<style>', 'a{b:url(c)}', '@import "d";', '</style>', '<p style="a:url(\'',
  '<title>', '</title>', '<textarea>', '<template shadowrootmode=open>', '<template>', '</template>', '<svg>', '</svg>', '<math>', '<mi>',
  '<![CDATA[', ']]>', '<!--', '-->', '--!>', '<!', '<?xml version="1.0" encoding="', '?>', '&', '&amp;', '&#', '&#x110000;', '&#0;', '&notin',
  '<', '>', '/>', '"', "'", '=', '`', ' ', '\n', '\0', '\ufeff', '\ufffd', '日本', '\x1b$B', '\x1b(B', '<plaintext>', '<noscript>',
  '<link rel="alternate stylesheet" href=e imagesrcset="f,">', '<iframe src=g>', '<form action=h>', '<rss><link>i</link>', '<feed>',
];
// biome-ignore format: a table of types
const types = [
  'text/html', 'text/html; charset=utf-8', 'text/html; charset=windows-1252', 'text/html; charset=gb18030', 'text/html; charset=big5',
  'text/html; charset=shift_jis', 'text/html; charset=euc-jp', 'text/html; charset=euc-kr', 'text/html; charset=iso-2022-jp',
  'text/html; charset=utf-16le', 'text/html; charset=utf-16be', 'text/html; charset=utf-7', 'text/html; charset=replacement',
  'text/html; charset=x-user-defined', 'text/html; charset="', 'text/html; charset=koi8-u', 'text/html; charset=macintosh',
  'application/xhtml+xml', 'text/xml', 'application/rss+xml', '', 'text/plain', 'x', 'text/html;;;charset=;charset=ibm866',
];

const normalise = normaliser({ enabled: true, sort: true, strip: ['sid'] });

export async function open({ corpora }: TargetOptions): Promise<Target> {
  const seeds = [...buffers(['<title>x</title><a href="/a">b</a>']), ...seedFiles(corpora, 'html-pages')];
  const words = buffers(pieces);
  const page = (random: Random): Buffer => {
    if (random.chance(0.6)) return Buffer.from(assemble(random, pieces, 60));
    const seed = random.pick(seeds);
    const from = random.below(seed.length);
    return mutate(random, seed.subarray(from, from + 200 + random.size(8_000)), words);
  };
  return {
    /** The first byte chooses the content type, so that the input says everything. */
    make(random) {
      let body = page(random);
      if (random.chance(0.05)) body = Buffer.from(body.toString('utf8'), 'utf16le');
      if (random.chance(0.01)) body = Buffer.concat(Array<Buffer>(100).fill(body.subarray(0, 20_000)));
      return Buffer.concat([Buffer.from([random.below(256)]), body]);
    },
    async run(input) {
      const type = types[(input[0] ?? 0) % types.length] as string;
      const options = {
        url: 'https://a.example/dir/' as Url,
        headers: [
          ['Content-Type', type],
          ['Link', input.toString('latin1', 1, 60)],
          ['X-Robots-Tag', input.toString('latin1', 20, 60)],
        ] as [string, string][],
        body: input.subarray(1),
        normalise,
        agentToken: 'webfarer',
        styles: true,
      };
      const document = readDocument(options);
      for (const { url } of document.links) must(normalise(url) === url, `a link that is no URL: ${url}`);
      for (const url of document.requisites)
        must(normalise(url) === url, `a requisite that is no URL: ${url}`);
      must(document.edges.length <= 5_100, `${document.edges.length} links`);
      must(typeof document.text() === 'string', 'a page has a text');
      must((document.title?.length ?? 0) <= 500, 'a title is short');
      // Smaller pages are read in one go anyway.
      if (input.length <= 262_144) return;
      const { text: _, ...turns } = await readDocumentInTurns(options);
      const { text: __, ...whole } = document;
      must(JSON.stringify(turns) === JSON.stringify(whole), 'read in turns it is another page');
    },
  };
}
