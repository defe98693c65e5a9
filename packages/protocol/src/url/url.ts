import type { HostKey, Url } from '../base/brands.ts';
import type { NormaliseRules } from './rules.ts';
import { cleaner } from './clean.ts';
import { plainResolver } from './plain.ts';
import { requestSuffix } from './request-url.ts';

/** Longer URLs are dropped: no person typed them, and traps grow without end. */
export const maxUrlBytes = 2083;
/** Longer attribute values are not even parsed; a URL with a long fragment still fits. */
const maxTextLength = 65_536;

/** What WHATWG makes of it, any scheme; undefined when it is not a URL. */
export function parseUrl(text: string, base?: string): URL | undefined {
  return URL.parse(text, base) ?? undefined;
}

/**
 * Turns what a page says into the URL a crawl knows it by; undefined when it is not http(s), not valid or
 * too long. Idempotent, and the host is never changed beyond what WHATWG parsing does.
 */
export function normaliser(rules: NormaliseRules): (text: string, base?: string) => Url | undefined {
  const clean = rules.enabled ? cleaner(rules) : (href: string) => href;
  const plain = plainResolver();
  return (text, base) => {
    if (text.length > maxTextLength) return undefined;
    const href = plain(text, base) ?? parsedHref(text, base);
    if (href === undefined) return undefined;
    const url = clean(href);
    // Serialised URLs are ASCII: their length is their size.
    return url.length > maxUrlBytes ? undefined : (url as Url);
  };
}

const exact = normaliser({ enabled: false, sort: false, strip: [] });

/**
 * Whether it is an http(s) URL exactly as the parser writes it, without fragment or userinfo, and not too long; or what
 * `requestUrl` makes of one.
 */
export function isCrawlUrl(text: string): text is Url {
  if (exact(text) === text) return true;
  const suffix = requestSuffix(text);
  const target = text.slice(0, -suffix.length);
  return suffix !== '' && text.length <= maxUrlBytes && exact(target) === target;
}

function parsedHref(text: string, base: string | undefined): string | undefined {
  const parsed = URL.parse(text, base);
  return parsed === null ? undefined : withoutExtras(parsed.href);
}

/** Why a link has no URL of its own, where `normaliser` gave undefined. */
export function linkProblem(text: string, base?: string): 'scheme' | 'invalid' | 'too-long' {
  if (text.length > maxTextLength) return 'too-long';
  const parsed = URL.parse(text, base);
  if (parsed === null) return 'invalid';
  return withoutExtras(parsed.href) === undefined ? 'scheme' : 'too-long';
}

/** Drops fragment and userinfo; the parser has dropped default ports and lower-cased the host already. */
function withoutExtras(serialised: string): string | undefined {
  let href = serialised;
  if (!href.startsWith('http://') && !href.startsWith('https://')) return undefined;
  const hash = href.indexOf('#');
  if (hash >= 0) href = href.slice(0, hash);
  const start = hostStart(href);
  const at = href.indexOf('@', start);
  if (at < 0 || at > href.indexOf('/', start)) return href;
  return href.slice(0, start) + href.slice(at + 1);
}

/** Index of the first character of the host. */
function hostStart(url: string): number {
  return url.charCodeAt(4) === 0x3a ? 7 : 8;
}

/** Host name or IP literal, without port. IPv6 keeps its brackets. */
export function hostOf(url: Url): HostKey {
  const start = hostStart(url);
  const end = url.indexOf('/', start);
  // Brackets hold colons of their own, so the port is looked for behind them.
  const from = url.charCodeAt(start) === 0x5b ? url.indexOf(']', start) : start;
  const colon = url.indexOf(':', from);
  return url.slice(start, colon >= 0 && colon < end ? colon : end) as HostKey;
}

/** Scheme, host and port: `https://a.example:8443`. */
export function originOf(url: Url): string {
  return url.slice(0, url.indexOf('/', hostStart(url)));
}

/** Path and query. */
export function pathOf(url: Url): string {
  return url.slice(url.indexOf('/', hostStart(url)));
}

/**
 * What a seed may mean, best first. A bare `example.org` is https, and http where https cannot be reached;
 * local names and IP addresses are tried the other way round. Empty when it is no URL at all.
 */
export function seedUrl(text: string): Url[] {
  const trimmed = text.trim();
  const plain = normaliser({ enabled: false, sort: false, strip: [] });
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed)) {
    const url = plain(trimmed);
    return url === undefined ? [] : [url];
  }
  if (trimmed === '' || /^[/?#\s]/.test(trimmed) || /^[a-z]+:(?!\d)/i.test(trimmed)) return [];
  const schemes = /^(?:localhost|[\d.]+|\[[^\]]*\]|[^/:]*\.localhost)(?:[:/]|$)/i.test(trimmed)
    ? ['http', 'https']
    : ['https', 'http'];
  return schemes.map((scheme) => plain(`${scheme}://${trimmed}`)).filter((url) => url !== undefined);
}
