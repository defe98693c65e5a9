/**
 * Collects bytes that arrive in pieces, up to a limit. What grows large lies in one block from early on: the pieces
 * are free again at once, a block that became too small is given back when the next one is made, and no second copy is
 * needed at the end.
 */
export interface GrowingBytes {
  readonly length: number;
  /** Keeps what there is room for. False when that was not all of it. */
  add(piece: Buffer): boolean;
  take(): Buffer;
}

/** Smaller ones are cheapest as a list of pieces. */
const largeBytes = 262_144;

/** `expected`: how long it is said to become, where somebody said so. Nobody is believed beyond the limit. */
export function createGrowingBytes(limit: number, expected?: () => number | undefined): GrowingBytes {
  let pieces: Buffer[] = [];
  let length = 0;
  let block: ArrayBuffer | undefined;

  function write(piece: Buffer, at: number): void {
    const needed = at + piece.length;
    if (!block) {
      const said = expected?.() ?? 0;
      block = new ArrayBuffer(Math.min(limit, Math.max(said, needed * 2)));
    } else if (block.byteLength < needed) {
      block = block.transfer(Math.min(limit, needed * 2));
    }
    new Uint8Array(block, at, piece.length).set(piece);
  }

  return {
    get length() {
      return length;
    },
    add(piece) {
      const kept = piece.length > limit - length ? piece.subarray(0, limit - length) : piece;
      if (block) write(kept, length);
      else pieces.push(kept);
      length += kept.length;
      if (!block && length > largeBytes) {
        let at = 0;
        for (const early of pieces) {
          write(early, at);
          at += early.length;
        }
        pieces = [];
      }
      return kept === piece;
    },
    take() {
      if (block) return Buffer.from(block, 0, length);
      return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces, length);
    },
  };
}
