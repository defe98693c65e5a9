import { BitWriter } from './bits.ts';
import { blockCrc, blockMagic, endMagic, runA, runB, streamMagic, withBlock } from './format.ts';
import { writeSymbols } from './write-symbols.ts';
import { sortedRotations } from './rotations.ts';

/**
 * Blocks of 100 KB, the smallest there are: a page is rarely larger, and the main thread is free again after each. The
 * format keeps 19 bytes of a block to itself.
 */
const blockBytes = 100_000 - 19;

/** One whole bzip2 stream. Gives way to other work between blocks. */
export async function bzip2(bytes: Uint8Array): Promise<Buffer> {
  const bits = begun();
  let streamCrc = 0;
  for (let at = 0; at < bytes.length; ) {
    if (at > 0) await new Promise((resolve) => setImmediate(resolve));
    const { block, taken } = shortenRuns(bytes, at);
    const crc = blockCrc(bytes.subarray(at, at + taken));
    writeBlock(bits, block, crc);
    streamCrc = withBlock(streamCrc, crc);
    at += taken;
  }
  return ended(bits, streamCrc);
}

/** The same for what fits one block, at once. */
export function bzip2Sync(bytes: Uint8Array): Buffer {
  const bits = begun();
  const { block, taken } = shortenRuns(bytes, 0);
  if (taken < bytes.length) throw new RangeError('more than one block');
  const crc = blockCrc(bytes);
  if (taken > 0) writeBlock(bits, block, crc);
  return ended(bits, taken > 0 ? withBlock(0, crc) : 0);
}

function begun(): BitWriter {
  const bits = new BitWriter();
  for (const byte of Buffer.from(`${streamMagic}1`)) bits.write(8, byte);
  return bits;
}

function ended(bits: BitWriter, streamCrc: number): Buffer {
  for (const half of endMagic) bits.write(24, half);
  bits.write32(streamCrc);
  return bits.end();
}

/** Four equal bytes are followed by how many more there are, so that sorting never meets long runs. */
function shortenRuns(bytes: Uint8Array, from: number): { block: Uint8Array; taken: number } {
  const block = new Uint8Array(blockBytes);
  let length = 0;
  let at = from;
  while (at < bytes.length && length < blockBytes - 5) {
    const byte = bytes[at] ?? 0;
    let run = 1;
    while (run < 255 && bytes[at + run] === byte) run += 1;
    const written = Math.min(run, 4);
    block.fill(byte, length, length + written);
    length += written;
    if (run >= 4) block[length++] = run - 4;
    at += run;
  }
  return { block: block.subarray(0, length), taken: at - from };
}

function writeBlock(bits: BitWriter, block: Uint8Array, crc: number): void {
  for (const half of blockMagic) bits.write(24, half);
  bits.write32(crc);
  // Never randomised: a remedy for sorting that was slow on repetitive text.
  bits.write(1, 0);
  const order = sortedRotations(block);
  bits.write(24, order.indexOf(0));
  const used = usedBytes(block);
  writeUsed(bits, used);
  const { symbols, count } = toSymbols(block, order, used);
  writeSymbols(bits, symbols, count);
}

function usedBytes(block: Uint8Array): number[] {
  const seen = new Uint8Array(256);
  for (const byte of block) seen[byte] = 1;
  return [...seen.keys()].filter((byte) => seen[byte] === 1);
}

/** Which sixteenths of the bytes occur, and for each of those which of its bytes. */
function writeUsed(bits: BitWriter, used: readonly number[]): void {
  const parts = new Uint16Array(16);
  for (const byte of used) parts[byte >> 4] = (parts[byte >> 4] ?? 0) | (0x8000 >> (byte & 15));
  bits.write(
    16,
    parts.reduce((sum, part, i) => sum | (part === 0 ? 0 : 0x8000 >> i), 0),
  );
  for (const part of parts) if (part !== 0) bits.write(16, part);
}

/**
 * The last byte of each rotation as how long ago it was used, runs of the latest one as numbers in base 2 with digits 1
 * and 2, and the symbol that ends the block.
 */
function toSymbols(
  block: Uint8Array,
  order: Int32Array,
  used: readonly number[],
): { symbols: Uint16Array; count: number } {
  const recent = Uint8Array.from(used);
  const symbols = new Uint16Array(block.length + 1);
  let count = 0;
  let run = 0;
  const endRun = (): void => {
    for (; run > 0; run = (run - 1) >> 1) symbols[count++] = run & 1 ? runA : runB;
  };
  for (let i = 0; i < order.length; i++) {
    const start = order[i] ?? 0;
    const byte = block[start === 0 ? block.length - 1 : start - 1] ?? 0;
    const place = recent.indexOf(byte);
    if (place === 0) {
      run += 1;
      continue;
    }
    endRun();
    recent.copyWithin(1, 0, place);
    recent[0] = byte;
    symbols[count++] = place + 1;
  }
  endRun();
  symbols[count++] = used.length + 1;
  return { symbols, count };
}
