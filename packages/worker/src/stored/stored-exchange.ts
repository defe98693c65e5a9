import {
  type PageRecord,
  type RenditionKind,
  type SavedAt,
  type Url,
  WebfarerError,
} from '@webfarer/protocol';
import type { Archive, CapturePart, CapturePlace } from '../archive/archive.ts';
import type { Exchange, PictureReader } from '../fetch/fetch.ts';

/** As much of a record as it takes to know an answer again. */
export type StoredFacts = { url: Url } & Partial<
  Pick<
    PageRecord,
    | 'status'
    | 'mime'
    | 'charset'
    | 'startedAtMs'
    | 'durationMs'
    | 'firstByteMs'
    | 'fetched'
    | 'ip'
    | 'tls'
    | 'truncated'
    | 'rendered'
  >
>;

/** An answer as an archive has it. */
export interface Stored {
  /** As it came. */
  exchange: Exchange;
  /** What a browser made of it, where it was shown in one. */
  html: string | undefined;
  picture: PictureReader;
}

/** Of an answer that no browser was shown. */
export const notShown: Pick<Stored, 'html' | 'picture'> = { html: undefined, picture: async () => undefined };

/**
 * The answer that an archive holds. WARC files have its head too; of plain bodies the head is what the record says.
 * `earlier` is asked for what an earlier crawl has captured. Throws WebfarerError `not-found` where the bytes are in
 * neither, and where a browser was shown the page and what it made of it was not kept.
 */
export async function readStored(
  archive: Archive,
  at: SavedAt,
  facts: StoredFacts,
  earlier: (url: Url) => Promise<Stored | undefined> = async () => undefined,
): Promise<Stored> {
  const html = await htmlAt(archive, at);
  const picture: PictureReader = (kind) => renditionAt(archive, at, kind);
  if (html === undefined && facts.rendered && facts.rendered.movedTo === undefined)
    throw new WebfarerError('not-found', `what a browser made of ${facts.url} was not kept`, {
      next: 'WARC archives keep it: save: [warc], which is the default.',
    });
  if (at.saver !== 'warc')
    return { exchange: { ...exchangeOf(facts), body: await bytesOf(archive, at, 'body') }, html, picture };
  const { head, body } = splitHttp(await bytesOf(archive, at, 'block'));
  const own = { ...exchangeOf(facts), ...(head === undefined ? {} : parseHead(head)) };
  if (!at.revisit) return { exchange: { ...own, body }, html, picture };
  const { original } = at.revisit;
  if (original) {
    const first = splitHttp(await bytesOf(archive, original, 'block'));
    return { exchange: { ...own, body: first.body }, html, picture };
  }
  // By its own name: what it refers to may be the capture of another URL, and be something else in the crawls between.
  const before = await earlier(facts.url);
  if (!before)
    throw new WebfarerError('not-found', `the body of ${facts.url} is in the archive of an earlier crawl`, {
      next: 'Keep the folders of a crawl and its recrawls beside each other.',
    });
  // A 304 says nothing of the page; a page that was sent again has headers of its own.
  return own.status === 304 ? before : { exchange: { ...own, body: before.exchange.body }, html, picture };
}

/** The page as it stood in a browser; undefined where the archive has nothing of the kind. */
export async function htmlAt(archive: Archive, at: SavedAt): Promise<string | undefined> {
  return (await renditionAt(archive, at, 'dom'))?.toString();
}

async function renditionAt(
  archive: Archive,
  { file, offset = 0, renditions }: SavedAt,
  wanted: RenditionKind,
): Promise<Buffer | undefined> {
  const found = renditions?.find(({ kind }) => kind === wanted);
  if (!found) return undefined;
  return await bytesOf(archive, { file, offset: offset + found.after, length: found.length }, 'body');
}

async function bytesOf(archive: Archive, at: CapturePlace, part: CapturePart): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of archive.read(at, part)) pieces.push(piece);
  return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
}

function exchangeOf(facts: StoredFacts): Exchange {
  const { url, status = 200, mime, charset, startedAtMs = 0, durationMs = 0 } = facts;
  const type = mime === undefined ? [] : [`${mime}${charset === undefined ? '' : `; charset=${charset}`}`];
  return {
    url,
    status,
    statusText: '',
    headers: type.map((value) => ['Content-Type', value]),
    requestHead: '',
    body: Buffer.alloc(0),
    unread: false,
    startedAtMs,
    durationMs,
    ...(facts.firstByteMs === undefined ? {} : { firstByteMs: facts.firstByteMs }),
    ...(facts.fetched === undefined ? {} : { phases: facts.fetched }),
    ...(facts.ip === undefined ? {} : { ip: facts.ip }),
    ...(facts.tls === undefined ? {} : { tls: facts.tls }),
    ...(facts.truncated === undefined ? {} : { truncated: facts.truncated }),
  };
}

/** An HTTP message; a block without a head is a body. */
export function splitHttp(block: Buffer): { head: string | undefined; body: Buffer } {
  const end = block.subarray(0, 5).equals(Buffer.from('HTTP/')) ? block.indexOf('\r\n\r\n') : -1;
  if (end < 0) return { head: undefined, body: block };
  return { head: block.toString('latin1', 0, end), body: block.subarray(end + 4) };
}

/** Headers that our archives keep under another name, because they are not true of the stored bytes. */
const renamed = /^x-crawler-(?=transfer-encoding$|content-length$)/i;

function parseHead(head: string): Pick<Exchange, 'status' | 'statusText' | 'headers'> {
  const [first = '', ...lines] = head.split('\r\n');
  const [, status, statusText = ''] = /^HTTP\/[\d.]+ (\d{3}) ?(.*)$/.exec(first) ?? [];
  const headers = lines.flatMap((line): [string, string][] => {
    const colon = line.indexOf(':');
    return colon < 1 ? [] : [[line.slice(0, colon).replace(renamed, ''), line.slice(colon + 1).trim()]];
  });
  return { status: Number(status ?? 200), statusText, headers };
}
