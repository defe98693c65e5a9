import type { Url } from '@webfarer/protocol';
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
  }: { context: Pick<CrawlContext, 'cookies' | 'logins'>; held: Pick<HeldLease, 'cookies'> },
  url: Url,
  { headers }: Pick<Exchange, 'headers'>,
): boolean {
  if (!cookies) return false;
  const set = headers.filter(([name]) => name.toLowerCase() === 'set-cookie').map(([, value]) => value);
  if (set.length === 0) return false;
  const before = cookies.header(url);
  cookies.store(url, set);
  // One that was sent already and is only set again is no news to anybody.
  const sent = new Set(before?.split('; '));
  const lines = set.filter((line) => !sent.has(line.split(';', 1)[0]?.trim() ?? ''));
  // Those of an account stay in this process.
  if (lines.length > 0 && !logins?.of(hostOf(url)))
    held.cookies.push({ url, lines: lines.slice(0, frameBounds.cookies) });
  return cookies.header(url) !== before;
}
