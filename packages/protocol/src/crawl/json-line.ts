import { redact } from '../url/secrets.ts';

/**
 * DEL and the C1 controls, which a terminal may obey, line separators, which some readers take for line ends, and what
 * is invisible or turns the direction of the text behind it.
 */
export const unprintable =
  /[\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** One line of JSON that is safe to print: secrets are masked, and control characters that JSON lets pass are escaped. */
export function jsonLine(value: unknown): string {
  const json = JSON.stringify(value).replace(
    unprintable,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `${redact(json)}\n`;
}
