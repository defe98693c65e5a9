import { decodeAttribute } from './entities.ts';
import { createForeignTracker } from './foreign-content.ts';
import { scanHtml } from './html-scanner.ts';
import { readPage } from './page-reader.ts';

/** What a check of a page's links needs beside its edges: links as they are written, and where fragments can lead. */
export interface PageAnchors {
  /** Places to go, each as written, with its fragment. */
  links: { href: string; rel: string; text: string }[];
  /** The first `<base href>` as written. */
  base: string | undefined;
  /** Every id of an element, and every name of an `<a>`. */
  places: Set<string>;
}

/** More links of one page than this are not read: as in a crawl. */
const maxLinks = 5_000;

export function readAnchors(html: string, { xml }: { xml: boolean }): PageAnchors {
  const { links, base } = readPage(html, { xml, maxLinks, styles: false });
  return {
    links: links.filter(({ use }) => use === 'page').map(({ href, rel, text }) => ({ href, rel, text })),
    base,
    places: readPlaces(html, xml),
  };
}

/** Where the fragments of links to this page can lead. */
export function readPlaces(html: string, xml: boolean): Set<string> {
  const places = new Set<string>();
  const foreign = createForeignTracker();
  let tag = '';
  scanHtml(
    html,
    {
      isForeign: () => foreign.inside(),
      open(name) {
        tag = name;
        return true;
      },
      attribute(name, start, end) {
        if (name === 'id' || (name === 'name' && tag === 'a'))
          places.add(decodeAttribute(html.slice(start, end)));
      },
      opened: (selfClosing) => foreign.opened(tag, selfClosing),
      close: (name) => foreign.closed(name),
      raw: () => undefined,
      text: () => undefined,
    },
    { xml },
  );
  return places;
}
