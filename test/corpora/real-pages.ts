import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { charsetOf, decodeText } from '../../packages/worker/src/extract/charset.ts';
import { readTree, type Tree } from '../../packages/worker/src/tree/tree.ts';
import type { ProofOptions } from '../prove.ts';

export interface TestPage {
  name: string;
  url: string;
  html: string;
}

export interface RealPage extends TestPage {
  file: string;
  /** Parsed once: the readers of a crawl share the tree of a page too. */
  tree(): Tree;
}

/** What each part of the proof is given. */
export interface Reading extends ProofOptions {
  corpora: string;
  pages: readonly RealPage[];
}

/** The real pages of the corpora, decoded as a crawl decodes them. */
export function realPages(corpora: string): RealPage[] {
  return ['html-pages', 'article-extraction/html'].flatMap((folder) =>
    readdirSync(join(corpora, folder))
      .filter((file) => /\.html(?:\.gz)?$/.test(file))
      .toSorted((a, b) => (a < b ? -1 : 1))
      .map((file) => {
        const raw = readFileSync(join(corpora, folder, file));
        const body = file.endsWith('.gz') ? gunzipSync(raw) : raw;
        const name = file.slice(0, 12);
        const html = decodeText(body, charsetOf(body, {}));
        let known: Tree | undefined;
        const tree = () => (known ??= readTree(html, { xml: false }));
        return { name, file, url: `https://${name}.example/a/b`, html, tree };
      }),
  );
}
