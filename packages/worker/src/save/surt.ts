/**
 * The sort key of web archives: host reversed, `www.` dropped, all in lower case, query arguments in
 * order. `https://www.Example.org:8080/A?b&a` is `org,example:8080)/a?a&b`. An IP address stays as it is.
 */
export function surt(url: string): string {
  const parts = /^https?:\/\/(?:[^/?#@]*@)?(\[[^\]]*\]|[^/?#:]*)(:\d+)?([^?#]*)(?:\?([^#]*))?/i.exec(url);
  if (!parts) return url;
  const [, host = '', port = '', path = '', query = ''] = parts;
  const name = host.toLowerCase();
  const isAddress = /^\[|^\d+\.\d+\.\d+\.\d+$/.test(name);
  const key = isAddress
    ? name
    : name
        .replace(/^www\d*\./, '')
        .split('.')
        .reverse()
        .join(',');
  const args = query === '' ? '' : `?${query.toLowerCase().split('&').sort().join('&')}`;
  return `${key}${port})${path.toLowerCase() || '/'}${args}`;
}
