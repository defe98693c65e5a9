import { CookieJar as Jar } from 'tough-cookie';

/** The cookies of one crawl, in memory: sent back only to the sites that set them. */
export interface CookieJar {
  header(url: string): string | undefined;
  store(url: string, setCookie: readonly string[]): void;
}

export function createCookieJar(): CookieJar {
  const jar = new Jar(undefined, { looseMode: true, rejectPublicSuffixes: true });
  return {
    header: (url) => jar.getCookieStringSync(url) || undefined,
    store(url, setCookie) {
      for (const line of setCookie) jar.setCookieSync(line, url, { ignoreError: true });
    },
  };
}
