import { Cookie, CookieJar as Jar, MemoryCookieStore } from 'tough-cookie';

/** As browsers: what is longer or more is not kept. Keeps request heads and memory small whatever a site sets. */
const maxCookieBytes = 4_096;
const maxPerUrl = 50;
/** All of a site are gone over for every request and every cookie. */
const maxPerSite = 300;
const recountEvery = 100;

/** What a site has set. No cookie is sent to another site. */
export interface SiteCookies {
  readonly jar: Jar;
  /** At least as many as are kept: one that replaces another of a different path counts twice, and some have expired. */
  readonly count: number;
  /** Some are from a file of the operator, so that they do not make room for others. */
  given: boolean;
  /** Answers how many are kept of these, and how many have no room. */
  put(url: string, setCookie: readonly string[]): { changes: number; leftOut: number };
  /** One that is known to be right. */
  add(cookie: Cookie): void;
  /** As JSON, without brackets, in the order in which they were set. */
  text(): string;
}

export const cookieRules = { looseMode: true, rejectPublicSuffixes: true };

export function openSiteCookies(): SiteCookies {
  const all = new MemoryCookieStore();
  const jar = new Jar(all, cookieRules);
  let count = 0;
  /** How often there was no room. */
  let refused = 0;
  /** Undefined: changed since it was written. */
  let written: string | undefined;

  function isRoom(): boolean {
    if (count < maxPerSite) return true;
    // Counting means going over all, so a site that goes on is counted anew only now and then.
    if (refused++ % recountEvery > 0) return false;
    count = cookiesIn(all).filter((cookie) => cookie.TTL() > 0).length;
    return count < maxPerSite;
  }

  return {
    jar,
    get count() {
      return count;
    },
    given: false,
    put(url, setCookie) {
      written = undefined;
      let [changes, leftOut] = [0, 0];
      for (const line of setCookie) {
        if (line.length > maxCookieBytes) continue;
        const there = jar.getCookiesSync(url);
        // One that is there may always be renewed or taken back.
        if (!isThere(there, line)) {
          if (there.length >= maxPerUrl) continue;
          if (!isRoom()) {
            leftOut++;
            continue;
          }
          count++;
        }
        if (jar.setCookieSync(line, url, { ignoreError: true })) changes++;
      }
      return { changes, leftOut };
    },
    add(cookie) {
      written = undefined;
      all.putCookie(cookie, () => undefined);
      count++;
    },
    text: () =>
      (written ??= (jar.serializeSync()?.cookies ?? []).map((one) => JSON.stringify(one)).join(',')),
  };
}

function isThere(there: readonly Cookie[], line: string): boolean {
  const name = line.slice(0, Math.max(0, line.indexOf('='))).trim();
  return there.some(({ key }) => key === name);
}

function cookiesIn(all: MemoryCookieStore): readonly Cookie[] {
  let found: readonly Cookie[] = [];
  all.getAllCookies((_error, cookies = []) => {
    found = cookies;
  });
  return found;
}
