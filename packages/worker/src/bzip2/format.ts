/** What encoder and decoder of bzip2 agree on. */
export const streamMagic = 'BZh';
/** The digits of pi begin a block, those of its square root end the stream. */
export const blockMagic = [0x314159, 0x265359] as const;
export const endMagic = [0x177245, 0x385090] as const;

/** Symbols of the Huffman codes: digits of a run of the byte used last. */
export const runA = 0;
export const runB = 1;

/** A Huffman table is chosen for this many symbols at a time. */
export const groupSymbols = 50;
export const maxTables = 6;

const table = new Uint32Array(256);
for (let i = 0; i < 256; i++) {
  let crc = i << 24;
  for (let bit = 0; bit < 8; bit++) crc = crc & 0x80000000 ? (crc << 1) ^ 0x04c11db7 : crc << 1;
  table[i] = crc;
}

/** CRC-32 with the highest bit first, which is not the one of gzip. */
export function blockCrc(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = (crc << 8) ^ (table[(crc >>> 24) ^ byte] ?? 0);
  return ~crc >>> 0;
}

/** The checksum of a stream, with one more block in it. */
export function withBlock(streamCrc: number, crc: number): number {
  return (((streamCrc << 1) | (streamCrc >>> 31)) ^ crc) >>> 0;
}
