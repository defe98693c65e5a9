import type { HostKey, Url } from '@webfarer/protocol';
import { hostOf, siteOf } from '@webfarer/protocol/url';
import { Cookie, CookieJar as Jar, type SerializedCookieJar } from 'tough-cookie';
import type { FileCookie } from './cookies-txt.ts';

/** The cookies of one crawl: sent back only to the sites that set them. */
export interface CookieJar {
  header(url: string): string | undefined;
  store(url: string, setCookie: readonly string[]): void;
  /** Puts cookies from a file in, over those of the same name. Answers how many were taken. */
  load(cookies: readonly FileCookie[]): number;
  /** All of it as JSON, session cookies too: a crawl that goes on is the same session. */
  save(): string;
  /** Grows with every change, so that an unchanged jar need not be written again. */
  readonly version: number;
}

/** As browsers: what is longer or more is not kept. Keeps request heads and memory small whatever a site sets. */
const maxCookieBytes = 4_096;
const maxPerUrl = 50;
/** All of a site are gone over for every request and every cookie. */
const maxPerSite = 300;
const recountEvery = 100;
/** All are written together. */
const maxInAll = 4_000;

/** An empty jar, or one that `save` has written. */
export function createCookieJar(saved?: string): CookieJar {
  const rules = { looseMode: true, rejectPublicSuffixes: true };
  const jar =
    saved === undefined
      ? new Jar(undefined, rules)
      : Jar.deserializeSync({ ...(JSON.parse(saved) as SerializedCookieJar), enableLooseMode: true });
  let version = 0;
  const everyCookie = () => (jar.serializeSync()?.cookies ?? []).flatMap((one) => Cookie.fromJSON(one) ?? []);
  const inAll = () => jar.serializeSync()?.cookies.length ?? 0;
  /** At least as many as are kept: one that replaces another of a different path counts twice until counted anew. */
  let kept = saved === undefined ? 0 : inAll();
  let full = false;
  /** At least as many as are kept of each site, for the same reason and because some have expired. */
  const ofSites = new Map<string, number>();
  /** How often a site had no room. */
  const refused = new Map<string, number>();

  /** Counting is dear, so a site that goes on is counted anew only now and then. */
  function hasRoomFor(site: string): boolean {
    if ((ofSites.get(site) ?? 0) < maxPerSite) return true;
    const times = refused.get(site) ?? 0;
    refused.set(site, times + 1);
    if (times % recountEvery > 0) return false;
    const isOf = (cookie: Cookie) => siteOf((cookie.domain ?? '') as HostKey) === site && cookie.TTL() > 0;
    const count = everyCookie().filter(isOf).length;
    ofSites.set(site, count);
    return count < maxPerSite;
  }

  /** A cookie that is there may always be renewed or taken back. */
  function hasRoom(url: string, line: string): boolean {
    const name = line.slice(0, Math.max(0, line.indexOf('='))).trim();
    const there = jar.getCookiesSync(url);
    if (there.some(({ key }) => key === name)) return true;
    if (!full && kept >= maxInAll) {
      kept = inAll();
      full = kept >= maxInAll;
    }
    const site = siteOf(hostOf(url as Url));
    if (full || there.length >= maxPerUrl || !hasRoomFor(site)) return false;
    ofSites.set(site, (ofSites.get(site) ?? 0) + 1);
    kept++;
    return true;
  }

  return {
    // Most crawls never see a cookie, and looking for one is dear.
    header: (url) => (kept === 0 ? undefined : jar.getCookieStringSync(url) || undefined),
    store(url, setCookie) {
      for (const line of setCookie) {
        if (line.length > maxCookieBytes || !hasRoom(url, line)) continue;
        if (jar.setCookieSync(line, url, { ignoreError: true })) version++;
      }
    },
    load(cookies) {
      let taken = 0;
      for (const { host, subdomains, path, secure, httpOnly, expiresAtMs, name, value } of cookies) {
        const cookie = new Cookie({
          key: name,
          value,
          path,
          secure,
          httpOnly,
          ...(subdomains ? { domain: host } : {}),
          ...(expiresAtMs === undefined ? {} : { expires: new Date(expiresAtMs) }),
        });
        const url = `${secure ? 'https' : 'http'}://${host}${path}`;
        if (jar.setCookieSync(cookie, url, { ignoreError: true })) taken++;
      }
      version += taken;
      kept += taken;
      return taken;
    },
    save: () => JSON.stringify(jar.serializeSync()),
    get version() {
      return version;
    },
  };
}
