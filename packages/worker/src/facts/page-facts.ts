import type { Tree } from '../tree/tree.ts';
import { authorsOf, publishedOf, type Sources } from './byline.ts';
import { type JsonLdNode, readJsonLd } from './json-ld.ts';
import { type MicrodataItem, readMicrodata } from './microdata.ts';
import { type OpenGraph, readOpenGraph } from './open-graph.ts';
import { metaNamed, type Survey, surveyPage } from './survey.ts';
import { fold } from './walk.ts';

/** What a page says about itself. Read when first asked for; empty where the page is not HTML. */
export interface PageFacts {
  /** `<title>`, else `og:title`. */
  readonly title: string | undefined;
  /** A language tag in lower case: `<html lang>`, the `Content-Language` header, else `og:locale`. */
  readonly language: string | undefined;
  /** `<meta name="description">`, else `og:description`, else `twitter:description`. */
  readonly description: string | undefined;
  /** Absolute and normalised: `<link rel="canonical">` or the `Link` header. */
  readonly canonical: string | undefined;
  /** ISO 8601, with time and zone where the page has them; from JSON-LD, else `<meta>`, else microdata. */
  readonly published: string | undefined;
  /** Names, from the first of JSON-LD, `<meta>` and microdata that has any. */
  readonly authors: readonly string[];
  readonly openGraph: OpenGraph;
  /** The objects of all JSON-LD scripts; lists and `@graph` are opened. */
  readonly jsonLd: readonly JsonLdNode[];
  /** The top-level items of microdata, in the JSON form of the HTML standard. */
  readonly microdata: readonly MicrodataItem[];
}

export interface FactParts {
  url: string;
  /** What the link reader has found already. */
  title: string | undefined;
  language: string | undefined;
  canonical: string | undefined;
  /** The text of a body that is JSON-LD as a whole. */
  jsonLd: string | undefined;
  /** Undefined for bodies that have no elements. */
  tree: (() => Tree) | undefined;
}

export function createFacts(parts: FactParts): PageFacts {
  const tree = parts.tree && once(parts.tree);
  const survey = once((): Survey => {
    if (tree) return surveyPage(tree(), parts.url);
    return { base: parts.url, metas: [], scripts: [], items: [], prefixes: new Set() };
  });
  const openGraph = once(() => readOpenGraph(survey()));
  const jsonLd = once(() => readJsonLd(parts.jsonLd === undefined ? survey().scripts : [parts.jsonLd]));
  const microdata = once(() => {
    const { items, base } = survey();
    return tree && items.length > 0 ? readMicrodata(tree(), items, base) : [];
  });
  const sources: Sources = {
    get jsonLd() {
      return jsonLd();
    },
    get metas() {
      return survey().metas;
    },
    get microdata() {
      return microdata();
    },
  };
  const published = once(() => publishedOf(sources));
  const authors = once(() => authorsOf(sources));
  return {
    get title() {
      return parts.title ?? folded(openGraph().title);
    },
    get language() {
      return parts.language ?? languageOf(openGraph().locale);
    },
    get description() {
      const names = ['description', 'og:description', 'twitter:description'];
      return folded(metaNamed(survey().metas, names));
    },
    canonical: parts.canonical,
    get published() {
      return published();
    },
    get authors() {
      return authors();
    },
    get openGraph() {
      return openGraph();
    },
    get jsonLd() {
      return jsonLd();
    },
    get microdata() {
      return microdata();
    },
  };
}

function folded(text: string | undefined): string | undefined {
  return text === undefined ? undefined : fold(text) || undefined;
}

/** `en_US` as the tag that it means. */
function languageOf(locale: string | undefined): string | undefined {
  const tag = locale?.toLowerCase().replaceAll('_', '-');
  return tag !== undefined && /^[a-z]{2,3}(?:-[a-z]{2})?$/.test(tag) ? tag : undefined;
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
