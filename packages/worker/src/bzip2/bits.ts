/** bzip2 writes bits from the highest to the lowest, with no regard to bytes. */
export class BitWriter {
  #bytes: Buffer = Buffer.allocUnsafe(16 * 1024);
  #length = 0;
  #held = 0;
  #heldBits = 0;

  /** At most 24 bits at a time: with the 7 that may be held they still fit an integer. */
  write(bits: number, value: number): void {
    this.#held = (this.#held << bits) | value;
    this.#heldBits += bits;
    while (this.#heldBits >= 8) {
      this.#heldBits -= 8;
      this.#push((this.#held >>> this.#heldBits) & 0xff);
    }
    this.#held &= (1 << this.#heldBits) - 1;
  }

  write32(value: number): void {
    this.write(16, value >>> 16);
    this.write(16, value & 0xffff);
  }

  /** All bytes, the last one filled with zeros. */
  end(): Buffer {
    if (this.#heldBits > 0) this.write(8 - this.#heldBits, 0);
    return this.#bytes.subarray(0, this.#length);
  }

  #push(byte: number): void {
    if (this.#length === this.#bytes.length) {
      this.#bytes = Buffer.concat([this.#bytes, Buffer.allocUnsafe(this.#bytes.length)]);
    }
    this.#bytes[this.#length++] = byte;
  }
}

/** The bytes end before the stream does. */
export class OutOfBits extends Error {
  override readonly name = 'OutOfBits';
}

export class BitReader {
  readonly #bytes: Buffer;
  #at: number;
  #held = 0;
  #heldBits = 0;

  constructor(bytes: Buffer, at = 0) {
    this.#bytes = bytes;
    this.#at = at;
  }

  /** At most 24. */
  read(bits: number): number {
    while (this.#heldBits < bits) {
      const byte = this.#bytes[this.#at];
      if (byte === undefined) throw new OutOfBits('the bytes end within a bzip2 stream');
      this.#at += 1;
      this.#held = (this.#held << 8) | byte;
      this.#heldBits += 8;
    }
    this.#heldBits -= bits;
    const value = this.#held >>> this.#heldBits;
    this.#held &= (1 << this.#heldBits) - 1;
    return value;
  }

  read32(): number {
    return this.read(16) * 0x10000 + this.read(16);
  }

  /** The first byte that no bit was read of. */
  get position(): number {
    return this.#at;
  }
}
