/**
 * The code of a one-time link, taken out of the address before anything else looks at it: the history, a bookmark or a copied
 * address must not have it. It stands behind `#`, so that no server and no log ever sees it.
 */
export function takeLinkCode(
  { hash, pathname, search }: Pick<Location, 'hash' | 'pathname' | 'search'>,
  history: Pick<History, 'replaceState'>,
): string | undefined {
  const code = /^#code=([\w-]{1,200})$/.exec(hash)?.[1];
  if (hash.startsWith('#code=')) history.replaceState(null, '', pathname + search);
  return code;
}
