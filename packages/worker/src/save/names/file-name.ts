import { createHash } from 'node:crypto';
import { WebfarerError } from '@webfarer/protocol';
import { isDeviceName } from '@webfarer/protocol/crawl';
import { base32 } from '../../bytes/digest.ts';
import { extensionFor } from './file-types.ts';
import type { Capture } from '../saver.ts';

/**
 * Names for saved bodies, made of a template and a URL that strangers chose. Whatever they chose, a name
 * is relative, has no `..`, no control or reserved characters, no name that some system gives a meaning,
 * and no segment too long; it is the same on every system. It need not be unique: see name-registry.ts.
 */
export const placeholders = [
  'scheme',
  'host',
  'port',
  'path',
  'query',
  'hash',
  'ext',
  'date',
  'label',
  'depth',
] as const;
type Placeholder = (typeof placeholders)[number];

export const maxSegmentBytes = 200;
const maxSegments = 24;
const maxNameBytes = 1_000;

export type Namer = (capture: Pick<Capture, 'entry' | 'page' | 'mime'>) => string;

/** Reads a template once. Throws `job-invalid` when it names something unknown. `ext`: all files are of one kind. */
export function namer(template: string, ext?: string): Namer {
  const known = new Set<string>(placeholders);
  for (const [, word] of template.matchAll(/\{([^{}]*)\}/g)) {
    if (known.has(word ?? '')) continue;
    throw new WebfarerError('job-invalid', `unknown placeholder {${word}} in the name ${template}`, {
      next: `The placeholders are ${placeholders.map((name) => `{${name}}`).join(' ')}`,
    });
  }
  return (capture) => {
    const values = { ...valuesOf(capture), ...(ext !== undefined && { ext }) };
    const text = template.replace(/\{(\w+)\}/g, (_, word: Placeholder) => values[word]);
    const segments = text.split('/').filter((part) => part !== '');
    return joinSafely(segments, values);
  };
}

/** `name.html` with something in front of the extension that only this URL has. */
export function withHash(name: string, url: string, round: number): string {
  const slash = name.lastIndexOf('/') + 1;
  const dot = name.lastIndexOf('.');
  const stem = dot > slash ? name.slice(slash, dot) : name.slice(slash);
  const ext = dot > slash ? name.slice(dot) : '';
  const hash = shortHash(round === 0 ? url : `${url}\n${round}`);
  return `${name.slice(0, slash)}${cut(stem, maxSegmentBytes - ext.length - 13)}~${hash}${ext}`;
}

/** 12 letters and digits, 60 bits. */
export function shortHash(text: string): string {
  return base32(createHash('sha256').update(text).digest().subarray(0, 8)).slice(0, 12).toLowerCase();
}

function valuesOf({
  entry,
  page,
  mime,
}: Pick<Capture, 'entry' | 'page' | 'mime'>): Record<Placeholder, string> {
  const [, scheme = '', authority = '', path = '', query = ''] =
    /^(\w+):\/\/([^/?#]*)([^?#]*)(?:\?([^#]*))?/.exec(entry.url) ?? [];
  const [, host = '', port = ''] = /^(?:.*@)?(\[[^\]]*\]|[^:]*):?(\d*)$/.exec(authority) ?? [];
  const folders = path.split('/').map((part) => one(decoded(part)));
  const last = folders.pop() || 'index';
  return {
    scheme,
    host: host.replace(/[[\]]/g, '').replaceAll(':', '-'),
    port: port || (scheme === 'https' ? '443' : '80'),
    path: [...folders, last].filter((part) => part !== '').join('/'),
    query: one(decoded(query)),
    hash: shortHash(entry.url),
    ext: extensionFor(mime, last),
    date: new Date(page.startedAtMs).toISOString().slice(0, 10),
    label: one(entry.label ?? ''),
    depth: String(entry.depth),
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** One value never spans segments. */
function one(text: string): string {
  return text.replace(/[/\\]/g, '_');
}

function joinSafely(segments: string[], values: Record<Placeholder, string>): string {
  const file = segments.pop() ?? 'index';
  const folders = segments.map((part) => safeSegment(part, ''));
  const name = safeSegment(file, values.ext);
  const whole = [...folders, name].join('/');
  if (segments.length < maxSegments && Buffer.byteLength(whole) <= maxNameBytes) return whole;
  return `${folders[0] ?? 'long'}/long~${values.hash}.${values.ext}`;
}

/** One segment made harmless; with `ext` it is a file's name and ends in it. */
export function safeSegment(text: string, ext: string, maxBytes = maxSegmentBytes): string {
  let name = text
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}\p{M}._\-+,=@()~]+/gu, '_')
    // Not hidden, not an option of a command, not `..`; nothing that Windows drops from the end.
    .replace(/^[.\-~\p{M}]+/u, '_')
    .replace(/\.+$/, '_');
  if (isDeviceName(name)) name = `_${name}`;
  if (ext === '') return cut(name, maxBytes) || '_';
  const end = `.${ext}`;
  const stem = name.toLowerCase().endsWith(end) ? name.slice(0, -end.length) : name;
  return `${cut(stem, maxBytes - end.length) || '_'}${name.slice(stem.length) || end}`;
}

/** Whole characters only. The cut may bare a trailing dot again. */
function cut(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  let bytes = 0;
  let kept = '';
  for (const char of text) {
    bytes += Buffer.byteLength(char);
    if (bytes > maxBytes) break;
    kept += char;
  }
  return kept.replace(/\.+$/, '_');
}
