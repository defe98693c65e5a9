import { createHash, hash } from 'node:crypto';

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
  const [only] = parts;
  // Half the price of a hash that could take more.
  if (only && parts.length === 1) return `sha1:${base32(hash('sha1', only, 'buffer'))}`;
  const running = createHash('sha1');
  for (const part of parts) running.update(part);
  return `sha1:${base32(running.digest())}`;
}
