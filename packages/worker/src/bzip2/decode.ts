import { BitReader, OutOfBits } from './bits.ts';
import { blockCrc, blockMagic, endMagic, groupSymbols, maxTables, runB, withBlock } from './format.ts';
import { mostCodeBits } from './huffman.ts';

/** Bytes that are not a bzip2 stream, or one whose content is not what its checksum says. */
export class Bzip2Damage extends Error {
  override readonly name = 'Bzip2Damage';
}

/**
 * The content of the bzip2 stream at the start of `bytes`, and how many bytes the stream is long. Throws OutOfBits when
 * it does not end within `bytes`, Bzip2Damage when it is no sound stream.
 */
export function bunzip2(bytes: Buffer): { plain: Buffer; consumed: number } {
  const magic = /^BZh([1-9])$/.exec(bytes.toString('latin1', 0, 4));
  if (bytes.length < 4) throw new OutOfBits('the bytes end within a bzip2 header');
  if (!magic) throw new Bzip2Damage('no bzip2 stream begins here');
  const blockBytes = Number(magic[1]) * 100_000;
  const bits = new BitReader(bytes, 4);
  const pieces: Buffer[] = [];
  let streamCrc = 0;
  while (isBlock(bits)) {
    const crc = bits.read32();
    const piece = restoreRuns(readBlock(bits, blockBytes));
    if (blockCrc(piece) !== crc) throw new Bzip2Damage('the checksum of a block is wrong');
    streamCrc = withBlock(streamCrc, crc);
    pieces.push(piece);
  }
  if (bits.read32() !== streamCrc) throw new Bzip2Damage('the checksum of the stream is wrong');
  return { plain: Buffer.concat(pieces), consumed: bits.position };
}

function isBlock(bits: BitReader): boolean {
  const found = [bits.read(24), bits.read(24)];
  if (found.every((half, i) => half === endMagic[i])) return false;
  if (found.some((half, i) => half !== blockMagic[i])) throw new Bzip2Damage('no block begins here');
  return true;
}

/** The bytes of a block in their order, runs still shortened. */
function readBlock(bits: BitReader, blockBytes: number): Uint8Array {
  if (bits.read(1) === 1) throw new Bzip2Damage('randomised blocks are not supported');
  const first = bits.read(24);
  const recent = Uint8Array.from(readUsed(bits));
  const { sorted, counts } = readSorted(bits, recent, blockBytes);
  if (first >= sorted.length) throw new Bzip2Damage('a block begins behind its end');
  return unsort(sorted, counts, first);
}

function readUsed(bits: BitReader): number[] {
  const parts = bits.read(16);
  const used: number[] = [];
  for (let part = 0; part < 16; part++) {
    if (!(parts & (0x8000 >> part))) continue;
    const within = bits.read(16);
    for (let i = 0; i < 16; i++) if (within & (0x8000 >> i)) used.push(part * 16 + i);
  }
  if (used.length === 0) throw new Bzip2Damage('a block without bytes');
  return used;
}

/** The last byte of each rotation, and how often each byte occurs. */
function readSorted(
  bits: BitReader,
  recent: Uint8Array,
  blockBytes: number,
): { sorted: Uint8Array; counts: Uint32Array } {
  const end = recent.length + 1;
  const nextSymbol = symbolReader(bits, end + 1);
  const sorted = new Uint8Array(blockBytes);
  const counts = new Uint32Array(256);
  let length = 0;
  const repeat = (byte: number, times: number): void => {
    if (length + times > blockBytes) throw new Bzip2Damage('a block is longer than it may be');
    sorted.fill(byte, length, length + times);
    counts[byte] = (counts[byte] ?? 0) + times;
    length += times;
  };
  let run = 0;
  let digit = 1;
  for (;;) {
    const symbol = nextSymbol();
    if (symbol <= runB) {
      run += digit << symbol;
      digit *= 2;
      if (run > blockBytes) throw new Bzip2Damage('a run is longer than its block');
      continue;
    }
    if (run > 0) repeat(recent[0] ?? 0, run);
    run = 0;
    digit = 1;
    if (symbol === end) return { sorted: sorted.subarray(0, length), counts };
    const byte = recent[symbol - 1] ?? 0;
    recent.copyWithin(1, 0, symbol - 1);
    recent[0] = byte;
    repeat(byte, 1);
  }
}

