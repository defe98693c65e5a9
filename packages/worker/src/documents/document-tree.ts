import { isHtml } from '../extract/mime.ts';
import { readTree, type Tree } from '../tree/tree.ts';
import { escapeHtml } from './html-text.ts';

export interface DocumentBody {
  /** Content type without parameters, lower case. */
  mime: string;
  /** The body as text. */
  source: () => string;
  /** The body as HTML, or as XML where it is XHTML. */
  tree: () => Tree;
}

const isJson = (mime: string): boolean => /^(?:application|text)\/(?:[\w.-]+\+)?json$/.test(mime);
const isPlain = (mime: string): boolean =>
  mime.startsWith('text/') || /^application\/(?:[\w.-]+\+)?(?:xml|yaml|javascript)$/.test(mime);

/** Whether documents of this type have text that can be read. */
export function readsText(mime: string): boolean {
  return mime === '' || isHtml(mime) || isJson(mime) || isPlain(mime);
}

/**
 * Any document as the tree of a page, so that all that reads pages reads it as well. Throws where the body is not what
 * its type says, or is of a type without text.
 */
export async function documentTree({ mime, source, tree }: DocumentBody): Promise<Tree> {
  if (isHtml(mime)) return tree();
  if (/^(?:application|text)\/(?:[\w.-]+\+)?json$/.test(mime))
    return preformatted(indented(source()), 'json');
  if (isPlain(mime)) return preformatted(source());
  throw new Error(`there is no text to read in a document of type ${mime}`);
}

function preformatted(text: string, language?: string): Tree {
  const start = language === undefined ? '<pre>' : `<pre class="language-${language}">`;
  return readTree(`${start}${escapeHtml(text)}</pre>`, { xml: false });
}

/** JSON for people; what is no JSON stays as it is. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
