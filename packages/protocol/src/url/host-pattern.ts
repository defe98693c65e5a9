import type { HostKey } from '../base/brands.ts';
import { isHostKey } from './host.ts';

/**
 * Which hosts a rule is for: a host name, `*.example.org` for example.org and every host below it, or `*` for all. An
 * owner who names a domain means its bare name too.
 */
const below = '*.';
const all = '*';

/** The pattern as rules are looked up by it, lower-cased and in ASCII; undefined: it is not one. */
export function hostPattern(text: string): string | undefined {
  if (text === all) return all;
  const isWide = text.startsWith(below);
  const name = isWide ? text.slice(below.length) : text;
  if (/[/?#@\s\\:*]/.test(name.replace(/^\[[\da-f:.]*\]$/i, ''))) return undefined;
  const host = URL.parse(`http://${name}/`)?.hostname ?? '';
  if (!isHostKey(host) || (isWide && isAddress(host))) return undefined;
  return isWide ? `${below}${host}` : host;
}

function isAddress(host: string): boolean {
  return host.startsWith('[') || /\.?\d+$/.test(host);
}

/** The patterns that fit a host, the most specific first. */
export function* patternsOf(host: HostKey): Iterable<string> {
  yield host;
  if (!isAddress(host)) {
    yield `${below}${host}`;
    for (let at = host.indexOf('.'); at >= 0; at = host.indexOf('.', at + 1)) yield `*${host.slice(at)}`;
  }
  yield all;
}

/** Whether a host is this domain or below it. */
export function isInSite(site: string, host: HostKey): boolean {
  return host === site || (host.endsWith(site) && host.at(-site.length - 1) === '.' && !isAddress(host));
}

export function fitsHost(pattern: string, host: HostKey): boolean {
  if (!pattern.startsWith(below)) return pattern === host || pattern === all;
  const domain = pattern.slice(below.length);
  return host === domain || (host.endsWith(domain) && host.at(-domain.length - 1) === '.');
}
