import { type ByteSource, openBytes, type OpenBytes } from './byte-source.ts';

/** A file read once from front to back, with as much of it in memory as the caller asks to see. */
export class ByteWindow {
  readonly #source: ByteSource;
  readonly #end: number;
  #buffer: Buffer = Buffer.alloc(0);
  /** Offset in the file of the first byte of the window. */
  position: number;

  private constructor(source: ByteSource, start: number, end: number) {
    this.#source = source;
    this.position = start;
    this.#end = end;
  }

  /** From `start` to `end`, or to the end the file has now. */
  static async open(from: OpenBytes, start = 0, end = Number.POSITIVE_INFINITY): Promise<ByteWindow> {
    const source = await openBytes(from);
    return new ByteWindow(source, start, Math.min(source.bytes, end));
  }

  get end(): number {
    return this.#end;
  }

  /** At least `min` bytes, fewer only at the end of the file; possibly many more. Not consumed. */
  async see(min: number): Promise<Buffer> {
    while (this.#buffer.length < min) {
      const at = this.position + this.#buffer.length;
      const length = Math.min(Math.max(this.#source.blockBytes, min - this.#buffer.length), this.#end - at);
      if (length <= 0) break;
      const more = await this.#source.read(at, length);
      if (more.length === 0) break;
      this.#buffer = this.#buffer.length === 0 ? more : Buffer.concat([this.#buffer, more]);
    }
    return this.#buffer;
  }

  skip(bytes: number): void {
    this.position += bytes;
    this.#buffer = bytes < this.#buffer.length ? this.#buffer.subarray(bytes) : Buffer.alloc(0);
  }

  async take(max: number): Promise<Buffer | undefined> {
    const seen = await this.see(1);
    if (seen.length === 0) return undefined;
    const taken = seen.subarray(0, max);
    this.skip(taken.length);
    return taken;
  }

  close(): Promise<void> {
    return this.#source.close();
  }
}
