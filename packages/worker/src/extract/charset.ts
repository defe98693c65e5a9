import { isAscii, isUtf8 } from 'node:buffer';
import { normalizeEncoding, TextDecoder } from '@exodus/bytes/encoding.js';
import sniff from 'html-encoding-sniffer';
import { detectCharset } from './detector/detect-charset.ts';
import { usualDomain } from './detector/usual-domain.ts';
import { scanHtml } from './html-scanner.ts';
import { nextTurn } from './turns.ts';

export interface CharsetHints {
  /** The charset parameter of the Content-Type header. */
  label?: string | undefined;
  xml?: boolean;
  /** Where the page was found: pages of a country have their usual encodings. */
  url?: string;
}

/** As much text is given to the detector. */
const detectBytes = 16_384;
const prescanBytes = 16_384;
/** How far into a page its first words are looked for. */
const speechBytes = 262_144;

/** The encoding of a page, as a lower-case name of the Encoding standard. */
export function charsetOf(body: Buffer, hints: CharsetHints = {}): string {
  const label =
    hints.label === undefined ? undefined : normalizeEncoding(hints.label.replace(/^["']|["']$/g, ''));
  const declared = sniff(body, {
    ...(hints.xml ? { xml: true } : { maxPrescanBytes: prescanBytes }),
    ...(label == null ? {} : { transportLayerEncodingLabel: label }),
    defaultEncoding: '',
  });
  if (declared !== '') return declared.toLowerCase();
  return isWellFormedUtf8(body) ? 'utf-8' : guess(body, hints.url);
}

/** A body that was cut may end within a character. */
function isWellFormedUtf8(body: Buffer): boolean {
  if (isUtf8(body)) return true;
  const tail = body.subarray(-3).findLastIndex((byte) => byte >= 0xc0);
  if (tail < 0) return false;
  return isUtf8(body.subarray(0, body.length - Math.min(3, body.length) + tail));
}

function guess(body: Buffer, url: string | undefined): string {
  const domain = usualDomain(body.toString('latin1', 0, prescanBytes), url);
  const text = speech(body);
  const found = hasLetters(text) ? detectCharset(text, domain) : 'windows-1252';
  // Lithuanian and Latvian have few letters beyond ASCII, and the detector takes short texts for western ones.
  return found === 'windows-1252' && baltic.has(domain) ? 'windows-1257' : found;
}

/** Where both read alike in a text, the signs and accents that western pages there have are the same. */
const baltic = new Set(['lt', 'lv']);

/**
 * Beyond ASCII. A byte that stands alone is a sign such as £ or », and the same in most encodings that have it; the
 * detector would take it for a rare letter of some language.
 */
function hasLetters(text: Buffer): boolean {
  const isPart = (byte = 0): boolean => byte >= 0x80 || /[a-z]/i.test(String.fromCharCode(byte));
  return text.some((byte, at) => byte >= 0x80 && (isPart(text[at - 1]) || isPart(text[at + 1])));
}

/** What people would read, from where it stops being ASCII: markup and scripts only blur the guess. */
function speech(body: Buffer): Buffer {
  const page = body.toString('latin1', 0, speechBytes);
  let text = '';
  let spoken = false;
  const handler = {
    open: () => false,
    attribute() {},
    opened() {},
    close() {},
    isForeign: () => false,
    raw: () => {},
    text(start: number, end: number) {
      if (text.length >= detectBytes) return;
      const piece = page.slice(start, Math.min(end, start + detectBytes));
      spoken ||= /[^\0-\x7f]/.test(piece);
      if (spoken) text += `${piece} `;
    },
  };
  scanHtml(page, handler, { xml: false });
  // Where only attributes or scripts go beyond ASCII, they are all there is to go by.
  return spoken ? Buffer.from(text.slice(0, detectBytes), 'latin1') : body.subarray(0, detectBytes);
}

// allow(state): decoders by their names, which hold nothing between calls
const decoders = new Map<string, InstanceType<typeof TextDecoder>>();

/** The text of a page. Malformed bytes become U+FFFD, as in a browser; a BOM is dropped. */
export function decodeText(body: Buffer, charset: string): string {
  if (charset === 'utf-8') {
    // One byte per character in memory, and quicker to read afterwards.
    if (isAscii(body)) return body.toString('latin1');
    return body.toString('utf8', body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? 3 : 0);
  }
  let decoder = decoders.get(charset);
  if (!decoder) {
    try {
      decoder = new TextDecoder(charset);
    } catch {
      decoder = new TextDecoder('windows-1252');
    }
    decoders.set(charset, decoder);
  }
  return decoder.decode(body);
}

/** What is decoded before others have their turn. */
const sliceBytes = 65_536;

/** The same as `decodeText` for a body of megabytes. */
export async function decodeLargeText(body: Buffer, charset: string): Promise<string> {
  if (body.length <= sliceBytes || (charset === 'utf-8' && isAscii(body))) return decodeText(body, charset);
  const decode = textSlices(charset);
  let text = '';
  for (let at = 0; at < body.length; at += sliceBytes) {
    text += decode(body.subarray(at, at + sliceBytes), at + sliceBytes >= body.length);
    await nextTurn();
  }
  return text;
}

/** Decodes a text piece by piece; characters that a cut goes through come out whole in the next piece. */
export function textSlices(charset: string): (piece: Buffer, last: boolean) => string {
  const decoder = streamDecoder(charset);
  return (piece, last) => decoder.decode(piece, { stream: !last });
}

function streamDecoder(charset: string): { decode(piece: Buffer, options: { stream: boolean }): string } {
  // The platform's own is several times quicker, and in UTF-8 not different.
  if (charset === 'utf-8') return new globalThis.TextDecoder();
  try {
    return new TextDecoder(charset);
  } catch {
    return new TextDecoder('windows-1252');
  }
}
