/** Bytes that are left for a page. Each taker may have only a share of them, so that the last is not left without. */
export class Budget {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** As many of the pieces, from the first on, as fit into the share. */
  take<T extends { html: string }>(pieces: Iterable<T>, share: number): T[] {
    const room = this.#left * share;
    const kept: T[] = [];
    let used = 0;
    for (const piece of pieces) {
      const size = Buffer.byteLength(piece.html);
      if (used + size > room) break;
      used += size;
      kept.push(piece);
    }
    this.#left -= used;
    return kept;
  }
}
