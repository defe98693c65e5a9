import { readTree } from '../tree/tree.ts';
import { createFacts, type FactParts, type PageFacts } from './page-facts.ts';

/** The facts of a page that consists of this HTML. */
export function factsOf(html: string, parts: Partial<FactParts> = {}): PageFacts {
  return createFacts({
    url: 'https://site.example/docs/page',
    title: undefined,
    language: undefined,
    canonical: undefined,
    jsonLd: undefined,
    tree: () => readTree(html, { xml: false }),
    ...parts,
  });
}

export const jsonLdScript = (text: string): string => `<script type="application/ld+json">${text}</script>`;
