import { readStyleSheet } from '@webfarer/worker';
import { assemble, mutate } from '../mutate.ts';
import { buffers, must, type Target } from '../target.ts';

// biome-ignore format: a table of pieces
const pieces = [
  'url(', 'URL(', 'u\\72l(', 'src(', ')', '(', '"', "'", '\\', '\\a ', '\\110000', '\\\n', '/*', '*/', '@import', '@import "a.css";',
  '@charset "koi8-r";', '@namespace', '@media', 'image-set(', '{', '}', ';', ':', ',', ' ', '\n', '\r\n', '\f', '\0', 'a', 'é', 'x.png',
  'data:', '#', '<!--', '-->', '-', '1px', '\ufeff', '\ud800',
];
const labels = [undefined, 'utf-8', 'gb18030', 'x-none', 'utf-16be', 'iso-2022-jp'];

export async function open(): Promise<Target> {
  const words = buffers(pieces);
  const seeds = buffers(['@import url("a.css") screen;\na{background:url( b.png ) , image-set("c.png" 1x)}']);
  return {
    make: (random) =>
      random.chance(0.7)
        ? Buffer.from(assemble(random, pieces, 80))
        : mutate(random, random.pick(seeds), words),
    async run(input) {
      for (const label of labels) {
        for (const { href, rel } of await readStyleSheet(input, label)) {
          must(
            href !== '' && href === href.trim() && !href.startsWith('#'),
            `a reference to nothing: ${href}`,
          );
          must(rel === 'css' || rel === 'css:import', `a reference of the kind ${rel}`);
        }
      }
    },
  };
}
