import { redact } from '@webfarer/protocol/url';

/**
 * DEL and the C1 controls, which a terminal may obey, line separators, which some readers take for line ends, and what
 * is invisible or turns the direction of the text behind it.
 */
const unprintable = /[\x7f-\x9f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** The last look at everything that is printed: passwords are masked, and no stray character obeyed. */
export function printable(text: string): string {
  return redact(text).replace(unprintable, '');
}

/** The same inside JSON, where every character has an escape and none needs to go. */
export function escaped(json: string): string {
  return json.replace(unprintable, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
