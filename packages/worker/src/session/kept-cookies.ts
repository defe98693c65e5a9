import type { LeaseReport, Url } from '@webfarer/protocol';
import { frameBounds } from '@webfarer/protocol/link';
import { hostOf } from '@webfarer/protocol/url';
import type { CrawlContext } from '../context/context.ts';
import type { Exchange } from '../fetch/fetch.ts';
import type { HeldLease } from './held-lease.ts';

/** Keeps the cookies that an answer sets. True when the next request for its URL will carry others than this one did. */
export function keepCookies(
  {
    context: { cookies, logins },
    held,
  }: {
    context: Pick<CrawlContext, 'cookies' | 'logins'>;
    held: Pick<HeldLease, 'cookies' | 'cookiesLeftOut'>;
  },
  url: Url,
  { headers }: Pick<Exchange, 'headers'>,
): boolean {
  if (!cookies) return false;
  const set = headers.filter(([name]) => name.toLowerCase() === 'set-cookie').map(([, value]) => value);
  if (set.length === 0) return false;
  const before = cookies.header(url);
  held.cookiesLeftOut += cookies.store(url, set);
  // One that was sent already and is only set again is no news to anybody.
  const sent = new Set(before?.split('; '));
  const lines = set.filter((line) => !sent.has(line.split(';', 1)[0]?.trim() ?? ''));
  // Those of an account stay in this process.
  if (lines.length > 0 && !logins?.of(hostOf(url)))
    held.cookies.push({ url, lines: lines.slice(0, frameBounds.cookies) });
  return cookies.header(url) !== before;
}

/** What the next report tells of cookies. */
export function cookieNews(
  held: Pick<HeldLease, 'cookies' | 'cookiesLeftOut'>,
): Pick<LeaseReport, 'cookies' | 'cookiesLeftOut'> {
  const { cookiesLeftOut } = held;
  held.cookiesLeftOut = 0;
  return {
    ...(held.cookies.length > 0 ? { cookies: held.cookies.splice(0) } : {}),
    ...(cookiesLeftOut > 0 ? { cookiesLeftOut } : {}),
  };
}
