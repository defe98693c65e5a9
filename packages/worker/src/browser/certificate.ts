import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** A key and a certificate that vouches for any name, to whoever was told to trust that key. */
export interface OwnCertificate {
  /** PEM. */
  key: string;
  /** PEM. */
  cert: string;
  /** SHA-256 of the public key in base64, as Chromium asks for it. */
  keyDigest: string;
}

const dayMs = 86_400_000;

/** Signed by itself, of an elliptic curve: made in a millisecond when a browser is started, and never written to disk. */
export function makeCertificate(nowMs: number): OwnCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const publicPart = publicKey.export({ type: 'spki', format: 'der' });
  const algorithm = sequence(ecdsaWithSha256);
  const name = sequence(der(0x31, sequence(commonName, der(0x0c, Buffer.from('Webfarer')))));
  const body = sequence(
    // Version 3.
    der(0xa0, der(0x02, Buffer.from([2]))),
    serialNumber(),
    algorithm,
    name,
    sequence(time(nowMs - dayMs), time(nowMs + 365 * dayMs)),
    name,
    publicPart,
  );
  const signature = sign('sha256', body, privateKey);
  // A string of bits says first how many of its last byte are unused.
  const whole = sequence(body, algorithm, der(0x03, Buffer.concat([Buffer.from([0]), signature])));
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: pem(whole),
    keyDigest: createHash('sha256').update(publicPart).digest('base64'),
  };
}

/** 1.2.840.10045.4.3.2 */
const ecdsaWithSha256 = Buffer.from('06082a8648ce3d040302', 'hex');
/** 2.5.4.3 */
const commonName = Buffer.from('0603550403', 'hex');

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

/** Positive and without a leading zero, as the encoding wants it. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return der(0x02, bytes);
}

/** `YYMMDDhhmmssZ` */
function time(atMs: number): Buffer {
  const digits = new Date(atMs).toISOString().replaceAll(/\D/g, '').slice(2, 14);
  return der(0x17, Buffer.from(`${digits}Z`));
}

function pem(bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
