export interface ContentType {
  /** `text/html`, lower case; empty when absent or not a type at all. */
  mime: string;
  charset: string | undefined;
}

export function parseContentType(header: string | undefined): ContentType {
  const [type = '', ...parameters] = (header ?? '').split(';');
  const mime = type.trim().toLowerCase();
  let charset: string | undefined;
  for (const parameter of parameters) {
    const match = /^\s*charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s]*))/i.exec(parameter);
    if (match) charset ??= (match[1] ?? match[2] ?? match[3] ?? '').trim() || undefined;
  }
  return { mime: /^[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+$/.test(mime) ? mime : '', charset };
}

/** What a body without a content type looks like: the few kinds that matter to a crawl. */
export function sniffMime(body: Buffer): string {
  for (const [prefix, mime] of signatures) if (body.subarray(0, prefix.length).equals(prefix)) return mime;
  const start = startOfText(body);
  if (/^<\?xml\b/i.test(start))
    return /<html[\s>]/i.test(start) ? 'application/xhtml+xml' : 'application/xml';
  if (
    /^<(?:!--|(?:!doctype\s+html|html|head|body|script|iframe|h1|div|font|table|a|style|title|b|br|p)(?:[\s>/]|$))/i.test(
      start,
    )
  )
    return 'text/html';
  if (/^(?:<rss|<feed|<urlset|<sitemapindex)[\s>]/i.test(start)) return 'application/xml';
  return isBinary(body) ? 'application/octet-stream' : 'text/plain';
}

const signatures: [Buffer, string][] = [
  ['25504446', 'application/pdf'],
  ['1f8b08', 'application/gzip'],
  ['504b0304', 'application/zip'],
  ['89504e470d0a1a0a', 'image/png'],
  ['474946383761', 'image/gif'],
  ['474946383961', 'image/gif'],
  ['ffd8ff', 'image/jpeg'],
].map(([hex, mime]) => [Buffer.from(hex as string, 'hex'), mime as string]);

const sniffBytes = 1_024;

function startOfText(body: Buffer): string {
  const wide = body.length > 1 && (body.readUInt16BE(0) === 0xfffe || body.readUInt16BE(0) === 0xfeff);
  const head = body
    .subarray(0, sniffBytes)
    .toString('latin1')
    .replace(/^\xef\xbb\xbf/, '');
  return (wide ? head.slice(2).replaceAll('\0', '') : head).trimStart();
}

/** Control characters that no text has (the binary data bytes of the MIME sniffing standard). */
function isBinary(body: Buffer): boolean {
  if (body.length > 1 && (body.readUInt16BE(0) === 0xfffe || body.readUInt16BE(0) === 0xfeff)) return false;
  for (const byte of body.subarray(0, sniffBytes)) {
    if (byte <= 0x08 || byte === 0x0b || (byte >= 0x0e && byte <= 0x1a) || (byte >= 0x1c && byte <= 0x1f))
      return true;
  }
  return false;
}

/**
 * The type the bytes speak for. What is served stands unless they contradict it: that something is text, XML or
 * a container says little, and many a served type is one of these.
 */
export function detectMime(served: string, body: Buffer): string {
  const seen = sniffMime(body);
  if (served === '') return seen;
  switch (seen) {
    case 'text/plain':
      return isTextual(served) ? served : seen;
    case 'application/xml':
      return isXml(served) || isHtml(served) || served === 'text/plain' ? served : seen;
    case 'application/xhtml+xml':
      return isXml(served) || isHtml(served) ? served : seen;
    case 'text/html':
      // A style sheet or script may begin with something that could be a tag.
      return isHtml(served) || isXml(served) || /css|javascript|json|markdown/.test(served) ? served : seen;
    case 'application/zip':
    case 'application/gzip':
      return served.startsWith('application/') ? served : seen;
    case 'application/octet-stream':
      return isTextual(served) ? seen : served;
    default:
      return seen;
  }
}

function isTextual(mime: string): boolean {
  return mime.startsWith('text/') || isXml(mime) || /(?:json|javascript|ecmascript|yaml|x-sh)$/.test(mime);
}

export function isHtml(mime: string): boolean {
  return mime === 'text/html' || mime === 'application/xhtml+xml' || mime === 'application/vnd.wap.xhtml+xml';
}

export function isXml(mime: string): boolean {
  return mime === 'text/xml' || mime === 'application/xml' || mime.endsWith('+xml');
}

/** RSS or Atom, whether the server says so or only that it is XML. */
export function isFeed(mime: string, body: Buffer): boolean {
  if (/^application\/(?:rss|atom|rdf)\+xml$/.test(mime)) return true;
  if (!isXml(mime) || isHtml(mime)) return false;
  const first = /<([a-z][a-z:]*)[\s>]/i.exec(startOfText(body))?.[1]?.toLowerCase();
  return first === 'rss' || first === 'feed' || first === 'rdf:rdf';
}
