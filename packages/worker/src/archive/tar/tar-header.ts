/** A tar archive in the POSIX pax format: for each file a header of 512 bytes, the body, zeros to the next 512. */
export const tarBlock = 512;

/** Sum of all bytes with the checksum's own eight taken as spaces. */
export function tarChecksum(header: Buffer): number {
  let sum = 0;
  for (let i = 0; i < tarBlock; i++) sum += i >= 148 && i < 156 ? 32 : (header[i] ?? 0);
  return sum;
}

/** Bytes of the body behind a header and whether a file ends with it; undefined when it is no header. */
export function readTarHeader(header: Buffer): { size: number; extended: boolean } | undefined {
  if (header.length < tarBlock || header.toString('latin1', 257, 262) !== 'ustar') return undefined;
  const stated = Number.parseInt(header.toString('latin1', 148, 154), 8);
  const size = Number.parseInt(header.toString('latin1', 124, 135), 8);
  if (stated !== tarChecksum(header) || !(size >= 0)) return undefined;
  return { size, extended: header[156] === 'x'.charCodeAt(0) };
}

/** A body is filled up with zeros to whole blocks. */
export const paddedSize = (size: number): number => Math.ceil(size / tarBlock) * tarBlock;

/** Where the next header would stand, zeros end the archive. */
export const isZeros = (bytes: Buffer): boolean => bytes.every((byte) => byte === 0);
