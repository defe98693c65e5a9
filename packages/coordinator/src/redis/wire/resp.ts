/** What Redis answers. Text: on a connection in UTF-8, other bytes come out as replacement characters. */
export type Reply = string | number | null | Reply[] | ReplyError;

/** An error answer as a value, because in a pipeline each command has an answer of its own. */
export class ReplyError {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
  /** The first word, such as `MOVED` or `LOADING`. */
  get code(): string {
    const space = this.text.indexOf(' ');
    return space < 0 ? this.text : this.text.slice(0, space);
  }
}

/** How text stands on the wire: as UTF-8, or a byte for each character, which any bytes survive. */
export type WireEncoding = 'utf8' | 'latin1';

export type Command = readonly (string | number)[];

/** All commands of a pipeline in one buffer, for one write. */
export function encode(commands: readonly Command[], encoding: WireEncoding = 'utf8'): Buffer {
  let text = '';
  for (const command of commands) {
    text += `*${command.length}\r\n`;
    for (const part of command) {
      const word = typeof part === 'string' ? part : String(part);
      text += `$${encoding === 'utf8' ? byteLength(word) : word.length}\r\n${word}\r\n`;
    }
  }
  return Buffer.from(text, encoding);
}

/** Most parts are short and ASCII, where looking is faster than asking. */
export function byteLength(text: string): number {
  if (text.length > 64) return Buffer.byteLength(text);
  for (let i = 0; i < text.length; i++) {
    if (text.charCodeAt(i) > 127) return Buffer.byteLength(text);
  }
  return text.length;
}

/** Redis' own limit of a bulk string, and one of ours for a line: beyond them the stream is not RESP. */
const maxBulkBytes = 512 * 1024 * 1024;
const maxLineBytes = 1024 * 1024;
const maxDepth = 32;
const cr = 13;
const lf = 10;

interface OpenArray {
  items: Reply[];
  length: number;
}

/** A bulk string of which a part has arrived, with the two bytes that end it. */
interface OpenBulk {
  bytes: Buffer;
  filled: number;
}

export interface ReplyParser {
  /** Takes what has arrived and hands on every reply that is whole. Throws when the bytes are not RESP2. */
  feed(chunk: Buffer): void;
}

/**
 * Takes replies cut at any byte. Never starts a reply over: arrays that are open wait on a stack, and a long
 * string is copied once into a buffer of its size, so the work is linear in the bytes.
 */
export function replyParser(onReply: (reply: Reply) => void, encoding: WireEncoding = 'utf8'): ReplyParser {
  const open: OpenArray[] = [];
  let bulk: OpenBulk | undefined;
  let rest: Buffer | undefined;

  /** A value is complete: it closes every array it completes. */
  const push = (value: Reply): void => {
    let done = value;
    for (;;) {
      const array = open.at(-1);
      if (array === undefined) return onReply(done);
      array.items.push(done);
      if (array.items.length < array.length) return;
      open.pop();
      done = array.items;
    }
  };

  const fill = (chunk: Buffer, target: OpenBulk): number => {
    const taken = chunk.copy(target.bytes, target.filled);
    target.filled += taken;
    if (target.filled === target.bytes.length) {
      bulk = undefined;
      push(bulkText(target.bytes, 0, target.bytes.length - 2, encoding));
    }
    return taken;
  };

  /** The payload behind a `$` line: answers where it ends, or the chunk's end when more must come. */
  const takeBulk = (chunk: Buffer, start: number, length: number): number => {
    if (length < 0) {
      push(null);
      return start;
    }
    const end = start + length + 2;
    if (end <= chunk.length) {
      push(bulkText(chunk, start, end - 2, encoding));
      return end;
    }
    bulk = { bytes: Buffer.allocUnsafe(length + 2), filled: 0 };
    fill(chunk.subarray(start), bulk);
    return chunk.length;
  };

  const openArray = (length: number): void => {
    if (length < 0) return push(null);
    if (length === 0) return push([]);
    if (open.length >= maxDepth) throw new Error('arrays are nested too deep');
    open.push({ items: [], length });
  };

  /** One line and what belongs to it. */
  const takeLine = (chunk: Buffer, start: number, end: number): number => {
    const type = chunk[start];
    const after = end + 2;
    switch (type) {
      case 36: // $
        return takeBulk(chunk, after, wholeNumber(chunk, start + 1, end, maxBulkBytes));
      case 58: // :
        push(wholeNumber(chunk, start + 1, end, Number.MAX_SAFE_INTEGER));
        return after;
      case 43: // +
        push(chunk.toString('utf8', start + 1, end));
        return after;
      case 42: // *
        openArray(wholeNumber(chunk, start + 1, end, maxBulkBytes));
        return after;
      case 45: // -
        push(new ReplyError(chunk.toString('utf8', start + 1, end)));
        return after;
      default:
        throw new Error(`a reply cannot start with byte ${type}`);
    }
  };

  return {
    feed(arrived) {
      let chunk = arrived;
      if (rest !== undefined) {
        chunk = Buffer.concat([rest, arrived]);
        rest = undefined;
      }
      let at = bulk === undefined ? 0 : fill(chunk, bulk);
      while (at < chunk.length) {
        const end = lineEnd(chunk, at);
        if (end < 0) {
          if (chunk.length - at > maxLineBytes) throw new Error('a line does not end');
          // A copy, so that the few bytes do not keep the whole chunk in memory.
          rest = Buffer.from(chunk.subarray(at));
          return;
        }
        at = takeLine(chunk, at, end);
      }
    },
  };
}

/** Where the line's CR stands, or -1 while its LF is missing. */
function lineEnd(chunk: Buffer, start: number): number {
  const end = chunk.indexOf(lf, start);
  if (end < 0) return -1;
  if (end === start || chunk[end - 1] !== cr) throw new Error('a line ends without CR');
  return end - 1;
}

function bulkText(bytes: Buffer, start: number, end: number, encoding: WireEncoding): string {
  if (bytes[end] !== cr || bytes[end + 1] !== lf) throw new Error('a string does not end where it should');
  return bytes.toString(encoding, start, end);
}

function wholeNumber(bytes: Buffer, start: number, end: number, limit: number): number {
  const negative = bytes[start] === 45;
  let value = 0;
  const first = negative ? start + 1 : start;
  if (first >= end) throw new Error('a number is missing');
  for (let i = first; i < end; i++) {
    const digit = (bytes[i] as number) - 48;
    if (digit < 0 || digit > 9) throw new Error('a number holds something else');
    value = value * 10 + digit;
  }
  if (value > limit) throw new Error('a number is too large');
  return negative ? -value : value;
}
