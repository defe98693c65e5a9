import { assemble, mutate } from '../mutate.ts';
import { mirrored, pageReaders } from '../page-readers.ts';
import { buffers, must, seedFiles, type Target, type TargetOptions } from '../target.ts';

// biome-ignore format: a table of pieces
const pieces = [
  '<h1>', '</h1>', '<h2 id=a>', '<p>', '</p>', '<ul><li>', '<ol start=-3><li value=x>', '</ol>', '<table>', '<tr>', '<td colspan=1000>', '<th rowspan=0>',
  '<td rowspan=65535 colspan=-1>', '</table>', '<caption>', '<pre>', '<code>', '`', '``', '*', '_', '[', ']', '(', ')', '\\', '#', '|', '1. ', '- ', '> ', '---',
  '<blockquote>', '</blockquote>', '<br>', '<hr>', '<b>', '</b>', '<em>', '<a href="x y(z">', '<a href=javascript:a>', '</a>', '<img alt="]" src=i srcset="a 1x, b">',
  '<article>', '</article>', '<main>', '<nav class=menu>', '<div class="comments teaser">', '</div>', '<section>', '<figure><figcaption>', '<dl><dt>', '<dd>',
  '<div itemscope itemtype=http://schema.org/Product itemref="r s">', '<b itemprop="name __proto__">', '<i id=r itemprop=price content=1>', '<time itemprop=d datetime=2026-02-30>',
  '<script type="application/ld+json">', '{"@graph":[', '{"@type":"Article","author":', '"@id":"a"', '{', '}', '[', ',', ':', '"', '/*', '//', '</script>', '<![CDATA[',
  '<meta property=og:image content=', '<meta name=author content="by: A">', '<meta name=date content="1 Mar 2026 25:00">', '<meta http-equiv=refresh content="0;url=', "'/x'", '">',
  '<base href="//b/">', '<base href=data:,>', '<style>a{b:url(', '@import "', '</style>', '<svg><style>', '<image href=x />', '</svg>', '<iframe srcdoc="&lt;base href=/q>&lt;img src=x>">',
  '<link rel="canonical stylesheet" integrity=a crossorigin href=y>', '<template>', '<noscript>', '<ruby>', '<rt>', '<select><option>', '<textarea>', '<title>', '</title>', '<!--', '-->',
  'A sentence that is long enough to be read as prose, with a comma in it. ', 'x', ' ', '\n', '\t', '\0', '\u200b', '\ufeff', '日本語。', '&amp;', '&#x', '&nbsp;', '\ud800',
];
const types = [
  'text/html',
  'application/xhtml+xml',
  'image/svg+xml',
  'text/css',
  'application/manifest+json',
];

/** What is read on a page beyond its links, and what a mirror makes of it. */
export async function open({ corpora }: TargetOptions): Promise<Target> {
  const words = buffers(pieces);
  const seeds = [...buffers(['<title>x</title><h1>y</h1><p>z']), ...seedFiles(corpora, 'html-pages')];
  return {
    make(random) {
      if (random.chance(0.6)) return Buffer.from(assemble(random, pieces, 80));
      const seed = random.pick(seeds);
      const from = random.below(seed.length);
      return mutate(random, seed.subarray(from, from + 200 + random.size(8_000)), words);
    },
    async run(input) {
      const html = input.toString();
      for (const [name, read] of Object.entries(pageReaders))
        must((await read(html)) !== undefined, `${name} answers`);
      for (const type of types) {
        const once = mirrored(input, type);
        must(once.length <= 20 * input.length + 1_000, `${once.length} bytes of ${input.length} as ${type}`);
      }
    },
  };
}
