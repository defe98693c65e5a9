import { isFeed, isHtml, sniffMime } from '../extract/mime.ts';

/** How a document is read; undefined for what has no text. */
export type DocumentKind = 'html' | 'feed' | 'json' | 'docx' | 'pdf' | 'plain';

const docx = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
/** Types that servers give to files they do not know. */
const unknown = new Set([
  '',
  'application/octet-stream',
  'binary/octet-stream',
  'application/download',
  'application/x-download',
  'application/force-download',
]);

/** `mime`: as served, without parameters, in lower case. */
export function documentKind(mime: string, body: Buffer): DocumentKind | undefined {
  const type = unknown.has(mime) ? sniffMime(body) : mime;
  if (isHtml(type)) return 'html';
  if (type === 'application/pdf' || type === 'application/x-pdf') return 'pdf';
  if (type === docx || (type === 'application/zip' && holdsDocx(body))) return 'docx';
  if (isFeed(type, body)) return 'feed';
  if (/^(?:application|text)\/(?:[\w.-]+\+)?json$/.test(type)) return 'json';
  const isPlain =
    type.startsWith('text/') || /^application\/(?:[\w.-]+\+)?(?:xml|yaml|javascript)$/.test(type);
  return isPlain ? 'plain' : undefined;
}

/** The names of the files stand in an archive as they are, and again at its end. */
function holdsDocx(body: Buffer): boolean {
  return body.subarray(-65_536).includes('word/document.xml');
}
