import type { Url } from '../base/brands.ts';
import type { SiteCredentials } from './rules.ts';
import { originOf, parseUrl } from './url.ts';

/** What stands in the place of a name and password in everything that is printed or stored. */
export const mask = '***';

/** Up to the last @ before the path: a password typed by hand may hold others. */
const userinfo = /\b([a-z][a-z\d+.-]*:\/\/)([^\s/?#"'`<>]*)@/gi;
/** The same where the scheme was left out. Mail addresses have no colon; `mailto:` is no name, nor is the `+mailto:` of a user agent. */
const bareUserinfo = /(^|[\s"'`(=,])((?!\+?mailto:)[^\s:/?#@"'`(=,<>]+):([^\s/?#"'`<>]+)@(?=[\w[])/gi;

/** Text that is safe to print or store: names and passwords in addresses are masked. The one place that does it. */
export function redact(text: string): string {
  if (!text.includes('@')) return text;
  return text.replace(userinfo, `$1${mask}@`).replace(bareUserinfo, `$1${mask}@`);
}

/** An address without name and password. */
export function withoutUserinfo(url: string): string {
  return url.replace(userinfo, '$1');
}

/** Whether its name and password were left out when it was stored. */
export function isMasked(url: string): boolean {
  return url.includes(`://${mask}@`);
}

/** The name and password in a URL, if it has any. */
export function credentialsIn(text: string): SiteCredentials | undefined {
  const url = parseUrl(text.trim());
  if (!url || !/^https?:$/.test(url.protocol) || (url.username === '' && url.password === ''))
    return undefined;
  return { origin: url.origin, user: decoded(url.username), password: decoded(url.password) };
}

/**
 * One line of a list of credentials: `https://name:password@example.org/`, or the address and behind it
 * `basic name:password`, `form name:password` or `bearer TOKEN`, without escapes. Undefined: neither.
 */
export function credentialsLine(line: string): SiteCredentials | undefined {
  const [, address = '', scheme, secret = ''] =
    /^(\S+)\s+(basic|bearer|form)\s+(.+)$/i.exec(line.trim()) ?? [];
  if (scheme === undefined) return credentialsIn(line);
  if (scheme.toLowerCase() === 'bearer') return siteCredentials(address, { token: secret });
  const colon = secret.indexOf(':');
  if (colon < 0) return undefined;
  const [user, password] = [secret.slice(0, colon), secret.slice(colon + 1)];
  const form = scheme.toLowerCase() === 'form';
  return siteCredentials(address, form ? { user, password, form } : { user, password });
}

/** For the origin of an http(s) address that has no name and password of its own. Undefined: they cannot be sent. */
export function siteCredentials(
  address: string,
  secret: { user: string; password: string; form?: true } | { token: string },
): SiteCredentials | undefined {
  const url = parseUrl(address);
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined;
  // RFC 7617: the first colon ends the name. RFC 6750: a token is visible ASCII.
  if ('token' in secret ? !/^[\x21-\x7e]+$/.test(secret.token) : secret.user.includes(':')) return undefined;
  return { origin: url.origin, ...secret };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** What a request to a URL carries, by the credentials of exactly its origin. */
export function authorizationFor(url: Url, given: readonly SiteCredentials[]): string | undefined {
  if (given.length === 0) return undefined;
  const origin = originOf(url);
  const all = given.filter((one) => !isForm(one));
  const found = all.find((one) => one.origin === origin);
  if (!found) return undefined;
  if ('token' in found) return `Bearer ${found.token}`;
  const bytes = new TextEncoder().encode(`${found.user}:${found.password}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

/** Sent by a login form only, never with a request. */
export function isForm(one: SiteCredentials): one is SiteCredentials & { user: string; password: string } {
  return 'form' in one && one.form === true;
}
