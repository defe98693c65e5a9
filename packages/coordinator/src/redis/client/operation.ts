import { randomBytes } from 'node:crypto';

/** A name for one operation, however often it is sent. */
export function operationId(): string {
  return randomBytes(6).toString('hex');
}
