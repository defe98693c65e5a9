import '@exodus/bytes/encoding.js';
import { percentEncodeAfterEncoding } from '@exodus/bytes/whatwg.js';

/** Of the URL standard: the special-query percent-encode set. */
const escaped = ' "#\'<>';
const beyondAscii = /[^\x00-\x7f]/;
const unicode = new Set(['utf-8', 'utf-16le', 'utf-16be', 'replacement']);

/**
 * A reference as a page of this encoding means it: the query is sent in the encoding of the page, as browsers do and its
 * server expects; all else of a URL is UTF-8.
 */
export function withQueryIn(charset: string, href: string): string {
  const start = href.indexOf('?') + 1;
  if (start === 0 || unicode.has(charset)) return href;
  const hash = href.indexOf('#');
  if (hash >= 0 && hash < start) return href;
  const end = hash < 0 ? href.length : hash;
  const query = href.slice(start, end);
  if (!beyondAscii.test(query)) return href;
  return href.slice(0, start) + percentEncodeAfterEncoding(charset, query, escaped) + href.slice(end);
}
