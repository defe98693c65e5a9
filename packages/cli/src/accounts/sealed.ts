import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/** Text that only the holder of the key can read, and that cannot be put under another name. */
export interface Sealed {
  iv: string;
  tag: string;
  data: string;
}

const cipher = 'aes-256-gcm';

/** A key of 256 bits from a text of any length. */
export function keyOf(text: string): Buffer {
  return createHash('sha256').update(text.trim()).digest();
}

/** `name`: what it belongs to; it can be opened under the same name only. */
export function seal(text: string, name: string, key: Buffer): Sealed {
  const iv = randomBytes(12);
  const sealing = createCipheriv(cipher, key, iv).setAAD(Buffer.from(name));
  const data = Buffer.concat([sealing.update(text, 'utf8'), sealing.final()]);
  return {
    iv: iv.toString('base64'),
    tag: sealing.getAuthTag().toString('base64'),
    data: data.toString('base64'),
  };
}

/** Throws where the key or the name is another one, or something was changed. */
export function unseal({ iv, tag, data }: Sealed, name: string, key: Buffer): string {
  const opening = createDecipheriv(cipher, key, Buffer.from(iv, 'base64'), { authTagLength: 16 })
    .setAAD(Buffer.from(name))
    .setAuthTag(Buffer.from(tag, 'base64'));
  return Buffer.concat([opening.update(Buffer.from(data, 'base64')), opening.final()]).toString('utf8');
}
