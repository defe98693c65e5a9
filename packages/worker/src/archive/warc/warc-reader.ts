import type { OpenBytes } from '../bytes/byte-source.ts';
import { ByteWindow } from '../bytes/byte-window.ts';
import { inflateMember } from '../bytes/gzip-reader.ts';
import { fieldOf, maxHeadBytes, parseHead, type WarcHead } from './record-head.ts';
import { WarcProblem } from '../bytes/warc-problem.ts';

/** One record as it is read. The block can be read once, and is skipped where it is not. */
export interface WarcRecord extends WarcHead {
  /** Of the record, or of its gzip member, in the file. */
  offset: number;
  type: string;
  /** First value of a field, whatever its case. */
  field(name: string): string | undefined;
  block(): AsyncGenerator<Buffer>;
  /** Skips what was not read of the block and checks the end. Resolves with the record's length in the file. */
  finish(): Promise<number>;
}

export interface ReadWarcOptions {
  /** Where to begin: the offset of a record. */
  from?: number;
  /** Where to stop, for a WARC file inside another file. */
  to?: number;
}

/**
 * The records of a WARC file, gzipped or not, in order. Strict: lengths are obeyed and never guessed, a
 * gzip member holds exactly one record, and nothing may stand between records. Throws a WarcProblem at
 * the first thing that is otherwise.
 */
export async function* readWarc(from: OpenBytes, options: ReadWarcOptions = {}): AsyncGenerator<WarcRecord> {
  const window = await ByteWindow.open(from, options.from ?? 0, options.to);
  try {
    const gzipped = (await window.see(2)).subarray(0, 2).equals(Buffer.from([0x1f, 0x8b]));
    const whole = gzipped ? undefined : new Pieces(plainPieces(window));
    const base = window.position;
    for (;;) {
      const offset = whole ? base + whole.consumed : window.position;
      if (offset >= window.end) return;
      const pieces = whole ?? new Pieces(inflateMember(window));
      const record = await openRecord(pieces, offset, async () => {
        if (whole) return base + whole.consumed - offset;
        if (!(await pieces.atEnd()))
          throw new WarcProblem(offset, 'the gzip member holds more than one record');
        return window.position - offset;
      });
      yield record;
      await record.finish();
    }
  } finally {
    await window.close();
  }
}

async function* plainPieces(window: ByteWindow): AsyncGenerator<Buffer> {
  for (let piece = await window.take(65_536); piece; piece = await window.take(65_536)) yield piece;
}

async function openRecord(pieces: Pieces, offset: number, close: () => Promise<number>): Promise<WarcRecord> {
  const head = parseHead(await pieces.until(offset), offset);
  let left = head.contentLength;
  let length: number | undefined;
  async function* block(): AsyncGenerator<Buffer> {
    while (left > 0) {
      const piece = await pieces.take(left);
      if (!piece) throw new WarcProblem(offset, `${left} bytes of the block are missing`, true);
      left -= piece.length;
      yield piece;
    }
  }
  return {
    ...head,
    offset,
    type: fieldOf(head.fields, 'warc-type') ?? '',
    field: (name) => fieldOf(head.fields, name),
    block,
    async finish() {
      if (length !== undefined) return length;
      for await (const _ of block());
      await pieces.expectEnd(offset);
      length = await close();
      return length;
    },
  };
}

/** Bytes that arrive in pieces, taken in other pieces. */
class Pieces {
  readonly #source: AsyncGenerator<Buffer>;
  #held: Buffer = Buffer.alloc(0);
  consumed = 0;

  constructor(source: AsyncGenerator<Buffer>) {
    this.#source = source;
  }

  async #more(): Promise<boolean> {
    const { done, value } = await this.#source.next();
    if (done) return false;
    this.#held = this.#held.length === 0 ? value : Buffer.concat([this.#held, value]);
    return true;
  }

  async take(max: number): Promise<Buffer | undefined> {
    while (this.#held.length === 0) if (!(await this.#more())) return undefined;
    const piece = this.#held.subarray(0, max);
    this.#held = this.#held.subarray(piece.length);
    this.consumed += piece.length;
    return piece;
  }

  /** Everything up to and with the first empty line. */
  async until(offset: number): Promise<Buffer> {
    for (;;) {
      const at = this.#held.indexOf('\r\n\r\n');
      if (at >= 0) return (await this.take(at + 4)) ?? Buffer.alloc(0);
      if (this.#held.length > maxHeadBytes)
        throw new WarcProblem(offset, 'the header of the record does not end');
      const first = this.#held.toString('latin1', 0, 5);
      if (!'WARC/'.startsWith(first)) throw new WarcProblem(offset, 'no record begins here');
      if (!(await this.#more())) throw new WarcProblem(offset, 'the header of the record is truncated', true);
    }
  }

  /** The two line ends behind each block. */
  async expectEnd(offset: number): Promise<void> {
    while (this.#held.length < 4) if (!(await this.#more())) break;
    const end = this.#held.subarray(0, 4);
    if (!end.equals(Buffer.from('\r\n\r\n'))) {
      throw new WarcProblem(offset, 'the length of the block does not match Content-Length', end.length < 4);
    }
    await this.take(4);
  }

  async atEnd(): Promise<boolean> {
    while (this.#held.length === 0) if (!(await this.#more())) return true;
    return false;
  }
}
