export type FieldKey = 'user-agent' | 'allow' | 'disallow' | 'crawl-delay' | 'sitemap';

export interface Field {
  key: FieldKey;
  value: string;
  /** The line without comment and outer white space. */
  text: string;
}

/** The spellings that occur in the wild and whose meaning is plain. */
const keys: ReadonlyMap<string, FieldKey> = new Map([
  ['user-agent', 'user-agent'],
  ['useragent', 'user-agent'],
  ['user agent', 'user-agent'],
  ['allow', 'allow'],
  ['disallow', 'disallow'],
  ['dissallow', 'disallow'],
  ['dissalow', 'disallow'],
  ['disalow', 'disallow'],
  ['diasllow', 'disallow'],
  ['disallaw', 'disallow'],
  ['crawl-delay', 'crawl-delay'],
  ['crawldelay', 'crawl-delay'],
  ['sitemap', 'sitemap'],
  ['site-map', 'sitemap'],
]);

/**
 * Calls back with each line that is not empty and its number from 1. LF, CR and CRLF end a line. By hand,
 * because a file may be half a million line ends, and splitting that would take a tenth of a second.
 */
export function forEachLine(body: string, visit: (line: string, number: number) => void): void {
  let start = 0;
  let number = 1;
  for (let i = 0; i <= body.length; i++) {
    const code = i === body.length ? 0x0a : body.charCodeAt(i);
    if (code !== 0x0a && code !== 0x0d) continue;
    if (i > start) visit(body.slice(start, i), number);
    if (code === 0x0d && body.charCodeAt(i + 1) === 0x0a) i++;
    start = i + 1;
    number++;
  }
}

/** `key: value`; where the colon was forgotten, two words are taken as meant. Undefined for anything else. */
export function readField(line: string): Field | undefined {
  const hash = line.indexOf('#');
  const text = trim(hash < 0 ? line : line.slice(0, hash));
  const colon = text.indexOf(':');
  const split = colon < 0 ? firstBlank(text) : colon;
  if (split < 0) return undefined;
  const key = keys.get(trim(text.slice(0, split)).toLowerCase());
  if (key === undefined) return undefined;
  const value = trim(text.slice(split + 1));
  return colon < 0 && firstBlank(value) >= 0 ? undefined : { key, value, text };
}

function firstBlank(text: string): number {
  return text.search(/[ \t]/);
}

/** ASCII white space and NUL only. By hand: an expression anchored at the end would be quadratic. */
function trim(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0 || (code >= 0x09 && code <= 0x0d);
}
