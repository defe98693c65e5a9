import type { HostKey, SiteKey, Url } from '@webfarer/protocol';
import { hostOf, siteOf } from '@webfarer/protocol/url';
import { Cookie, CookieJar as Jar, type SerializedCookieJar } from 'tough-cookie';
import type { FileCookie } from './cookies-txt.ts';
import { cookieRules, openSiteCookies, type SiteCookies } from './site-cookies.ts';

/** The cookies of one crawl: sent back only to the sites that set them. */
export interface CookieJar {
  header(url: string): string | undefined;
  /** Answers how many are left out: because their site has no room, or of sites that make room for this one. */
  store(url: string, setCookie: readonly string[]): number;
  /** Puts cookies from a file in, over those of the same name. Answers how many were taken. */
  load(cookies: readonly FileCookie[]): number;
  /** All of it as JSON, session cookies too: a crawl that goes on is the same session. */
  save(): string;
  /** Grows with every change, so that an unchanged jar need not be written again. */
  readonly version: number;
}

/** Each takes about 2 KB of memory. Those of the sites that were asked last are kept. */
const maxInAll = 4_000;

interface Saved extends SerializedCookieJar {
  /** Sites with cookies of the operator. */
  given?: SiteKey[];
}

/** An empty jar, or one that `save` has written. */
export function createCookieJar(saved?: string): CookieJar {
  /** Those that were asked last come last. */
  const sites = new Map<SiteKey, SiteCookies>();
  let inAll = 0;
  let version = 0;

  /** As the site that was asked last. */
  function latest(site: SiteKey, its = sites.get(site) ?? openSiteCookies()): SiteCookies {
    sites.delete(site);
    sites.set(site, its);
    return its;
  }

  function counted<T>(its: SiteCookies, change: () => T): T {
    const before = its.count;
    const answer = change();
    inAll += its.count - before;
    return answer;
  }

  /** Answers how many of other sites are gone for this one. */
  function makeRoom(mine: SiteCookies): number {
    let gone = 0;
    for (const [site, its] of sites) {
      if (inAll <= maxInAll) break;
      if (its.given || its === mine) continue;
      sites.delete(site);
      gone += its.count;
      inAll -= its.count;
    }
    return gone;
  }

  function restore({ cookies, given = [] }: Saved): void {
    // One by one: `deserialize` of tough-cookie calls itself for each, and a thousand or two exceed the stack.
    for (const one of cookies) {
      const cookie = Cookie.fromJSON(one);
      if (!cookie || cookie.TTL() <= 0) continue;
      const its = latest(siteOfCookie(cookie));
      counted(its, () => its.add(cookie));
    }
    for (const site of given) latest(site).given = true;
  }

  if (saved !== undefined) restore(JSON.parse(saved) as Saved);
  return {
    header(url) {
      // Most crawls never see a cookie, and looking for one is dear.
      if (sites.size === 0) return undefined;
      const site = siteOfUrl(url);
      const its = sites.get(site);
      return its && (latest(site, its).jar.getCookieStringSync(url) || undefined);
    },
    store(url, setCookie) {
      if (setCookie.length === 0) return 0;
      const site = siteOfUrl(url);
      const its = latest(site);
      const { changes, leftOut } = counted(its, () => its.put(url, setCookie));
      version += changes;
      if (its.count === 0) sites.delete(site);
      return leftOut + makeRoom(its);
    },
    load(cookies) {
      let taken = 0;
      for (const one of cookies) {
        const url = `${one.secure ? 'https' : 'http'}://${one.host}${one.path}`;
        const its = latest(siteOfUrl(url));
        const cookie = its.jar.setCookieSync(cookieOf(one), url, { ignoreError: true });
        if (!cookie) continue;
        counted(its, () => its.add(cookie));
        its.given = true;
        taken++;
      }
      version += taken;
      return taken;
    },
    save() {
      const { cookies: _none, ...about } = new Jar(undefined, cookieRules).serializeSync() ?? { cookies: [] };
      const given = [...sites].filter(([, its]) => its.given).map(([site]) => site);
      const texts = [...sites.values()].map((its) => its.text()).filter((text) => text !== '');
      return `${JSON.stringify({ ...about, given }).slice(0, -1)},"cookies":[${texts.join(',')}]}`;
    },
    get version() {
      return version;
    },
  };
}

function cookieOf({
  host,
  subdomains,
  path,
  secure,
  httpOnly,
  expiresAtMs,
  name,
  value,
}: FileCookie): Cookie {
  return new Cookie({
    key: name,
    value,
    path,
    secure,
    httpOnly,
    ...(subdomains ? { domain: host } : {}),
    ...(expiresAtMs === undefined ? {} : { expires: new Date(expiresAtMs) }),
  });
}

const siteOfUrl = (url: string): SiteKey => siteOf(hostOf(url as Url));

/** Cookies have IPv6 addresses without brackets. */
const siteOfCookie = ({ domain }: Cookie): SiteKey =>
  siteOf((domain?.includes(':') ? `[${domain}]` : (domain ?? '')) as HostKey);
