import type { Url } from '../base/brands.ts';
import { hostOf, originOf, pathOf } from './url.ts';

/**
 * The key under which an archive index files a URL: host reversed, `www` and scheme dropped, lower case,
 * query sorted. `https://www.example.org/A?b&a` is `org,example)/a?a&b`. Made to agree with the indexes
 * that replay tools build, so it sorts and folds what they do and nothing more.
 */
export function surt(url: Url): string {
  const host = hostOf(url);
  const port = originOf(url).slice(originOf(url).indexOf('://') + 3 + host.length);
  const labels = host
    .replace(/^www\d*\./, '')
    .split('.')
    .reverse()
    .join(',');
  const [path, query] = splitQuery(pathOf(url).toLowerCase());
  return `${labels}${port})${path}${query === undefined ? '' : `?${query.split('&').sort().join('&')}`}`;
}

/** An empty query counts as none. */
function splitQuery(path: string): [string, string?] {
  const at = path.indexOf('?');
  if (at < 0) return [path];
  return at === path.length - 1 ? [path.slice(0, -1)] : [path.slice(0, at), path.slice(at + 1)];
}
