import { safeSegment, shortHash } from '../save/names/file-name.ts';
import { extensionFor, knownExtension } from '../save/names/file-types.ts';

/** A folder, a query and a file's name, in bytes: readable, and short of every system's limit. */
const maxFolderBytes = 60;
const maxQueryBytes = 60;
const maxFileBytes = 120;
/**
 * Of a whole name. Windows takes 260 characters with the folder that the mirror is put into; a name that another URL has
 * already grows by 13.
 */
const maxNameBytes = 180;

/** Types that a browser knows on disk by the extension alone; a page that is named .php would be shown as text. */
const exact: Readonly<Record<string, readonly string[]>> = {
  'text/html': ['html', 'htm'],
  'application/xhtml+xml': ['xhtml'],
  'text/css': ['css'],
  'image/svg+xml': ['svg'],
  'text/javascript': ['js', 'mjs'],
  'application/javascript': ['js', 'mjs'],
  'application/x-javascript': ['js', 'mjs'],
};

/**
 * The name that the copy of a URL wants, made of the URL and its type alone: `example.org/docs/a@page=2.html`. It need
 * not be unique; who gets it is decided where all URLs are known.
 */
export function mirrorName(url: string, mime: string): string {
  const [, authority = '', path = '', query] =
    /^\w+:\/\/(?:[^/?#]*@)?([^/?#]*)([^?#]*)(?:\?([^#]*))?/.exec(url) ?? [];
  const host = authority.replace(/[[\]]/g, '').replace(/:(\d+)$/, '+$1');
  const parts = path.split('/').map(readable);
  const last = parts.pop() || 'index';
  const ext = extension(mime, last);
  const folders = [host, ...parts.filter((part) => part !== '')].map((part) =>
    safeSegment(part, '', maxFolderBytes),
  );
  const file = safeSegment(query === undefined ? last : withQuery(last, query), ext, maxFileBytes);
  const name = [...folders, file].join('/');
  if (Buffer.byteLength(name) <= maxNameBytes) return name;
  return `${folders[0]}/long~${shortHash(url)}.${ext}`;
}

/** `list.html` with `page=2`: `list@page=2.html`. */
function withQuery(name: string, query: string): string {
  const ext = knownExtension(name);
  const stem = ext === undefined ? name : name.slice(0, -ext.length - 1);
  const text = readable(query);
  const shown = Buffer.byteLength(text) <= maxQueryBytes ? text : shortHash(query);
  return `${stem}@${shown}${ext === undefined ? '' : `.${name.slice(-ext.length)}`}`;
}

function extension(mime: string, name: string): string {
  const fitting = exact[mime];
  const own = knownExtension(name);
  if (fitting) return own !== undefined && fitting.includes(own) ? own : (fitting[0] as string);
  const usual = extensionFor(mime, name);
  // Of a type that is not known, under the name of a page: it is none.
  return usual === 'html' || usual === 'htm' || usual === 'xhtml' ? 'bin' : usual;
}

function readable(text: string): string {
  try {
    return decodeURIComponent(text).replace(/[/\\]/g, '_');
  } catch {
    return text;
  }
}
