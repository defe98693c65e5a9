/** What a reader follows. Everything else is loaded, declared or sent, but nobody goes there by it. */
const readerRels: ReadonlySet<string> = new Set(['a', 'area', 'frame', 'meta:refresh', 'redirect']);

export function isReaderLink(rel: string): boolean {
  return readerRels.has(rel);
}
