import type { Url } from '@webfarer/protocol';
import { normaliser } from '@webfarer/protocol/url';
import { createFacts } from '../../packages/worker/src/facts/page-facts.ts';
import { rewriteBody } from '../../packages/worker/src/mirror/rewrite.ts';
import { redirectedFrom } from '../../packages/worker/src/mirror/addresses.ts';
import { openReadable } from '../../packages/worker/src/scrape/readable.ts';
import { openAccount } from '../../packages/worker/src/shares/account.ts';
import { readTree } from '../../packages/worker/src/tree/tree.ts';

const url = 'https://a.example/dir/' as Url;
const normalise = normaliser({ enabled: true, sort: true, strip: ['sid'] });
/** Every other address is in the folder. */
const redirected = redirectedFrom({
  path: 'a.example/dir/index.html',
  normalise,
  find: (to) => (to.length % 2 === 0 ? 'a.example/there.html' : undefined),
});

const open = (html: string) =>
  openReadable({
    url,
    account: openAccount(),
    mime: 'text/html',
    body: () => Buffer.from(html),
    source: () => html,
    tree: () => readTree(html, { xml: false }),
    turn: () => Promise.resolve(),
  });

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
  text: async (html) => (await open(html)).text(),
  markdown: async (html) => (await open(html)).markdown(),
  main: async (html) => (await open(html)).main(),
  outline: async (html) => {
    const page = await open(html);
    return [page.tables(), page.headings()];
  },
  mirror: (html) => mirrored(Buffer.from(html), 'text/html'),
};
