import { readdirSync } from 'node:fs';
import { dirname, join, posix, resolve } from 'node:path';
import type { ReadPage } from './read-site.ts';

const root = resolve(import.meta.dirname, '../..');

/** Pages of docs/ that the navigation of some page does not have. */
export function leftOut(pages: readonly ReadPage[]): string[] {
  const expected = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name.replace(/\.md$/, '.html').replace(/README\.html$/, 'index.html')}`);
  return pages
    .filter(({ navigation }) => navigation.length > 0)
    .flatMap(({ file, navigation }) => {
      const reached = new Set(navigation.map((href) => posix.join(dirname(file), href)));
      return expected.filter((page) => !reached.has(page)).map((page) => `${page} on ${file}`);
    });
}
