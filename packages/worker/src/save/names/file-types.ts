import { extensionByType } from '@webfarer/protocol/job';

/** Extensions of URLs that are kept because they say more than the type does. */
const moreExtensions =
  'htm jpeg tiff mjs map yaml yml toml log tsv bib tex bz2 xz zst 7z rar tgz iso dmg exe msi deb rpm apk jar ' +
  'parquet sqlite db bin dat ttl nt owl kml gpx mp2 m4a flac aac avi mkv m4v swf djvu mobi odp heic psd warc';

const knownExtensions = new Set([...Object.values(extensionByType), ...moreExtensions.split(' ')]);
const pageTypes = new Set(['text/html', 'application/xhtml+xml']);
const pageExtensions = new Set(['html', 'htm', 'xhtml']);

/** The extension of a name, lower case, when it is one we know. */
export function knownExtension(name: string): string | undefined {
  const ext = /[^.]\.([A-Za-z0-9]{1,8})$/.exec(name)?.[1]?.toLowerCase();
  return ext !== undefined && knownExtensions.has(ext) ? ext : undefined;
}

/** The extension a saved body should have: the URL's own where it fits the type, else the type's. */
export function extensionFor(mime: string, urlName: string): string {
  const own = knownExtension(urlName);
  if (own !== undefined && pageTypes.has(mime) === pageExtensions.has(own)) return own;
  return extensionByType[mime] ?? own ?? 'bin';
}
