/** Extension for a content type: what files of that type are usually named. */
export const extensionByType: Readonly<Record<string, string>> = {
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

/** Other endings of the same types. */
const aliases: Readonly<Record<string, string>> = {
  htm: 'text/html',
  jpeg: 'image/jpeg',
  tiff: 'image/tiff',
};

const typeByExtension = new Map([
  ...Object.entries(extensionByType)
    .toReversed()
    .map(([type, extension]): [string, string] => [extension, type]),
  ...Object.entries(aliases),
]);

/** The content type that files with this extension have; undefined where it is none we know. */
export function typeOfExtension(extension: string): string | undefined {
  return typeByExtension.get(extension.toLowerCase());
}
