/** A word in each language of the console; the terminal, the report and the docs use the English one. */
export interface Words {
  en: string;
  de: string;
}

/** Colours by role. Style sheets and terminals know them; a number has the same role everywhere. */
export type NumberTone = 'done' | 'accent' | 'client' | 'failed' | 'refused' | 'leased' | 'queued' | 'plain';

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** The words of a table in one language. */
export function wordsOf<Name extends string>(
  table: Readonly<Record<Name, { words: Words }>>,
  language: keyof Words,
): Record<Name, string> {
  const entries = Object.entries<{ words: Words }>(table).map(([name, { words }]) => [name, words[language]]);
  return Object.fromEntries(entries) as Record<Name, string>;
}
