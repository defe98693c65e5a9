/** Elements whose content no reader sees. */
const unseen = /<(script|style|template|noscript|svg|title|head)\b[^>]{0,2000}>[\s\S]*?(?:<\/\1\s*>|$)/gi;
const comments = /<!--[\s\S]*?(?:-->|$)/g;
const breaks =
  /<\/?(?:p|div|br|li|ul|ol|h[1-6]|tr|table|section|article|header|footer|nav|main|dt|dd|pre|hr|blockquote|form|figure)\b[^>]{0,2000}>/gi;
const tags = /<\/?[a-z!?][^>]*(?:>|$)/gi;

const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  copy: '©',
  auml: 'ä',
  ouml: 'ö',
  uuml: 'ü',
  Auml: 'Ä',
  Ouml: 'Ö',
  Uuml: 'Ü',
  szlig: 'ß',
};

/**
 * Roughly what a reader of the page would see, for a preview. It is shown as text, so that it need not be exact to be
 * safe: what is mistaken for text is shown as text.
 */
export function plainText(html: string): string {
  return html
    .replaceAll(comments, '')
    .replaceAll(unseen, '\n')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(breaks, '\n')
    .replaceAll(tags, '')
    .replaceAll(/&(#x?[0-9a-f]{1,6}|[a-z]{2,8});/gi, entity)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');
}

function entity(whole: string, name: string): string {
  if (!name.startsWith('#')) return named[name] ?? whole;
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10);
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
}

/** Bytes as text, in the encoding that the page has; undefined: they are none. */
export function textIn(bytes: Uint8Array, charset: string | undefined): string | undefined {
  if (bytes.subarray(0, 1_000).includes(0)) return undefined;
  try {
    return new TextDecoder(charset ?? 'utf-8').decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}
