/** What a recipe tells its reader to do, in its order. */
export type Step =
  | { do: 'write'; file: string; text: string }
  | { do: 'run'; text: string; exit: number }
  /** Runs until the end of the recipe. */
  | { do: 'serve'; text: string }
  /** What a file holds, or what the last commands printed. */
  | { do: 'expect'; file: string | undefined; text: string };

/**
 * Reads the steps off a recipe. By the words behind the opening of a fence:
 *
 * - `sh` is run; `sh exit=4` must end with that code; `sh server` is left running
 * - a fence whose first line is a comment with a file name (`# docs.yml`, `// shop.ts`) is written to that file
 * - `text output` is what the commands before it print, `json docs.crawl/items.jsonl` what that file holds
 *
 * Other fences show alternatives and are not run.
 */
export function stepsOf(page: string): Step[] {
  return [...page.matchAll(/^```(\w+)([^\n]*)\n([\s\S]*?)^```$/gm)].flatMap(
    ([, language, words = '', text = '']) => stepOf(language ?? '', words.trim(), text),
  );
}

function stepOf(language: string, words: string, text: string): Step[] {
  if (language === 'sh') {
    if (words === 'server') return [{ do: 'serve', text }];
    return [{ do: 'run', text, exit: Number(/^exit=(\d+)$/.exec(words)?.[1] ?? 0) }];
  }
  if (words !== '') return [{ do: 'expect', file: words === 'output' ? undefined : words, text }];
  const file = /^(?:#|\/\/) ([\w.-]+\.\w+)$/m.exec(text.split('\n', 1)[0] ?? '')?.[1];
  return file === undefined ? [] : [{ do: 'write', file, text }];
}

/**
 * Whether a text holds what a recipe shows of it, as consecutive lines. `…` stands for the rest of a word, a figure or a
 * line, and for any number of lines where it stands alone. Indentation and empty lines mean nothing.
 */
export function shows(text: string, stated: string): boolean {
  const lines = (of: string) => of.split('\n').map((line) => line.trim());
  const pattern = lines(stated)
    .filter((line) => line !== '')
    .map((line) => (line === '…' ? '(?:.*\\n)*?' : `${line.split('…').map(escape).join('.*')}\\n`));
  const found = lines(text).filter((line) => line !== '');
  return new RegExp(`(?:^|\\n)${pattern.join('')}`).test(`${found.join('\n')}\n`);
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
