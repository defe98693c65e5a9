import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
} from 'node:crypto';
import { WebfarerError } from '@webfarer/protocol';

/** An Ed25519 key that signs, without a way to read its private part back. */
export interface SigningKey {
  /** RFC 7638: the SHA-256 thumbprint of the public key, by which verifiers find it in the directory. */
  readonly id: string;
  readonly publicJwk: PublicJwk;
  /** The signature of ASCII text, in base64. */
  sign(text: string): string;
}

/** One key of a directory, as the draft's own example has it. */
export interface PublicJwk {
  kty: 'OKP';
  crv: 'Ed25519';
  kid: string;
  x: string;
  use: 'sig';
}

/** The text of a new private key: PKCS #8 in PEM, which OpenSSL reads too. */
export function newPrivateKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
}

/** Throws where the text is not a private Ed25519 key; the text itself is in no message. */
export function signingKey(pem: string, where: string): SigningKey {
  const key = privateKey(pem);
  if (key?.asymmetricKeyType !== 'ed25519')
    throw new WebfarerError('usage', `${where} holds no Ed25519 private key`, {
      next: 'Make one:  webfarer identity new',
    });
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  const id = thumbprint(x);
  return {
    id,
    publicJwk: { kty: 'OKP', crv: 'Ed25519', kid: id, x, use: 'sig' },
    sign: (text) => sign(null, Buffer.from(text, 'latin1'), key).toString('base64'),
  };
}

function privateKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}

/** RFC 8037, appendix A.3: the members that make the key, in order and without space. */
function thumbprint(x: string): string {
  return createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest('base64url');
}
