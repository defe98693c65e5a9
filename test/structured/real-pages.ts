import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { charsetOf, decodeText } from '../../packages/worker/src/extract/charset.ts';

export interface TestPage {
  name: string;
  url: string;
  html: string;
}

/** The real pages of the corpora, decoded as a crawl decodes them. */
export function realPages(corpora: string): TestPage[] {
  return ['html-pages', 'article-extraction/html'].flatMap((folder) =>
    readdirSync(join(corpora, folder))
      .filter((file) => /\.html(?:\.gz)?$/.test(file))
      .toSorted((a, b) => (a < b ? -1 : 1))
      .map((file) => {
        const raw = readFileSync(join(corpora, folder, file));
        const body = file.endsWith('.gz') ? gunzipSync(raw) : raw;
        const name = file.slice(0, 12);
        return { name, url: `https://${name}.example/a/b`, html: decodeText(body, charsetOf(body, {})) };
      }),
  );
}
