import type { HostKey } from '../base/brands.ts';
import { isInSite } from './host-pattern.ts';

/** Finds a host, or with `*.` a domain and every host below it, in names, URLs and text. */
export interface HostMatch {
  /** As `hostPattern` writes it. */
  readonly pattern: string;
  host(host: HostKey): boolean;
  /** Also a URL behind another scheme, as archives have it for forms of a page: `urn:dom:https://…`. */
  url(url: string): boolean;
  /** The text names the host, in a URL or by itself; a longer name that only contains it does not count. */
  mentions(text: string): boolean;
}

const below = '*.';
const webUrl = /^(?:urn:[a-z]+:)?https?:\/\//i;

/** The host of a URL as an archive has it, also behind `urn:dom:`; undefined: it is no URL of the web. */
export function hostNamedIn(url: string): HostKey | undefined {
  const start = webUrl.exec(url)?.[0].length;
  if (start === undefined) return undefined;
  const authority = /^[^/?#\\]*/.exec(url.slice(start))?.[0] ?? '';
  const host = authority.slice(authority.lastIndexOf('@') + 1).replace(/:\d*$/, '');
  return host.toLowerCase() as HostKey;
}

export function hostMatch(pattern: string): HostMatch {
  const isWide = pattern.startsWith(below);
  const name = isWide ? pattern.slice(below.length) : pattern;
  const isHost = (host: HostKey): boolean => (isWide ? isInSite(name, host) : host === name);
  const escaped = name.replace(/[.*+?^${}()|[\]\\-]/g, '\\$&');
  // allow(expression): of a host, with all its signs escaped
  const named = new RegExp(
    `(?:^|[^a-z0-9._-])${isWide ? '(?:[a-z0-9_-]{1,63}\\.)*' : ''}${escaped}(?![a-z0-9_-]|\\.[a-z0-9_-])`,
    'i',
  );
  return {
    pattern,
    host: isHost,
    url(url) {
      const host = hostNamedIn(url);
      return host !== undefined && isHost(host);
    },
    mentions: (text) => named.test(text),
  };
}
