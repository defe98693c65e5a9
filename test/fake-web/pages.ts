import { hash } from './hash.ts';
import { type Host, hostIndexOf, makeHost, twinIndex, type WebSize } from './hosts.ts';

/** What pages are made from: nothing else is known, nothing is stored but the hosts looked at last. */
export interface WebBase {
  size: WebSize;
  seed: number;
  httpPort: number;
  httpsPort: number;
  hugeBytes: number;
  /** 0: the web as it was. Later ones differ as epoch.ts says. */
  epoch: number;
  hosts: number;
  host(index: number): Host;
  /** By lower-case name without port; undefined when the web has no such host. */
  hostNamed(name: string): Host | undefined;
}

/** Lists of leaves are cut into index pages of this many. */
export const leavesPerIndex = 20;
/** The first leaves of each host are what other hosts link to; they are always plain pages. */
export const publicLeaves = 4;
export const dirsPerHub = 10;

export type LeafKind =
  | 'plain'
  | 'redirect'
  | 'redirect-away'
  | 'redirect-chain'
  | 'redirect-loop'
  | 'missing'
  | 'flaky'
  | 'slow'
  | 'huge'
  | 'twin-body'
  | 'charset'
  | 'file'
  | 'nofollow-link'
  | 'nofollow-page'
  | 'base'
  /** Listed by the sitemap alone. */
  | 'hidden'
  | 'gzip'
  | 'chunked'
  | 'broken'
  | 'retry-429'
  | 'retry-503';

/** One hundred leaves in a row, so shares are exact and troubles of one host never come in a crowd. */
const wheel: readonly LeafKind[] = makeWheel();

function makeWheel(): LeafKind[] {
  const kinds = Array.from({ length: 100 }, (): LeafKind => 'plain');
  const place = (kind: LeafKind, ...at: number[]) => {
    for (const n of at) kinds[n] = kind;
  };
  place('redirect', 3, 51);
  place('redirect-away', 23);
  place('redirect-chain', 39);
  place('redirect-loop', 77);
  place('missing', 7, 41, 73);
  place('flaky', 13, 63);
  place('slow', 29, 81);
  place('huge', 57);
  place('twin-body', 5, 25, 45, 65);
  place('charset', 17, 47, 87);
  place('file', 9, 33, 61, 91);
  place('nofollow-link', 19);
  place('nofollow-page', 69);
  place('base', 15, 53, 95);
  place('hidden', 11, 37, 59, 83);
  place('gzip', 21, 43, 67, 89);
  place('chunked', 27, 79);
  return kinds;
}

export function createBase(options: {
  size: WebSize;
  seed: number;
  hosts: number;
  httpPort: number;
  httpsPort: number;
  hugeBytes: number;
  epoch: number;
}): WebBase {
  const { size, seed } = options;
  // A cache of pure values, dropped as a whole when full: 5,000 hosts are about 1 MB.
  const cache = new Map<number, Host>();
  const host = (index: number): Host => {
    let found = cache.get(index);
    if (found === undefined) {
      found = makeHost(size, seed, index);
      cache.set(index, found);
    }
    return found;
  };
  return {
    ...options,
    host,
    hostNamed: (name) => {
      const index = hostIndexOf(size, name);
      return index < 0 ? undefined : host(index);
    },
  };
}

export function leafKind(base: WebBase, host: Host, leaf: number): LeafKind {
  if (leaf < publicLeaves) return 'plain';
  if (host.broken && leaf === 5) return 'broken';
  if (host.retryAfter && leaf === 5) return 'retry-429';
  if (host.retryAfter && leaf === 9) return 'retry-503';
  const kind = wheel[(leaf + hash(base.seed, host.index, 0, 3)) % 100] as LeafKind;
  if (kind === 'hidden' && host.sitemap === 'none') return 'plain';
  // A gigabyte would be too much for the small web: three hosts have huge pages there.
  if (kind === 'huge' && base.size === 'S' && host.index % 16 !== 5) return 'plain';
  return kind;
}

/** Leaves under /private/ on hosts whose robots.txt closes that folder. */
export function isPrivate(host: Host, leaf: number): boolean {
  return leaf % 7 === 3 && (host.robots === 'rules' || host.robots === 'only-us');
}

/** Printable versions, on hosts that close them with a wildcard. */
export function isPrintable(host: Host, leaf: number): boolean {
  return leaf % 7 === 3 && host.robots === 'wildcard';
}

/** Path and query of a leaf, in the form normalisation leaves alone. */
export function leafPath(base: WebBase, host: Host, leaf: number): string {
  const section = `/s${Math.floor(leaf / leavesPerIndex)}`;
  if (isPrivate(host, leaf)) return `/private/${leaf % 2 === 0 ? 'open/' : ''}${leaf}.html`;
  if (isPrintable(host, leaf)) return `${section}/print-${leaf}.cgi`;
  switch (hash(base.seed, host.index, leaf, 4) % 6) {
    case 0:
      return `${section}/${leaf}/`;
    case 1:
      return `${section}/item?id=${leaf}`;
    case 2:
      return `${section}/caf%C3%A9-${leaf}`;
    case 3:
      return `${section}/${leaf}`;
    case 4:
      return `${section}/A-b_c~${leaf}.htm`;
    default:
      return `${section}/${leaf}.html`;
  }
}

