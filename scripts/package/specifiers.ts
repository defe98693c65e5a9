import { dirname, relative, sep } from 'node:path';
import { importsOf } from '../check/imports.ts';
import { lex } from '../check/tokens.ts';

/** What a file of JavaScript or declarations imports; examples in its comments are not meant. */
export const specifiersIn = (text: string): string[] =>
  importsOf(lex(text).tokens).map(({ specifier }) => specifier);

/** The text with each imported specifier replaced by what `to` answers, where it answers something. */
export function withSpecifiers(text: string, to: (specifier: string) => string | undefined): string {
  const lines = text.split('\n');
  for (const { specifier, line } of importsOf(lex(text).tokens)) {
    const other = to(specifier);
    if (other === undefined) continue;
    for (const quote of [`'`, `"`])
      lines[line - 1] = (lines[line - 1] ?? '').replaceAll(quote + specifier + quote, quote + other + quote);
  }
  return lines.join('\n');
}

/** How the file `from` imports the file `to`. */
export function relativeSpecifier(from: string, to: string): string {
  const path = relative(dirname(from), to).split(sep).join('/');
  return path.startsWith('.') ? path : `./${path}`;
}
