/**
 * Chinese and Japanese are written without spaces, and the index divides text at spaces: there each character is a word
 * of its own, and a word of several is looked for as a phrase.
 */
const spaceless = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]/gu;

/** Text as the index takes it. */
export function spaced(text: string): string {
  return text.replace(spaceless, ' $& ');
}

const character = '[\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}ー、。]';
const mark = '[\\u0001\\u0002]?';
// allow(expression): of the constants above
const added = new RegExp(
  `(?<=${character}${mark}) +(?=${mark} *${mark}${character})|(?<=${character}) +(?=\\u0002)|(?<=\\u0001) +`,
  'gu',
);

/** A piece of such text as it was before; marks of found words may stand in it. */
export function unspaced(text: string): string {
  return text.replace(added, '');
}

/**
 * What a person types as a query of FTS5: all words must be there, `"several words"` in this order, `word*` begins a
 * word, `-word` must not be there. Nothing else is special. Undefined where there is nothing to look for.
 */
export function ftsQuery(text: string): string | undefined {
  const wanted: string[] = [];
  const unwanted: string[] = [];
  for (const [, minus, quoted, bare = '', star] of text.matchAll(/(-?)(?:"([^"]*)"|([^\s"*]+))(\*?)/g)) {
    const words = spaced(quoted ?? bare)
      .trim()
      .replaceAll('"', '');
    if (!/[\p{L}\p{N}]/u.test(words)) continue;
    (minus ? unwanted : wanted).push(`"${words}"${star ? ' *' : ''}`);
  }
  if (wanted.length === 0) return undefined;
  return unwanted.length === 0
    ? wanted.join(' AND ')
    : `(${wanted.join(' AND ')}) NOT (${unwanted.join(' OR ')})`;
}
