import { basename } from 'node:path';
import type { PageRecord, SavedRendition, Url } from '@webfarer/protocol';
import { renditionUri } from '@webfarer/protocol/crawl';
import { methodOf, requestSuffix, surt, targetOf } from '@webfarer/protocol/url';
import { type SortOptions, writeSortedLines } from './sorted-lines.ts';

/**
 * The index of an archive, made from committed records only: it lists exactly what the crawl stands for,
 * though the files may also hold captures whose outcome a crash took away.
 */
export async function writeCdxj(
  records: AsyncIterable<PageRecord>,
  file: string,
  options: SortOptions = {},
): Promise<{ lines: number }> {
  return writeSortedLines(linesOf(records), file, options);
}

async function* linesOf(records: AsyncIterable<PageRecord>): AsyncGenerator<string> {
  for await (const record of records) yield* cdxjLines(record);
}

/** The lines of a page's captures: its own, and those of what it loaded. */
export function cdxjLines(record: PageRecord): string[] {
  const own = captureLines(record);
  return record.resources === undefined ? own : [...own, ...record.resources.flatMap(captureLines)];
}

type Captured = Pick<PageRecord, 'url' | 'startedAtMs' | 'status' | 'digest' | 'mime' | 'saved'>;

/**
 * The line of a capture, if it is in a WARC file. A revisit brings the line of the capture it
 * refers to as well: should a crash have taken that capture's own outcome away, it can still be replayed.
 * Otherwise both lines are the same, and the index holds one of them.
 */
function captureLines(record: Captured): string[] {
  const at = record.saved?.find((saved) => saved.saver === 'warc');
  if (at?.offset === undefined || at.length === undefined) return [];
  const { url, startedAtMs, status, digest } = record;
  const { revisit } = at;
  const place = { file: at.file, offset: at.offset, length: at.length };
  const mime = revisit ? 'warc/revisit' : record.mime;
  const own = captureLine({ url, startedAtMs, mime, status, digest: revisit?.digest ?? digest, place });
  const more = at.renditions?.map((rendition) => renditionLine(record, place, rendition)) ?? [];
  if (!revisit?.original) return [own, ...more];
  const { original } = revisit;
  return [
    own,
    ...more,
    captureLine({
      url: revisit.url,
      startedAtMs: revisit.startedAtMs,
      mime: original.mime,
      status: original.status,
      digest: revisit.digest,
      place: original,
    }),
  ];
}

export interface Indexed {
  url: Url;
  startedAtMs: number;
  mime: string | undefined;
  status: number | undefined;
  digest: string | undefined;
  place: { file: string; offset: number; length: number };
}

/** `org,example)/ 20250102030405 {"url": …}` */
export function captureLine({ url, startedAtMs, mime, status, digest, place }: Indexed): string {
  // A form of a page that a browser made is filed under its name.
  if (url.startsWith('urn:')) return renditionIn({ url, startedAtMs, mime, digest, place });
  const method = methodOf(url);
  const fields = {
    url: targetOf(url),
    ...(method === 'GET' ? {} : { method }),
    mime: mime || 'unk',
    ...(status !== undefined && { status: String(status) }),
    ...(digest !== undefined && { digest }),
    ...placeFields(place),
  };
  return keyed(surt(method === 'GET' ? url : asQuery(url)), startedAtMs, fields);
}

/** What is no web address is filed under what it is. */
function renditionLine(
  { url, startedAtMs }: Captured,
  { file, offset }: Indexed['place'],
  { kind, mime, after, length, digest }: SavedRendition,
): string {
  const uri = renditionUri(kind, targetOf(url));
  return renditionIn({
    url: uri,
    startedAtMs,
    mime,
    digest,
    place: { file, offset: offset + after, length },
  });
}

function renditionIn({
  url,
  startedAtMs,
  mime,
  digest,
  place,
}: Omit<Indexed, 'status' | 'url'> & { url: string }) {
  const fields = { url, mime: mime || 'unk', status: '200', ...(digest !== undefined && { digest }) };
  return keyed(url, startedAtMs, { ...fields, ...placeFields(place) });
}

/** Numbers as text: some replay tools compare them as text and fail on anything else. */
function placeFields({ file, offset, length }: Indexed['place']): Record<string, string> {
  return { length: String(length), offset: String(offset), filename: basename(file) };
}

function keyed(key: string, startedAtMs: number, fields: Record<string, string>): string {
  const stamp = new Date(startedAtMs).toISOString().replace(/\D/g, '').slice(0, 14);
  return ascii(`${key} ${stamp} ${JSON.stringify(fields)}`);
}

/** A place of its own beside the GET of the same URL, as replay tools ask for it by method. */
function asQuery(url: Url): Url {
  const target = targetOf(url);
  const [method, digest] = requestSuffix(url).slice(1).split('.');
  return `${target}${target.includes('?') ? '&' : '?'}__wb_method=${method}&__wb_request=${digest}` as Url;
}

/** Byte order and string order are the same in ASCII, and no reader has to guess a charset. */
function ascii(text: string): string {
  return text.replace(/[\u0080-\uffff\u007f]/g, (char) => {
    return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
