import { type FileHandle, open, rm } from 'node:fs/promises';
import { crc32 } from 'node:zlib';
import { moveFile } from '@webfarer/protocol/node';

/** From here on a 32-bit field says "look in the zip64 field". */
const full32 = 0xffff_ffff;
const full16 = 0xffff;
const utf8Names = 0x0800;
const regularFile = 0o100644 * 0x1_0000;

export interface ZipContent {
  /** Path inside the archive. */
  name: string;
  /** Known beforehand; anything else that arrives is an error. */
  bytes: number;
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>;
}

export interface ZipOptions {
  /** Time of all entries. Zip knows no time zone: it is written as UTC. */
  dateMs: number;
  /** Sizes and offsets from here on are written in zip64 form. Tests make it small. */
  zip64From?: number;
}

interface Entry {
  name: Buffer;
  bytes: number;
  crc: number;
  offset: number;
}

/**
 * A zip whose entries are stored as they are: what it holds is compressed already, and readers jump to any
 * byte of it. Contents stream through; the file has its name only when it is complete.
 */
export class ZipFile {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #options: ZipOptions;
  readonly #entries: Entry[] = [];
  #position = 0;

  private constructor(path: string, file: FileHandle, options: ZipOptions) {
    this.#path = path;
    this.#file = file;
    this.#options = options;
  }

  static async create(path: string, options: ZipOptions): Promise<ZipFile> {
    return new ZipFile(path, await open(`${path}.new`, 'w'), options);
  }

  async add({ name, bytes, pieces }: ZipContent): Promise<void> {
    const entry: Entry = { name: Buffer.from(name), bytes, crc: 0, offset: this.#position };
    await this.#write(this.#localHead(entry));
    let left = bytes;
    for await (const piece of pieces) {
      left -= piece.length;
      if (left < 0) break;
      entry.crc = crc32(piece, entry.crc);
      await this.#write(piece);
    }
    if (left !== 0) throw new Error(`${name} is not ${bytes} bytes long`);
    // Only now is the checksum known; it stands in front of the content.
    await this.#writeAt(this.#localHead(entry), entry.offset);
    this.#entries.push(entry);
  }

  /** Writes the directory, makes all of it durable and gives the file its name. Answers its size. */
  async finish(): Promise<number> {
    const start = this.#position;
    for (const entry of this.#entries) await this.#write(this.#directoryHead(entry));
    await this.#write(this.#end(start, this.#position - start));
    await this.#file.sync();
    await this.#file.close();
    await moveFile(`${this.#path}.new`, this.#path);
    return this.#position;
  }

  async abandon(): Promise<void> {
    await this.#file.close().catch(() => {});
    await rm(`${this.#path}.new`, { force: true });
  }

  async #write(bytes: Uint8Array): Promise<void> {
    await this.#writeAt(bytes, this.#position);
    this.#position += bytes.length;
  }

  async #writeAt(bytes: Uint8Array, position: number): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await this.#file.write(bytes, done, bytes.length - done, position + done);
      done += bytesWritten;
    }
  }

  #isLarge(n: number): boolean {
    return n >= (this.#options.zip64From ?? full32);
  }

  #localHead({ name, bytes, crc }: Entry): Buffer {
    const large = this.#isLarge(bytes);
    const extra = large ? zip64Extra([bytes, bytes]) : Buffer.alloc(0);
    const head = Buffer.alloc(30);
    head.writeUInt32LE(0x0403_4b50, 0);
    this.#common(head.subarray(4), { large, crc, bytes });
    head.writeUInt16LE(name.length, 26);
    head.writeUInt16LE(extra.length, 28);
    return Buffer.concat([head, name, extra]);
  }

  #directoryHead({ name, bytes, crc, offset }: Entry): Buffer {
    const large = this.#isLarge(bytes);
    const far = this.#isLarge(offset);
    const extra =
      large || far ? zip64Extra([...(large ? [bytes, bytes] : []), ...(far ? [offset] : [])]) : '';
    const head = Buffer.alloc(46);
    head.writeUInt32LE(0x0201_4b50, 0);
    head.writeUInt16LE((3 << 8) | 45, 4);
    this.#common(head.subarray(6), { large: large || far, crc, bytes: large ? full32 : bytes });
    head.writeUInt16LE(name.length, 28);
    head.writeUInt16LE(extra.length, 30);
    head.writeUInt32LE(regularFile, 38);
    head.writeUInt32LE(far ? full32 : offset, 42);
    return Buffer.concat([head, name, Buffer.from(extra)]);
  }

  /** Version, flags, method, time, checksum and sizes: the same in both heads. */
  #common(head: Buffer, { large, crc, bytes }: { large: boolean; crc: number; bytes: number }): void {
    const { time, date } = dosTime(this.#options.dateMs);
    const shown = this.#isLarge(bytes) ? full32 : bytes;
    head.writeUInt16LE(large ? 45 : 20, 0);
    head.writeUInt16LE(utf8Names, 2);
    head.writeUInt16LE(0, 4);
    head.writeUInt16LE(time, 6);
    head.writeUInt16LE(date, 8);
    head.writeUInt32LE(crc, 10);
    head.writeUInt32LE(shown, 14);
    head.writeUInt32LE(shown, 18);
  }

  #end(start: number, bytes: number): Buffer {
    const count = this.#entries.length;
    const large = count >= full16 || this.#isLarge(start) || this.#isLarge(bytes);
    const end = Buffer.alloc(22);
    end.writeUInt32LE(0x0605_4b50, 0);
    end.writeUInt16LE(large ? full16 : count, 8);
    end.writeUInt16LE(large ? full16 : count, 10);
    end.writeUInt32LE(large ? full32 : bytes, 12);
    end.writeUInt32LE(large ? full32 : start, 16);
    return large ? Buffer.concat([zip64End(count, start, bytes), end]) : end;
  }
}

function zip64Extra(values: number[]): Buffer {
  const extra = Buffer.alloc(4 + values.length * 8);
  extra.writeUInt16LE(1, 0);
  extra.writeUInt16LE(values.length * 8, 2);
  values.forEach((value, i) => extra.writeBigUInt64LE(BigInt(value), 4 + i * 8));
  return extra;
}

/** The large form of the directory's end, and the pointer to it. */
function zip64End(count: number, start: number, bytes: number): Buffer {
  const end = Buffer.alloc(76);
  end.writeUInt32LE(0x0606_4b50, 0);
  end.writeBigUInt64LE(44n, 4);
  end.writeUInt16LE((3 << 8) | 45, 12);
  end.writeUInt16LE(45, 14);
  end.writeBigUInt64LE(BigInt(count), 24);
  end.writeBigUInt64LE(BigInt(count), 32);
  end.writeBigUInt64LE(BigInt(bytes), 40);
  end.writeBigUInt64LE(BigInt(start), 48);
  end.writeUInt32LE(0x0706_4b50, 56);
  end.writeBigUInt64LE(BigInt(start + bytes), 64);
  end.writeUInt32LE(1, 72);
  return end;
}

/** Two seconds a tick, from 1980. */
function dosTime(ms: number): { time: number; date: number } {
  const when = new Date(Math.max(ms, Date.UTC(1980, 0, 1)));
  const time = (when.getUTCHours() << 11) | (when.getUTCMinutes() << 5) | (when.getUTCSeconds() >> 1);
  const date = ((when.getUTCFullYear() - 1980) << 9) | ((when.getUTCMonth() + 1) << 5) | when.getUTCDate();
  return { time, date };
}
