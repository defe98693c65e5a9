import { createHmac, randomBytes } from 'node:crypto';
import { WebfarerError } from '@webfarer/protocol';

const prefix = 'whsec_';
const SECRET_BYTES = { least: 24, most: 64, made: 32 };

export function newSecret(): string {
  return prefix + randomBytes(SECRET_BYTES.made).toString('base64');
}

/** Throws where it is not a secret as Standard Webhooks has them. */
export function secretBytes(secret: string): Buffer {
  const text = secret.startsWith(prefix) ? secret.slice(prefix.length) : '';
  const bytes = Buffer.from(text, 'base64');
  const isBase64 = bytes.toString('base64') === text;
  if (isBase64 && bytes.length >= SECRET_BYTES.least && bytes.length <= SECRET_BYTES.most) return bytes;
  throw new WebfarerError('usage', 'the secret of a webhook is malformed', {
    next: `Use ${prefix} and 24 to 64 random bytes as base64, or leave it out to have one made.`,
  });
}

export interface Signed {
  id: string;
  /** Seconds since 1970. */
  timestamp: number;
  body: string;
}

/** The headers of Standard Webhooks: the signature is over id, time and body. */
export function signedHeaders({ id, timestamp, body }: Signed, secret: string): [string, string][] {
  const mac = createHmac('sha256', secretBytes(secret)).update(`${id}.${timestamp}.${body}`).digest('base64');
  return [
    ['webhook-id', id],
    ['webhook-timestamp', String(timestamp)],
    ['webhook-signature', `v1,${mac}`],
  ];
}
