import { escaped, type Reply } from './reply.ts';
import { naughtyStrings } from './naughty-strings.ts';

const strings = naughtyStrings();
const onOneLine = (text: string): string => text.replaceAll(/[\r\n\0]/g, ' ');
/** What a header may hold. */
const plain = (text: string): string => text.replaceAll(/[^\x20-\x7e]/g, '');

/** The address of the page of one string. */
const naughtyPath = (n: number): string =>
  `/page/${n}?q=${encodeURIComponent((strings[n] ?? '').toWellFormed())}`;

/** Every string in whatever a site decides: addresses, titles, text, headers, rules of robots.txt, items. */
export function naughtySite(path: string): Reply {
  if (path === '/robots.txt') {
    const rules = strings.map((text, n) => `Disallow: /secret/${n}$ # ${onOneLine(text)}`);
    return {
      status: 200,
      body: `User-agent: *\n${rules.join('\n')}\n`,
      headers: { 'content-type': 'text/plain' },
    };
  }
  if (path === '/') {
    const links = strings.flatMap((_, n) => [naughtyPath(n), ...(n % 50 === 0 ? [`/secret/${n}`] : [])]);
    return {
      status: 200,
      body: `<!doctype html><title>All</title>${links.map((link) => `<a href="${escaped(link)}">x</a>`).join('')}`,
    };
  }
  const text = strings[Number(/^\/page\/(\d+)/.exec(path)?.[1] ?? -1)] ?? 'none';
  const shown = escaped(text);
  return {
    status: 200,
    body: `<!doctype html><html lang="en"><title>${shown}</title><h1>${shown}</h1><p>${shown}<p class="key">${shown}`,
    headers: { 'x-title': plain(text), etag: `"${plain(text).replaceAll('"', '')}"` },
  };
}
