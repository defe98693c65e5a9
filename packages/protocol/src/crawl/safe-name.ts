/** Names that are devices on Windows, with any extension. */
const device =
  /^(?:con|prn|aux|nul|clock\$|conin\$|conout\$|com[0-9\u00b9\u00b2\u00b3]|lpt[0-9\u00b9\u00b2\u00b3])(?:\.|$)/i;

/** Whether Windows would open something else than a file under this name. */
export const isDeviceName = (name: string): boolean => device.test(name);

/** A name as a folder: what some system could not store becomes a dash. */
export function safeName(name: string): string {
  const safe =
    name
      .replace(/[^\p{L}\p{N}._+-]+/gu, '-')
      .replace(/^[.-]+/, '')
      .slice(0, 120)
      // Windows drops a dot from the end.
      .replace(/[.-]+$/, '') || 'crawl';
  return isDeviceName(safe) ? `_${safe}` : safe;
}
