/** Names that are devices on Windows, with any extension. */
const device =
  /^(?:con|prn|aux|nul|clock\$|conin\$|conout\$|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3])(?:\.|$)/i;

/** Whether Windows would open something else than a file under this name. */
export const isDeviceName = (name: string): boolean => device.test(name);

/** File systems count bytes, 255 at most; what is put before and behind a name fits beside these. */
const mostBytes = 160;

/**
 * A name as a folder: what some system could not store becomes a dash. A name that is too long is cut, and a mark of the
 * whole of it tells it from others that begin alike.
 */
export function safeName(name: string): string {
  const whole = wholeOf(name);
  const cut = firstBytes(whole, mostBytes);
  return stored(cut === whole ? whole : `${cut}-${markOf(name)}`);
}

/** The same with the mark in any case, for a name whose folder another name has already. */
export function markedName(name: string): string {
  return stored(`${firstBytes(wholeOf(name), mostBytes)}-${markOf(name)}`);
}

function wholeOf(name: string): string {
  return name.replace(/[^\p{L}\p{N}._+-]+/gu, '-').replace(/^[.-]+/, '');
}

function stored(marked: string): string {
  // Windows drops a dot from the end.
  const safe = marked.replace(/[.-]+$/, '') || 'crawl';
  return isDeviceName(safe) ? `_${safe}` : safe;
}

/** As many whole characters as fit. */
function firstBytes(text: string, most: number): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= most) return text;
  return new TextDecoder().decode(bytes.subarray(0, most)).replace(/\uFFFD+$/, '');
}

/** 64 bits of a name (FNV-1a). */
function markOf(name: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(name))
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return hash.toString(36);
}
