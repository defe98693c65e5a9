import type { HostKey, PageRecord } from '@webfarer/protocol';
import { siteOf } from '@webfarer/protocol/url';

/** One way to divide the URLs of a crawl. */
export interface Category {
  id: string;
  title: string;
  /** What a key is, as the head of its column. */
  key: string;
  /** Undefined: the record has no part in it. */
  of: (record: PageRecord, home: Home) => string | undefined;
  /** Keys that are counted one by one. */
  max: number;
}

/** Where the URL of a record belongs. */
export interface Home {
  host: HostKey;
  site: string;
  /** `org`; `(address)` of addresses. */
  tld: string;
}

export function homeOf(host: HostKey): Home {
  return { host, site: siteOf(host), tld: topLevelOf(host) };
}

/** Kinds of things of which a web has few. */
const few = 5_000;
const many = 200_000;

/** As Common Crawl divides its crawls, and a little more. */
export const categories: readonly Category[] = [
  category('status', 'HTTP status', 'status', ({ status }) =>
    status === undefined ? undefined : `${status}`,
  ),
  category('outcomes', 'Outcomes', 'outcome', ({ verdict, reason }) => `${verdict}(${reason})`),
  category('mime-served', 'Content type as served', 'mime', ({ mime }) => mime),
  category('mime-detected', 'Content type by its bytes', 'mime', (r) => r.mimeDetected ?? r.mime),
  category('charset', 'Character sets', 'charset', ({ charset }) => charset?.toLowerCase()),
  category('languages', 'Languages', 'language', ({ language }) => language),
  category('tlds', 'Top-level domains', 'tld', (_, { tld }) => tld),
  category('sites', 'Sites (registered domains)', 'site', (_, { site }) => site, many),
  category('hosts', 'Hosts', 'host', (_, { host }) => host, many),
  category('servers', 'Server software', 'server', ({ server }) => productOf(server)),
  category('server-versions', 'Server software with version', 'server', ({ server }) =>
    server?.slice(0, 120),
  ),
  category('tls', 'TLS version', 'tls', tlsOf),
  category('schemes', 'URL schemes', 'scheme', ({ url }) => url.slice(0, url.indexOf(':'))),
  category('kinds', 'What was fetched', 'kind', ({ kind }) => kind),
  category('depths', 'Links from a seed', 'depth', ({ depth }) => `${depth}`),
  category('truncated', 'Bodies cut short', 'by', ({ truncated }) => truncated),
];

function category(id: string, title: string, key: string, of: Category['of'], max: number = few): Category {
  return { id, title, key, of, max };
}

/** `org`; addresses have none. */
export function topLevelOf(host: HostKey): string {
  if (host.startsWith('[') || /^[\d.]+$/.test(host)) return '(address)';
  const name = host.endsWith('.') ? host.slice(0, -1) : host;
  return name.slice(name.lastIndexOf('.') + 1);
}

/** `nginx` of `nginx/1.18.0 (Ubuntu)`. */
function productOf(server: string | undefined): string | undefined {
  return server?.split(/[/( ]/, 1)[0]?.slice(0, 120);
}

function tlsOf({ url, status, tls }: PageRecord): string | undefined {
  if (status === undefined) return undefined;
  return tls ?? (url.startsWith('https:') ? 'unknown' : 'none');
}

/** Answered with content: 2xx, or 304 in a recrawl. */
export function isPage({ verdict, reason }: PageRecord): boolean {
  return verdict === 'done' && (reason === 'ok' || reason === 'not-modified');
}
