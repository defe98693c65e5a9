import { hash } from './hash.ts';
import type { Host } from './hosts.ts';
import type { WebBase } from './pages.ts';

/** The page on which a link is written. */
export interface LinkPlace {
  base: WebBase;
  host: Host;
  /** Its origin. */
  own: string;
  /** Path and query of the page. */
  path: string;
  /** Chance for this page; each link adds its number. */
  salt: number;
  /** Only spellings that read the same in every charset. */
  plain: boolean;
  /** The page has `<base href="/deep/er/">`. */
  deepBase: boolean;
}

/** The value of an href that means `url`, in one of the many ways people write it. Not yet HTML-escaped. */
export function spellLink(place: LinkPlace, url: string, n: number): string {
  const { base, host, own } = place;
  const chance = hash(base.seed, host.index * 131 + n, place.salt, 50);
  const same = url.charCodeAt(own.length) === 47 && url.startsWith(own);
  if (place.deepBase) return same ? `../..${url.slice(own.length)}` : url;
  if (place.plain) return same ? url.slice(own.length) : url;
  const form = chance % 16;
  if (host.sessions && same && form < 8) return withSession(url, chance);
  return same ? spellInner(place, url.slice(own.length), own, form) : spellOuter(base, url, form);
}

function spellInner(place: LinkPlace, path: string, own: string, form: number): string {
  switch (form) {
    case 0:
      return own + path;
    case 1:
      return `${path}#part-${place.salt}`;
    case 2:
      return withParameter(path, 'utm_source=fake&utm_medium=link');
    case 3:
      return `/here/..${path}`;
    case 4:
      return climb(place.path) + path.slice(1);
    case 5:
      return path.replace('%C3%A9', '%c3%a9');
    case 6:
      return path.replace('%C3%A9', 'é');
    case 7:
      return `  ${path}\n`;
    case 8:
      return withPathParameter(path, place.salt);
    case 9:
      return path.replace('~', '%7E');
    case 10:
      return own.slice(own.indexOf('/')) + path;
    default:
      return path;
  }
}

function spellOuter(base: WebBase, url: string, form: number): string {
  switch (form) {
    case 0:
    case 1:
      return upperCaseHost(url);
    case 2:
      return `${url}#`;
    case 3:
      return withParameter(url, 'utm_campaign=x');
    case 4:
      return withDefaultPort(base, url);
    case 5:
      return url.replace('//', '//user:secret@');
    default:
      return url;
  }
}

/** From a page's folder up to the root, as a relative link starts. */
function climb(path: string): string {
  const folders = (path.split('?')[0] as string).split('/').length - 2;
  return folders === 0 ? './' : '../'.repeat(folders);
}

function withSession(url: string, chance: number): string {
  const name = ['PHPSESSID', 'phpsessid', 'JSESSIONID', 'sid'][(chance >>> 8) % 4] as string;
  return withParameter(url, `${name}=${chance.toString(16)}`);
}

function withParameter(url: string, parameter: string): string {
  return `${url}${url.includes('?') ? '&' : '?'}${parameter}`;
}

function withPathParameter(path: string, salt: number): string {
  const query = path.indexOf('?');
  const end = query < 0 ? path.length : query;
  return `${path.slice(0, end)};jsessionid=${salt.toString(16)}${path.slice(end)}`;
}

function upperCaseHost(url: string): string {
  const start = url.indexOf('//') + 2;
  const end = url.indexOf('/', start);
  return url.slice(0, end).toUpperCase() + url.slice(end);
}

/** Only where the web really stands on port 80 can a link name it and mean the same. */
function withDefaultPort(base: WebBase, url: string): string {
  if (base.httpPort !== 80 || !url.startsWith('http://')) return url;
  const end = url.indexOf('/', 7);
  return `${url.slice(0, end)}:80${url.slice(end)}`;
}
