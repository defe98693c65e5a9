import type { NormaliseRules } from './rules.ts';

/** Letters, digits and `-._~`: their escapes mean the same as they do (RFC 3986, 6.2.2.2). */
const unreserved = /[A-Za-z0-9\-._~]/;
/** An escape in lower case, or one of an unreserved character. */
const untidy = /%(?:[a-f][0-9A-Fa-f]|[0-9A-F][a-f]|2[DE]|3\d|4[1-9A-F]|5[0-9AF]|6[1-9A-F]|7[0-9AE])/;

/**
 * The policy's part of normalisation, on a URL as WHATWG serialises it, without fragment or userinfo.
 * Most links have nothing to clean, so each step first looks whether it is needed at all.
 */
export function cleaner(rules: NormaliseRules): (href: string) => string {
  const stripped = nameMatcher(rules.strip);
  return (href) => {
    let url = href;
    if (url.includes('%')) url = tidyEscapes(url);
    if (url.includes(';')) url = stripPathParameters(url, stripped);
    const query = url.indexOf('?');
    if (query < 0) return url;
    const path = url.slice(0, query);
    const rest = tidyQuery(url.slice(query + 1), stripped, rules.sort);
    return rest === '' ? path : `${path}?${rest}`;
  };
}

/**
 * Upper-cases escapes and decodes those of unreserved characters. One is kept where decoding it would
 * complete a stray `%` in front of it: that would create an escape that was not written, and the next pass another one.
 */
function tidyEscapes(url: string): string {
  if (!untidy.test(url)) return url;
  let out = '';
  let stray = -3;
  for (let i = 0; i < url.length; i++) {
    const char = url.charAt(i);
    if (char !== '%') {
      out += char;
      continue;
    }
    const hex = url.slice(i + 1, i + 3);
    if (!/^[0-9a-f]{2}$/i.test(hex)) {
      stray = out.length;
      out += char;
      continue;
    }
    const plain = String.fromCharCode(Number.parseInt(hex, 16));
    const completes = out.length - stray <= 2 && /[0-9a-f]/i.test(plain);
    out += unreserved.test(plain) && !completes ? plain : `%${hex.toUpperCase()}`;
    i += 2;
  }
  return out;
}

/** What stands before the path: `https:`, nothing, and the host, which may hold a `;` of its own. */
const segmentsBeforePath = 3;

/** Path parameters such as `;jsessionid=…`. Kept where dropping it would leave a dot segment behind. */
function stripPathParameters(url: string, stripped: (name: string) => boolean): string {
  const query = url.indexOf('?');
  const path = query < 0 ? url : url.slice(0, query);
  if (!path.includes(';')) return url;
  const kept = path
    .split('/')
    .map((segment, at) => (at < segmentsBeforePath ? segment : stripSegment(segment, stripped)))
    .join('/');
  return query < 0 ? kept : kept + url.slice(query);
}

function stripSegment(segment: string, stripped: (name: string) => boolean): string {
  const [name = '', ...parameters] = segment.split(';');
  const kept = parameters.filter((parameter) => !stripped(nameOf(parameter)));
  if (kept.length === parameters.length) return segment;
  const result = [name, ...kept].join(';');
  return /^(?:\.|%2E){1,2}$/.test(result) ? segment : result;
}

function tidyQuery(query: string, stripped: (name: string) => boolean, sort: boolean): string {
  const kept = query.split('&').filter((part) => part !== '' && !stripped(nameOf(part)));
  if (sort && kept.length > 1) kept.sort((a, b) => compare(nameOf(a), nameOf(b)));
  return kept.join('&');
}

function nameOf(part: string): string {
  const equals = part.indexOf('=');
  return equals < 0 ? part : part.slice(0, equals);
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Names are compared without case: sites write PHPSESSID and phpsessid. */
function nameMatcher(patterns: readonly string[]): (name: string) => boolean {
  const exact = new Set(patterns.filter((p) => !p.includes('*')).map((p) => p.toLowerCase()));
  const globs = patterns.filter((p) => p.includes('*')).map((p) => p.toLowerCase().split('*'));
  return (name) => {
    const lower = name.toLowerCase();
    return exact.has(lower) || globs.some((pieces) => fits(lower, pieces));
  };
}

/** Leftmost match of each piece between stars: linear, never backtracks. */
function fits(name: string, pieces: readonly string[]): boolean {
  const first = pieces[0] ?? '';
  const last = pieces.at(-1) ?? '';
  if (name.length < first.length + last.length || !name.startsWith(first) || !name.endsWith(last))
    return false;
  let at = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = name.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return at <= name.length - last.length;
}
