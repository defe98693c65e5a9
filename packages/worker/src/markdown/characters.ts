/** White space that HTML collapses; no-break spaces and their like are characters as any other. */
const runs = /[ \t\n\f\r]+/g;
const uneven = /[\t\n\f\r]| {2}/;

export function collapse(text: string): string {
  return uneven.test(text) ? text.replace(runs, ' ') : text;
}

const asciiPunctuation = /[!-/:-@[-`{-~]/;
const unicodeSpace = /\s/;
const punctuation = /\p{P}/u;
const symbol = /\p{S}/u;
const wordCharacter = /[\p{L}\p{N}]/u;

export const isSpace = (char: string): boolean => unicodeSpace.test(char);
export const isWord = (char: string): boolean => wordCharacter.test(char);

/**
 * Readers disagree whether symbols (`€`, `→`, emoji) are punctuation: older ones say no, CommonMark 0.31 says yes.
 * So a symbol may be either here, and what is written holds for both.
 */
export const mayBePunctuation = (char: string): boolean =>
  asciiPunctuation.test(char) || punctuation.test(char) || symbol.test(char);
export const mayBeWord = (char: string): boolean =>
  char !== '' && !unicodeSpace.test(char) && !asciiPunctuation.test(char) && !punctuation.test(char);

export function firstCharacter(text: string): string {
  const code = text.codePointAt(0);
  return code === undefined ? '' : String.fromCodePoint(code);
}

export function lastCharacter(text: string): string {
  const { length } = text;
  if (length < 2) return text;
  const low = text.charCodeAt(length - 1);
  const high = text.charCodeAt(length - 2);
  const isPair = low >= 0xdc00 && low <= 0xdfff && high >= 0xd800 && high <= 0xdbff;
  return text.slice(isPair ? -2 : -1);
}

/** A character reference: it reads as the character, but counts as punctuation beside a mark. */
export const reference = (char: string): string => `&#${char.codePointAt(0)};`;
