import { createCipheriv, createDecipheriv, createHash, randomBytes, scrypt } from 'node:crypto';
import { promisify } from 'node:util';

/** Text that only the holder of the key can read, and that cannot be put under another name. */
export interface Sealed {
  iv: string;
  tag: string;
  data: string;
  /** What the key was derived with from a passphrase; absent: the key was made by chance, or by an earlier version. */
  salt?: string;
}

export interface SealingKey {
  bytes: Buffer;
  salt?: string;
}

const cipher = 'aes-256-gcm';

/** 32 MB and about a quarter of a second for each guess. Another cost would need another name than `salt`. */
const cost = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 2 ** 20 };
const derive = promisify<string, Buffer, number, typeof cost, Buffer>(scrypt);

export function newSalt(): string {
  return randomBytes(16).toString('base64');
}

/** A key of 256 bits from a text of any length, which a person may have thought of where there is a salt. */
export async function keyOf(text: string, salt: string | undefined): Promise<SealingKey> {
  if (salt === undefined) return { bytes: createHash('sha256').update(text.trim()).digest() };
  return { bytes: await derive(text.trim(), Buffer.from(salt, 'base64'), 32, cost), salt };
}

/** `name`: what it belongs to; it can be opened under the same name only. */
export function seal(text: string, name: string, { bytes, salt }: SealingKey): Sealed {
  const iv = randomBytes(12);
  const sealing = createCipheriv(cipher, bytes, iv).setAAD(Buffer.from(name));
  const data = Buffer.concat([sealing.update(text, 'utf8'), sealing.final()]);
  return {
    iv: iv.toString('base64'),
    tag: sealing.getAuthTag().toString('base64'),
    data: data.toString('base64'),
    ...(salt === undefined ? {} : { salt }),
  };
}

/** Throws where the key or the name is another one, or something was changed. */
export function unseal({ iv, tag, data }: Sealed, name: string, { bytes }: SealingKey): string {
  const opening = createDecipheriv(cipher, bytes, Buffer.from(iv, 'base64'), { authTagLength: 16 })
    .setAAD(Buffer.from(name))
    .setAuthTag(Buffer.from(tag, 'base64'));
  return Buffer.concat([opening.update(Buffer.from(data, 'base64')), opening.final()]).toString('utf8');
}
