import { createRequire } from 'node:module';
import { isAscii, isUtf8 } from 'node:buffer';
import { normalizeEncoding, TextDecoder } from '@exodus/bytes/encoding.js';
import sniff from 'html-encoding-sniffer';
import { scanHtml } from './html-scanner.ts';
import { nextTurn } from './turns.ts';

export interface CharsetHints {
  /** The charset parameter of the Content-Type header. */
  label?: string | undefined;
  xml?: boolean;
}

/** The detector costs 0.4 ms per kilobyte, and says as much about the first 16 as about all of them. */
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
  return isWellFormedUtf8(body) ? 'utf-8' : guess(body);
}

/** A body that was cut may end within a character. */
function isWellFormedUtf8(body: Buffer): boolean {
  if (isUtf8(body)) return true;
  const tail = body.subarray(-3).findLastIndex((byte) => byte >= 0xc0);
  if (tail < 0) return false;
  return isUtf8(body.subarray(0, body.length - Math.min(3, body.length) + tail));
}

const load = createRequire(import.meta.url);

/** Names the detector has for encodings that the standard knows by another. */
const standardNames = new Map([
  ['big5hkscs', 'big5'],
  ['cp874', 'windows-874'],
  ['cp932', 'shift_jis'],
  ['cp949', 'euc-kr'],
  ['cp950', 'big5'],
  ['euc-jis-2004', 'euc-jp'],
  ['mac-cyrillic', 'x-mac-cyrillic'],
  ['mac-roman', 'macintosh'],
  ['maccyrillic', 'x-mac-cyrillic'],
  ['macroman', 'macintosh'],
  ['shift_jis_2004', 'shift_jis'],
]);

/** Known by other means, or never shown by a browser. */
const notGuessed = new Set(['utf-8', 'utf-16le', 'utf-16be', 'replacement']);

/** Less likely than this, and it is what pages without a name mostly are. */
const minimumThreshold = 0.1;

function guess(body: Buffer): string {
  try {
    // Loaded when it is first needed: most pages say what they are, and it would slow every start.
    const { detectAll } = load('jschardet') as typeof import('jschardet');
    const text = speech(body);
    for (const { encoding } of detectAll(text, { minimumThreshold })) {
      const name = normalizeEncoding(standardNames.get(encoding?.toLowerCase() ?? '') ?? encoding ?? '');
      if (name !== null && !notGuessed.has(name) && !hasControls(text, name)) return name;
    }
  } catch {
    // The detector cannot make anything of it.
  }
  return 'windows-1252';
}

/** ISO 8859 has control characters where Windows has letters and quotation marks, and no page is written with those. */
function hasControls(text: Buffer, charset: string): boolean {
  return charset.startsWith('iso-8859') && text.some((byte) => byte >= 0x80 && byte <= 0x9f);
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
