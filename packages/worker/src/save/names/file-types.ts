/** Extension for a content type: the name of a saved page ends in what it is, not in what its URL says. */
const extensionByType: Record<string, string> = {
  'text/html': 'html',
  'application/xhtml+xml': 'xhtml',
  'text/plain': 'txt',
  'text/css': 'css',
  'text/csv': 'csv',
  'text/markdown': 'md',
  'text/calendar': 'ics',
  'text/javascript': 'js',
  'application/javascript': 'js',
  'application/x-javascript': 'js',
  'application/json': 'json',
  'application/ld+json': 'jsonld',
  'application/manifest+json': 'webmanifest',
  'application/geo+json': 'geojson',
  'text/xml': 'xml',
  'application/xml': 'xml',
  'application/rss+xml': 'rss',
  'application/atom+xml': 'atom',
  'application/pdf': 'pdf',
  'application/rtf': 'rtf',
  'application/postscript': 'ps',
  'application/epub+zip': 'epub',
  'application/zip': 'zip',
  'application/gzip': 'gz',
  'application/x-gzip': 'gz',
  'application/x-tar': 'tar',
  'application/wasm': 'wasm',
  'application/msword': 'doc',
  'application/vnd.ms-excel': 'xls',
  'application/vnd.ms-powerpoint': 'ppt',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'application/vnd.openxmlformats-officedocument.presentationml.presentation': 'pptx',
  'application/vnd.oasis.opendocument.text': 'odt',
  'application/vnd.oasis.opendocument.spreadsheet': 'ods',
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'image/avif': 'avif',
  'image/svg+xml': 'svg',
  'image/x-icon': 'ico',
  'image/vnd.microsoft.icon': 'ico',
  'image/bmp': 'bmp',
  'image/tiff': 'tif',
  'audio/mpeg': 'mp3',
  'audio/ogg': 'ogg',
  'audio/wav': 'wav',
  'video/mp4': 'mp4',
  'video/webm': 'webm',
  'video/mpeg': 'mpg',
  'video/quicktime': 'mov',
  'font/woff': 'woff',
  'font/woff2': 'woff2',
  'font/ttf': 'ttf',
  'font/otf': 'otf',
};

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
