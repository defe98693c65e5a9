/**
 * The head of each gzip member of ours. It carries a comment of ten hex digits, the length of the whole member:
 * recovery can then hop over a gigabyte of members instead of inflating it. A comment and not an extra field,
 * because widely used readers of archives choke on extra fields.
 */
export const memberHeaderBytes = 21;
export const memberTrailerBytes = 8;
const lengthDigits = 10;

/** Magic, deflate, flag FCOMMENT, no time, no extra flags, OS unknown; then the comment and its NUL. */
const fixedHeader = Buffer.from([0x1f, 0x8b, 8, 0x10, 0, 0, 0, 0, 0, 0xff]);

export function memberHeader(length: number): Buffer {
  const digits = length.toString(16).padStart(lengthDigits, '0');
  return Buffer.concat([fixedHeader, Buffer.from(`${digits}\0`, 'latin1')]);
}

/** The length a member says it has; undefined when the bytes are not the head of a member of ours. */
export function statedLength(bytes: Buffer): number | undefined {
  if (bytes.length < memberHeaderBytes || !bytes.subarray(0, 10).equals(fixedHeader)) return undefined;
  const text = bytes.toString('latin1', 10, memberHeaderBytes);
  if (!/^[0-9a-f]{10}\0$/.test(text)) return undefined;
  const length = Number.parseInt(text, 16);
  return length >= memberHeaderBytes + memberTrailerBytes ? length : undefined;
}
