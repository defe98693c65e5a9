import type { PageRecord, ScreenshotKind } from '@webfarer/protocol';
import { screenshotKinds } from '@webfarer/protocol/crawl';
import type { Client } from '../api/client.ts';
import { type Capture, captureIn, joined, unpacked, warcRecordIn } from './capture.ts';
import { textIn } from './plain-text.ts';

type Saved = NonNullable<PageRecord['saved']>[number];

/** Packed bytes that are read for a preview, at most, and characters that are shown. */
const mostRead = 8_000_000;
const mostUnpacked = 16_000_000;
const mostShown = 200_000;

/** Why there is nothing to see of what was saved. */
export type Hidden =
  | { why: 'earlier' | 'noPicture' }
  | { why: 'shared'; file: string }
  | { why: 'member'; member: string; file: string }
  | { why: 'saver'; saver: string }
  | { why: 'large'; bytes: number };

export interface ShownText {
  text: string | undefined;
  isCut: boolean;
}

export interface SavedPage {
  line: string;
  headers: Capture['headers'];
  source: ShownText;
  /** The page as a browser drew it; undefined: none did, or its form is not kept here. */
  drawn: ShownText | undefined;
  /** The body is that of an earlier capture, as the archive says. */
  isRevisit: boolean;
}

/** What of a record can be previewed. */
export function previewsOf({ saved = [] }: Pick<PageRecord, 'saved'>): {
  page: Saved | undefined;
  markdown: Saved | undefined;
  screenshot: Saved | undefined;
} {
  const by = (saver: string) => saved.find((one) => one.saver === saver);
  return {
    page: by('warc') ?? by('files') ?? saved.find(({ saver }) => saver !== 'markdown'),
    markdown: by('markdown'),
    screenshot: saved.find((one) => pictureIn(one) !== undefined),
  };
}

/** The first of its pictures, the one that shows most at a glance. */
export const pictureIn = ({ renditions = [] }: Saved) =>
  screenshotKinds
    .flatMap((kind) => renditions.flatMap((one) => (one.kind === kind ? [{ ...one, kind }] : [])))
    .at(0);

/** Undefined: it can be read here. */
export function hiddenWhy({ saver, shared, file, length }: Saved): Hidden | undefined {
  if (shared) return { why: 'shared', file };
  if (!['warc', 'files', 'markdown'].includes(saver)) return { why: 'saver', saver };
  return length !== undefined && length > mostRead ? { why: 'large', bytes: length } : undefined;
}

interface Place {
  client: Client;
  crawl: string;
  charset: string | undefined;
}

/** Head and body of the answer, from an archive or from a file of its own. */
export async function readPage(saved: Saved, place: Place): Promise<SavedPage | Hidden> {
  const { charset } = place;
  if (saved.saver === 'files') {
    const bytes = await readPart(place, saved.file, 0, Math.min(saved.length ?? mostRead, mostRead));
    return { line: '', headers: [], source: shown(bytes, charset), drawn: undefined, isRevisit: false };
  }
  const capture = await captureAt(saved, place);
  const original = saved.revisit?.original;
  const holder = original ? await captureAt(original, place) : undefined;
  if (!capture) return { why: 'saver', saver: saved.saver };
  const { line, headers } = capture;
  const drawn = await readDrawn(saved, place);
  if (saved.revisit && !holder) return { line, headers, source: nothing, drawn, isRevisit: true };
  const { headers: named, body } = holder ?? capture;
  const plain = isCoded(named) ? await readBody(original ?? saved, place) : body;
  return { line, headers, source: shown(plain, charset), drawn, isRevisit: holder !== undefined };
}

const nothing: ShownText = { text: undefined, isCut: false };

export async function readMarkdown(saved: Saved, place: Place): Promise<ShownText> {
  const { bytes, text } = await readText(saved, place, mostRead);
  const isCut = text.length > mostShown || bytes > mostRead;
  // Never half of a character.
  return { text: text.slice(0, mostShown).toWellFormed(), isCut };
}

