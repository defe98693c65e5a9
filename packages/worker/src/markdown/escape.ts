import { isWord } from './characters.ts';

export interface EscapeContext {
  /** In the text of a link a bracket would end it. */
  inLink: boolean;
  /** In a heading trailing `#` would be taken off. */
  inHeading: boolean;
  /** In a cell a pipe would end it. */
  inCell: boolean;
}

const special = /[\\`*_[\]<&~|#]/;
const specials = /[\\`*_[\]<&~|#]/g;
const reference = /&(?:#|[a-z][a-z0-9]*(?:;|$))/iy;

/** Text with everything escaped that Markdown would read as more than text, wherever it stands in a line. */
export function escapeText(text: string, context: EscapeContext): string {
  if (!special.test(text)) return text;
  return text.replace(specials, (char, at: number) =>
    needsEscape(char, text, at, context) ? `\\${char}` : char,
  );
}

function needsEscape(char: string, text: string, at: number, context: EscapeContext): boolean {
  const next = text.charAt(at + 1);
  switch (char) {
    case '_':
      // Within a word it means nothing: names of variables stay readable.
      return !isWord(next) || at === 0 || !isWord(text.charAt(at - 1));
    case ']':
      return context.inLink;
    case '<':
      return next === '' || /[a-z/!?]/i.test(next);
    case '&':
      reference.lastIndex = at;
      return next === '' || reference.test(text);
    case '|':
      return context.inCell;
    case '#':
      return context.inHeading;
    default:
      return true;
  }
}

/** Where a line stands: nothing on it yet, nothing but digits, or something. */
export type LineState = 'start' | 'digits' | 'begun';

/**
 * The first text of a line, escaped where it would begin a heading, a list, a quote, a rule or a table. Comes
 * after `escapeText`, and may come in pieces: `<b>1</b>. x` is no list either.
 */
export function escapeLineStart(text: string, state: LineState): { text: string; state: LineState } {
  const begun = 'begun' as const;
  if (state === 'begun') return { text, state };
  if (state === 'start' && /^[#+\-=>|]|^:(?:-|$)/.test(text)) return { text: `\\${text}`, state: begun };
  const [digits = ''] = /^\d*/.exec(text) ?? [];
  if (digits === '' && state === 'start') return { text, state: begun };
  const after = text.slice(digits.length);
  if (after === '') return { text, state: 'digits' };
  return { text: /^[.)](?:\s|$)/.test(after) ? `${digits}\\${after}` : text, state: begun };
}

/** Code between backticks that none of its own can end. */
export function inlineCode(code: string, { inCell }: Pick<EscapeContext, 'inCell'>): string {
  const fence = '`'.repeat(longestRun(code) + 1);
  const padded = /^`|`$|^ .* $/.test(code) ? ` ${code} ` : code;
  return `${fence}${inCell ? padded.replaceAll('|', '\\|') : padded}${fence}`;
}

/** A fence longer than any run of backticks in the code. */
export function codeFence(code: string): string {
  return '`'.repeat(Math.max(3, longestRun(code) + 1));
}

function longestRun(code: string): number {
  if (!code.includes('`')) return 0;
  return (code.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}
