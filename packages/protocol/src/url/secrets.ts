import type { Url } from '../base/brands.ts';
import type { SiteCredentials } from './rules.ts';
import { originOf, parseUrl } from './url.ts';

/** What stands in the place of a name and password in everything that is printed or stored. */
export const mask = '***';

/** Up to the last @ before the path: a password typed by hand may hold others. */
const userinfo = /\b([a-z][a-z\d+.-]*:\/\/)([^\s/?#"'`<>]*)@/gi;
/** The same where the scheme was left out. Mail addresses have no colon, and `mailto:` is no name. */
const bareUserinfo = /(^|[\s"'`(=,])((?!mailto:)[^\s:/?#@"'`(=,<>]+):([^\s/?#"'`<>]+)@(?=[\w[])/gi;

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

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** What a request to a URL carries, by the credentials of exactly its origin. */
export function authorizationFor(url: Url, all: readonly SiteCredentials[]): string | undefined {
  if (all.length === 0) return undefined;
  const origin = originOf(url);
  const found = all.find((one) => one.origin === origin);
  if (!found) return undefined;
  const bytes = new TextEncoder().encode(`${found.user}:${found.password}`);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}