/** Reads the tables, and which of them each group of symbols has; then one symbol a call. */
function symbolReader(bits: BitReader, alphabet: number): () => number {
  const count = bits.read(3);
  if (count < 2 || count > maxTables) throw new Bzip2Damage('a block has no valid number of tables');
  const choices = readChoices(bits, count);
  const tables = Array.from({ length: count }, () => readTable(bits, alphabet));
  let read = 0;
  return () => {
    const table = tables[choices[Math.floor(read / groupSymbols)] ?? -1];
    if (!table) throw new Bzip2Damage('a block has more symbols than it says');
    read += 1;
    let code = 0;
    for (let length = 1; length <= mostCodeBits; length++) {
      code = (code << 1) | bits.read(1);
      const place = code - (table.firstCode[length] ?? 0);
      if (place < (table.count[length] ?? 0))
        return table.symbols[(table.firstPlace[length] ?? 0) + place] ?? 0;
    }
    throw new Bzip2Damage('a code that no table has');
  };
}

function readChoices(bits: BitReader, tables: number): Uint8Array {
  const choices = new Uint8Array(bits.read(15));
  const recent = Array.from({ length: tables }, (_, table) => table);
  for (let i = 0; i < choices.length; i++) {
    let place = 0;
    while (bits.read(1) === 1) if (++place >= tables) throw new Bzip2Damage('a table that there is not');
    const [table = 0] = recent.splice(place, 1);
    recent.unshift(table);
    choices[i] = table;
  }
  return choices;
}

/** For each length of a code: the first code, how many there are, and where their symbols stand. */
interface Table {
  firstCode: number[];
  count: number[];
  firstPlace: number[];
  symbols: number[];
}

function readTable(bits: BitReader, alphabet: number): Table {
  const lengths: number[] = [];
  let length = bits.read(5);
  while (lengths.length < alphabet) {
    while (bits.read(1) === 1) length += bits.read(1) === 0 ? 1 : -1;
    if (length < 1 || length > mostCodeBits) throw new Bzip2Damage('a code is too long');
    lengths.push(length);
  }
  const table: Table = { firstCode: [], count: [], firstPlace: [], symbols: [] };
  let code = 0;
  for (let bitsLong = 1; bitsLong <= mostCodeBits; bitsLong++) {
    const own = [...lengths.keys()].filter((symbol) => lengths[symbol] === bitsLong);
    table.firstCode[bitsLong] = code;
    table.count[bitsLong] = own.length;
    table.firstPlace[bitsLong] = table.symbols.length;
    table.symbols.push(...own);
    code = (code + own.length) << 1;
  }
  return table;
}

/** Each rotation's last byte stands before its first, so the block is a walk through the sorted ones. */
function unsort(sorted: Uint8Array, counts: Uint32Array, first: number): Uint8Array {
  const n = sorted.length;
  const places = new Uint32Array(256);
  for (let byte = 1; byte < 256; byte++) places[byte] = (places[byte - 1] ?? 0) + (counts[byte - 1] ?? 0);
  const follows = new Uint32Array(n);
  for (let i = 0; i < n; i++) {
    const byte = sorted[i] ?? 0;
    const place = places[byte] ?? 0;
    follows[place] = i;
    places[byte] = place + 1;
  }
  const block = new Uint8Array(n);
  for (let i = 0, at = follows[first] ?? 0; i < n; i++) {
    block[i] = sorted[at] ?? 0;
    at = follows[at] ?? 0;
  }
  return block;
}

function restoreRuns(block: Uint8Array): Buffer {
  let length = 0;
  forRuns(block, (_, times) => {
    length += times;
  });
  const plain = Buffer.allocUnsafe(length);
  let at = 0;
  forRuns(block, (byte, times) => {
    plain.fill(byte, at, at + times);
    at += times;
  });
  return plain;
}

/** After four equal bytes stands how often the byte follows once more. */
function forRuns(block: Uint8Array, take: (byte: number, times: number) => void): void {
  for (let at = 0; at < block.length; ) {
    const byte = block[at] ?? 0;
    let equal = 1;
    while (equal < 4 && block[at + equal] === byte) equal += 1;
    at += equal;
    if (equal < 4) take(byte, equal);
    else take(byte, 4 + (block[at++] ?? 0));
  }
}
