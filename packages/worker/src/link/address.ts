/** `ws://host:7311/link` and `http://host:7311/` are the same coordinator. */
export function baseOf(url: string): string {
  return url
    .replace(/^ws/, 'http')
    .replace(/\/link\/?$/, '')
    .replace(/\/+$/, '');
}

export function linkAddress(url: string): string {
  return `${baseOf(url).replace(/^http/, 'ws')}/link`;
}
