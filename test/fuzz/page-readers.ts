import type { Url } from '@webfarer/protocol';
import { normaliser } from '@webfarer/protocol/url';
import { createFacts } from '../../packages/worker/src/facts/page-facts.ts';
import { rewriteBody } from '../../packages/worker/src/mirror/rewrite.ts';
import { redirectedFrom } from '../../packages/worker/src/mirror/addresses.ts';
import { linkBase } from '../../packages/worker/src/markdown/links.ts';
import { readings, type ReadTree } from '../../packages/worker/src/scrape/readings.ts';
import { readTree } from '../../packages/worker/src/tree/tree.ts';

const url = 'https://a.example/dir/' as Url;
const normalise = normaliser({ enabled: true, sort: true, strip: ['sid'] });
/** Every other address is in the folder. */
const redirected = redirectedFrom({
  path: 'a.example/dir/index.html',
  normalise,
  find: (to) => (to.length % 2 === 0 ? 'a.example/there.html' : undefined),
});

/** Where they run: a thread, which large pages are given, would be measured with it. */
function read(html: string): ReadTree {
  const tree = readTree(html, { xml: false });
  return { tree, base: linkBase(tree.children, url), isPage: true };
}

/** The body of a mirrored file, as the mirror writes it. */
export function mirrored(body: Buffer, mime: string): Buffer {
  const place = { file: 'x', offset: 0, length: 0 };
  const capture = { url, path: 'a.example/dir/index.html', mime, charset: undefined, digest: undefined };
  return rewriteBody({ ...capture, place, shown: false, crawl: 0 }, body, redirected);
}

/** Everything that reads a page beyond its links. Each answers what it read. */
export const pageReaders: Readonly<Record<string, (html: string) => unknown>> = {
  facts(html) {
    const facts = createFacts({
      url,
      title: undefined,
      language: undefined,
      canonical: undefined,
      jsonLd: undefined,
      tree: () => readTree(html, { xml: false }),
    });
    const { title, language, description, published, authors, openGraph, jsonLd, microdata } = facts;
    return { title, language, description, published, authors, openGraph, jsonLd, microdata };
  },
  text: (html) => readings.text(read(html)),
  markdown: (html) => readings.markdown(read(html)),
  main: (html) => readings.main(read(html)),
  outline(html) {
    const page = read(html);
    return [readings.tables(page), readings.headings(page)];
  },
  mirror: (html) => mirrored(Buffer.from(html), 'text/html'),
};
