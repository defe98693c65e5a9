import { createHash } from 'node:crypto';
import type { Entry } from '@webfarer/protocol';
import { hostOf } from '@webfarer/protocol/url';

/** The key of a capture by the template of the job. ASCII alone: names of crawls may have anything in them. */
export function captureKey(
  template: string,
  { crawl, entry }: { crawl: string; entry: Pick<Entry, 'url' | 'request'> },
): string {
  const { url, request } = entry;
  const what = request === undefined ? url : `${url}\n${JSON.stringify(request)}`;
  const values: Record<string, string> = {
    crawl: encodeURIComponent(crawl),
    host: hostOf(url),
    url,
    hash: createHash('sha1').update(what).digest('hex'),
  };
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
}

/** What SCAN finds all keys of a crawl by. */
export function keyPattern(template: string, crawl: string): string {
  const literal = (text: string): string => text.replaceAll(/[\\*?[\]]/g, '\\$&');
  return template
    .split(/(\{\w+\})/)
    .map((part) => {
      if (part === '{crawl}') return literal(encodeURIComponent(crawl));
      return /^\{\w+\}$/.test(part) ? '*' : literal(part);
    })
    .join('');
}