/** The whole text, however long it is. */
export async function readWholeText(saved: Saved, place: Place): Promise<string> {
  return (await readText(saved, place, Number.POSITIVE_INFINITY)).text;
}

/** A file of its own, or one line of many. */
async function readText(
  { file, offset, length }: Saved,
  place: Place,
  most: number,
): Promise<{ bytes: number; text: string }> {
  const bytes = length ?? mostRead;
  const read = await readPart(place, file, offset ?? 0, Math.min(bytes, most));
  const text = new TextDecoder().decode(read);
  if (offset === undefined) return { bytes, text };
  const { markdown, text: plain } = JSON.parse(text) as { markdown?: string; text?: string };
  return { bytes, text: markdown ?? plain ?? '' };
}

export interface SavedPicture {
  file: Blob;
  kind: ScreenshotKind;
  mime: string;
}

/** A picture of the page, from the record of its own behind the capture. */
export async function readScreenshot(saved: Saved, place: Place): Promise<SavedPicture | Hidden> {
  const picture = pictureIn(saved);
  if (!picture || saved.offset === undefined) return { why: 'noPicture' };
  const { kind, mime, after, length } = picture;
  // The page itself may be larger than what is read for a preview.
  const hidden = hiddenWhy({ ...saved, length });
  if (hidden) return hidden;
  if (!/^image\/(png|jpeg|webp)$/.test(mime)) return { why: 'noPicture' };
  const block = await blockAt({ file: saved.file, offset: saved.offset + after, length }, place);
  if (!block) return { why: 'noPicture' };
  return { file: new Blob([block as Uint8Array<ArrayBuffer>], { type: mime }), kind, mime };
}

/** The document after its scripts, from the record of its own behind the capture. */
async function readDrawn(
  { file, offset, renditions = [] }: Saved,
  place: Place,
): Promise<ShownText | undefined> {
  const dom = renditions.find(({ kind }) => kind === 'dom');
  if (!dom || offset === undefined || dom.length > mostRead) return undefined;
  const block = await blockAt({ file, offset: offset + dom.after, length: dom.length }, place);
  return block && shown(block, undefined);
}

interface RecordPlace {
  file: string;
  offset: number;
  length: number;
}

/** What a record of an archive holds. */
async function blockAt({ file, offset, length }: RecordPlace, place: Place): Promise<Uint8Array | undefined> {
  const packed = await readPart(place, file, offset, length);
  const { bytes } = await unpacked(packed, { format: 'gzip', most: mostUnpacked });
  return warcRecordIn(bytes)?.block;
}

async function captureAt(
  { file, offset, length }: Pick<Saved, 'file' | 'offset' | 'length'>,
  place: Place,
): Promise<Capture | undefined> {
  if (offset === undefined || length === undefined) return undefined;
  const block = await blockAt({ file, offset, length }, place);
  return block && captureIn(block);
}

/** Whether the body is still packed as the site sent it. */
const isCoded = (headers: Capture['headers']): boolean =>
  headers.some(
    ([name, value]) => name.toLowerCase() === 'content-encoding' && !/^(identity)?$/i.test(value.trim()),
  );

/** Browsers do not undo every packing for scripts; the coordinator does. */
async function readBody(
  { file, offset = 0 }: Pick<Saved, 'file' | 'offset'>,
  { client, crawl }: Place,
): Promise<Uint8Array> {
  return await whole((await client.readCapture({ params: { crawl, file }, query: { offset } })).bytes);
}

function shown(bytes: Uint8Array, charset: string | undefined): ShownText {
  const text = textIn(bytes.subarray(0, mostShown), charset);
  return { text, isCut: bytes.length > mostShown };
}

async function readPart(
  { client, crawl }: Place,
  file: string,
  first: number,
  length: number,
): Promise<Uint8Array> {
  const range = { first, last: first + length - 1 };
  return await whole((await client.downloadFile({ params: { crawl, file }, range })).bytes);
}

async function whole(bytes: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of bytes) pieces.push(piece);
  return joined(pieces);
}