/** The leaf a path belongs to, or -1. */
export function leafOf(base: WebBase, host: Host, path: string): number {
  const digits = /(\d{1,6})(?:\/|\.html?|\.cgi)?$/.exec(path);
  if (digits === null) return -1;
  const leaf = Number(digits[1]);
  return leaf < host.leaves && leafPath(base, host, leaf) === path ? leaf : -1;
}

export function indexCount(host: Host): number {
  return Math.ceil(host.leaves / leavesPerIndex);
}

/** Do this host's own pages ever get fetched, apart from those other hosts know? */
export function isServing(host: Host): boolean {
  return host.class === 'serve' || host.class === 'secure';
}

export type Charset = 'windows-1251' | 'shift_jis' | 'utf-16le';
const charsets: readonly Charset[] = ['windows-1251', 'shift_jis', 'utf-16le'];
const childNames: Record<Charset, string> = {
  'windows-1251': 'страница',
  shift_jis: '日本語',
  'utf-16le': 'čtení',
};

export function charsetOf(base: WebBase, host: Host, leaf: number): Charset {
  return charsets[hash(base.seed, host.index, leaf, 5) % 3] as Charset;
}

/** A page that only a reader of the right charset can find. `raw` is how the page spells it. */
export function charsetChild(charset: Charset, leaf: number): { path: string; raw: string } {
  const raw = `/${childNames[charset]}/${leaf}`;
  return { path: encodeURI(raw), raw };
}

export interface FileKind {
  mime: string;
  extension: string;
}
const fileKinds: readonly FileKind[] = [
  { mime: 'application/pdf', extension: 'pdf' },
  { mime: 'application/octet-stream', extension: 'bin' },
  { mime: 'video/mp4', extension: 'mp4' },
  { mime: 'text/plain', extension: 'txt' },
];
export function fileKindOf(base: WebBase, host: Host, leaf: number): FileKind {
  return fileKinds[hash(base.seed, host.index, leaf, 6) % fileKinds.length] as FileKind;
}

const missingStatuses = [404, 404, 410, 403] as const;
export function missingStatus(base: WebBase, host: Host, leaf: number): number {
  return missingStatuses[hash(base.seed, host.index, leaf, 7) % missingStatuses.length] as number;
}

const redirectStatuses = [301, 302, 303, 307, 308] as const;
export function redirectStatus(base: WebBase, host: Host, leaf: number): number {
  return redirectStatuses[hash(base.seed, host.index, leaf, 8) % redirectStatuses.length] as number;
}

/** Hops of a redirect chain after the leaf itself: /r/LEAF/HOPS, ..., /r/LEAF/1, then a page. */
export function chainHops(base: WebBase, host: Host, leaf: number): number {
  return 1 + (hash(base.seed, host.index, leaf, 9) % 4);
}

/** A leaf others may link to without making anything reachable that would not be anyhow. */
export function isListed(base: WebBase, host: Host, leaf: number): boolean {
  return leafKind(base, host, leaf) !== 'hidden';
}

/** Where a page's redirect or stray link may lead on the same host: a listed leaf of plain kind. */
export function plainLeaf(base: WebBase, host: Host, salt: number, n: number): number {
  const leaf = hash(base.seed, host.index, n, salt) % host.leaves;
  return leafKind(base, host, leaf) === 'plain' ? leaf : leaf % publicLeaves;
}

export function schemeOf(host: Host): 'http' | 'https' {
  return host.class === 'secure' ? 'https' : 'http';
}

/** Scheme, name and port; default ports are left out, as WHATWG does. */
export function originFor(base: WebBase, host: Host, scheme: 'http' | 'https'): string {
  const port = scheme === 'http' ? base.httpPort : base.httpsPort;
  const usual = scheme === 'http' ? 80 : 443;
  return port === usual ? `${scheme}://${host.name}` : `${scheme}://${host.name}:${port}`;
}

/** Paths other hosts link to. A host that only leads to its twin has the twin's. */
export function publicPaths(base: WebBase, host: Host): string[] {
  return Array.from({ length: publicLeaves + 1 }, (_, n) => publicPath(base, host, n));
}

function publicPath(base: WebBase, host: Host, n: number): string {
  if (n === 0) return '/';
  return leafPath(base, host.class === 'to-www' ? base.host(twinIndex(host)) : host, n - 1);
}

export function publicUrls(base: WebBase, host: Host): string[] {
  const origin = originFor(base, host, 'http');
  return publicPaths(base, host).map((path) => origin + path);
}

/** One of them, by chance. */
export function publicUrl(base: WebBase, host: Host, chance: number): string {
  return originFor(base, host, 'http') + publicPath(base, host, chance % (publicLeaves + 1));
}

/** Links that exist only to lead where robots.txt forbids. */
export function forbiddenExtras(host: Host): string[] {
  if (host.robots === 'rules') return ['/search?q=shoes'];
  if (host.robots === 'wildcard') return ['/list?print=1'];
  if (host.robots === 'delay' || host.robots === 'sitemap') return ['/never/1'];
  return [];
}

export function sitemapPaths(host: Host): string[] {
  if (host.sitemap === 'plain') return ['/sitemap.xml'];
  return host.sitemap === 'none' ? [] : ['/sitemap_index.xml.gz', '/maps/0.xml.gz', '/maps/1.xml'];
}
