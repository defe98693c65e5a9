import { createHash } from 'node:crypto';
import { signatureFields } from './message-signature.ts';
import type { PublicJwk, SigningKey } from './signing-key.ts';

export const directoryType = 'application/http-message-signatures-directory+json';

/** The document that publishes keys. Its bytes are signed, so it is served exactly as it is here. */
export function directoryDocument(keys: readonly PublicJwk[]): string {
  return JSON.stringify({ keys });
}

export interface DirectorySigning {
  document: string;
  /** Host, and port unless it is 443, that the document is served from. */
  authority: string;
  createdSeconds: number;
  expiresSeconds: number;
}

/**
 * The fields to serve the document with: they prove that the owner of each key put it there, and hold for that authority
 * and these bytes only (appendix "Possession Proof on the Directory Response" of the draft).
 */
export function directoryFields(keys: readonly SigningKey[], signing: DirectorySigning): [string, string][] {
  const { document, authority, createdSeconds, expiresSeconds } = signing;
  const digest = `sha-256=:${createHash('sha256').update(document).digest('base64')}:`;
  const covered = [
    ['"@authority";req', authority],
    ['"content-digest"', digest],
  ] as const;
  const signed = keys.map((key, i) => {
    const parameters =
      `created=${createdSeconds};expires=${expiresSeconds};keyid="${key.id}"` +
      ';tag="http-message-signatures-directory"';
    return signatureFields(key, i === 0 ? 'binding' : `binding${i + 1}`, { covered, parameters });
  });
  return [
    ['Content-Type', directoryType],
    ['Content-Digest', digest],
    ['Signature-Input', signed.map(({ input }) => input).join(', ')],
    ['Signature', signed.map(({ signature }) => signature).join(', ')],
  ];
}
