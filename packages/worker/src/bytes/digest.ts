import { createHash, hash as hashOf } from 'node:crypto';

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** RFC 4648 base32 without padding: the form in which WARC and CDXJ write SHA-1. */
export function base32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = ((held << 8) | byte) & 0xffff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += alphabet[(held >>> bits) & 31];
    }
  }
  if (bits > 0) text += alphabet[(held << (5 - bits)) & 31];
  return text;
}

/** `sha1:BASE32` over the parts in order, without joining them. */
export function sha1Digest(...parts: Uint8Array[]): string {
  // In one call it needs no object of its own, which costs more than hashing a small page.
  if (parts.length === 1) return `sha1:${base32(hashOf('sha1', parts[0] as Uint8Array, 'buffer'))}`;
  const hash = createHash('sha1');
  for (const part of parts) hash.update(part);
  return `sha1:${base32(hash.digest())}`;
}
