/**
 * Collects bytes that arrive in pieces, up to a limit. What grows large lies in one block of its own that grows in
 * place: no piece is kept, nothing is copied twice, and the memory goes back to the system at once when it is freed.
 * Left to the garbage collector, a few hostile servers could fill the memory with bodies nobody needs any more.
 */
export interface GrowingBytes {
  readonly length: number;
  /** Keeps what there is room for. False when that was not all of it. */
  add(piece: Buffer): boolean;
  take(): Buffer;
  /** The bytes are no longer needed: a large body that was taken is empty from now on. */
  free(): void;
}

/** Smaller ones are cheapest as a list of pieces. */
const largeBytes = 262_144;
const stepBytes = 1_048_576;

export function createGrowingBytes(limit: number): GrowingBytes {
  let pieces: Buffer[] = [];
  let length = 0;
  let block: ArrayBuffer | undefined;

  function write(piece: Buffer, to: ArrayBuffer, at: number): void {
    const needed = at + piece.length;
    if (to.byteLength < needed) to.resize(Math.min(limit, Math.ceil(needed / stepBytes) * stepBytes));
    new Uint8Array(to, at, piece.length).set(piece);
  }

  function moveToBlock(): void {
    block = new ArrayBuffer(0, { maxByteLength: limit });
    let at = 0;
    for (const piece of pieces) {
      write(piece, block, at);
      at += piece.length;
    }
    pieces = [];
  }

  return {
    get length() {
      return length;
    },
    add(piece) {
      const kept = piece.length > limit - length ? piece.subarray(0, limit - length) : piece;
      if (block) write(kept, block, length);
      else pieces.push(kept);
      length += kept.length;
      if (!block && length > largeBytes) moveToBlock();
      return kept === piece;
    },
    take() {
      if (block) return Buffer.from(block, 0, length);
      return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces, length);
    },
    free() {
      pieces = [];
      block?.resize(0);
    },
  };
}

/** Bytes that stay when what they came from is freed. */
export function lastingBytes(bytes: Buffer): Buffer {
  return bytes.buffer instanceof ArrayBuffer && bytes.buffer.resizable ? Buffer.from(bytes) : bytes;
}
