import type { HostKey } from '@webfarer/protocol';
import { siteOf } from '@webfarer/protocol/url';
import type { Host } from '../fake-web/hosts.ts';
import { dirLinks, homeLinks, indexLinks, leafLinks } from '../fake-web/links.ts';
import { charsetChild, charsetOf, leafKind, leafOf, originFor, schemeOf } from '../fake-web/pages.ts';
import type { ExpectOptions } from '../fake-web/universe.ts';
import type { Web } from '../fake-web/web.ts';
import type { SmallWeb } from './reference.ts';

/** The page graph of every site of the fake web without traps, from its generator: nothing is crawled or parsed. */
export function trueSites(web: Web, options: ExpectOptions): Map<string, SmallWeb> {
  const trapped = new Set(web.trapHosts().map(({ name }) => siteOf(name as HostKey)));
  const sites = new Map<string, SmallWeb>();
  for (const { url, verdict, reason, kind } of web.expected(options)) {
    const { host, path } = placeOf(web, url);
    const site = siteOf(host.name as HostKey);
    if (trapped.has(site) || verdict !== 'done' || kind !== 'page') continue;
    const found = sites.get(site) ?? emptySite(site);
    sites.set(site, found);
    // A crawl keeps a link that stands on a page twice once.
    if (reason === 'ok') found.pages.set(url, [...new Set(linksOn(web, host, path))]);
    else if (reason === 'redirect') found.redirects.set(url, locationOf(web, url));
  }
  return new Map([...sites].filter(([, { pages }]) => pages.size > 0));
}

function emptySite(site: string): SmallWeb {
  return {
    pages: new Map(),
    redirects: new Map(),
    isInside: (url) => siteOf(hostIn(url) as HostKey) === site,
  };
}

function hostIn(url: string): string {
  return /^https?:\/\/([^/:]+)/.exec(url)?.[1] ?? '';
}

function placeOf(web: Web, url: string): { host: Host; path: string } {
  const host = web.hostNamed(hostIn(url));
  if (host === undefined) throw new Error(`${url} is not of this web`);
  return { host, path: url.slice(url.indexOf('/', 8)) };
}

/** Absolute URLs, in the form a crawl knows them by. */
function linksOn(web: Web, host: Host, path: string): string[] {
  if (path === '/') return homeLinks(web, host);
  const [, list, n] = /^\/(index|dir)\/(\d+)$/.exec(path) ?? [];
  if (list !== undefined)
    return list === 'dir' ? dirLinks(web, host, Number(n)) : indexLinks(web, host, Number(n));
  const leaf = leafOf(web, host, path);
  return leaf < 0 ? [] : linksOnLeaf(web, host, leaf);
}

function linksOnLeaf(web: Web, host: Host, leaf: number): string[] {
  const own = originFor(web, host, schemeOf(host));
  const kind = leafKind(web, host, leaf);
  switch (kind) {
    case 'file':
      return [];
    case 'twin-body':
      return leafLinks(web, host, 0);
    case 'charset':
      return [...leafLinks(web, host, leaf), own + charsetChild(charsetOf(web, host, leaf), leaf).path];
    case 'nofollow-link':
    case 'nofollow-page':
      return [...leafLinks(web, host, leaf), `${own}/unseen/${leaf}`];
    default:
      return leafLinks(web, host, leaf);
  }
}

/** Where the server would send a reader. */
function locationOf(web: Web, url: string): string {
  const { host, path } = placeOf(web, url);
  const scheme = url.startsWith('https') ? 'https' : 'http';
  const { head } = web.answer({ scheme, host, path, acceptEncoding: '', before: () => 1 });
  const location = /^Location: (.*)\r$/im.exec(head)?.[1];
  if (location === undefined) throw new Error(`${url} should redirect`);
  return new URL(location, url).href;
}
