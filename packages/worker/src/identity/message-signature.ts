import type { SigningKey } from './signing-key.ts';

/** What a signature covers: component identifiers as RFC 9421 writes them, each with its value. */
export type Covered = readonly (readonly [identifier: string, value: string])[];

/** Text of the parameters, in the order they are signed: `created=1;keyid="x"`. */
export type Parameters = string;

/** The text that is signed (RFC 9421, 2.5). */
export function signatureBase(covered: Covered, parameters: Parameters): string {
  let base = '';
  for (const [identifier, value] of covered) base += `${identifier}: ${value}\n`;
  return `${base}"@signature-params": ${inputOf(covered, parameters)}`;
}

/** The two fields that carry a signature under a label. */
export function signatureFields(
  key: SigningKey,
  label: string,
  { covered, parameters }: { covered: Covered; parameters: Parameters },
): { input: string; signature: string } {
  const signature = key.sign(signatureBase(covered, parameters));
  return { input: `${label}=${inputOf(covered, parameters)}`, signature: `${label}=:${signature}:` };
}

function inputOf(covered: Covered, parameters: Parameters): string {
  return `(${covered.map(([identifier]) => identifier).join(' ')});${parameters}`;
}
