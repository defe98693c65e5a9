import { stripVTControlCharacters, styleText } from 'node:util';

/** What a style means is decided here, once; views speak of meanings. */
const styles = {
  plain: [],
  strong: ['bold'],
  quiet: ['dim'],
  good: ['green'],
  warn: ['yellow'],
  bad: ['red'],
  link: ['cyan'],
} as const satisfies Record<string, Parameters<typeof styleText>[0]>;
export type Style = keyof typeof styles;

/** A piece of a line. Width is measured before colour is added. */
export type Segment = string | { style: Style; text: string };
export type Line = Segment[];

export type Paint = (style: Style, text: string) => string;

export function painter(colour: boolean): Paint {
  return (style, text) =>
    colour && styles[style].length > 0
      ? styleText([...styles[style]], text, { validateStream: false })
      : text;
}

/** The longest piece of foreign text that is ever looked at. */
const longest = 4096;

/**
 * Makes text from the web safe to print: no escape sequences, no control characters, nothing that turns
 * the direction of what follows. A title or header must not move the cursor or forge one of our lines.
 */
export function clean(text: string): string {
  return stripVTControlCharacters(text.slice(0, longest))
    .replace(/\s+/g, ' ')
    .replace(/[\p{Cc}\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/gu, '');
}

const zeroWidth = /[\p{Mn}\p{Me}\p{Cf}]/u;
const doubleWidth =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]/u;

/** Columns a text takes on a terminal. */
export function displayWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const char of text) width += charWidth(char);
  return width;
}

function charWidth(char: string): number {
  if (zeroWidth.test(char)) return 0;
  return doubleWidth.test(char) ? 2 : 1;
}

/** At most `columns` wide; what is cut is marked with an ellipsis. */
export function truncate(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  if (columns <= 0) return '';
  let width = 0;
  let out = '';
  for (const char of text) {
    width += charWidth(char);
    if (width > columns - 1) break;
    out += char;
  }
  return `${out}…`;
}

/** Cuts the middle, because both the host and the last part of a URL tell something. */
export function truncateMiddle(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text;
  if (columns < 5) return truncate(text, columns);
  const chars = [...text];
  const head = Math.ceil((columns - 1) * 0.6);
  return `${truncateHead(chars, head)}…${chars.slice(chars.length - (columns - 1 - head)).join('')}`;
}

function truncateHead(chars: string[], columns: number): string {
  return chars.slice(0, columns).join('');
}

export function padStart(text: string, columns: number): string {
  return ' '.repeat(Math.max(0, columns - displayWidth(text))) + text;
}

export function padEnd(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - displayWidth(text)));
}

/** Joins the pieces, cuts at the width, then adds colour. */
export function paintLine(line: Line, columns: number, paint: Paint): string {
  let left = columns;
  let out = '';
  for (const segment of line) {
    const { style, text } =
      typeof segment === 'string' ? { style: 'plain' as const, text: segment } : segment;
    const piece = truncate(text, left);
    left -= displayWidth(piece);
    out += paint(style, piece);
    if (piece !== text || left <= 0) break;
  }
  return out;
}

/** Breaks a sentence at spaces. Continuation lines are indented as told. */
export function wrap(text: string, columns: number, indent = ''): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && displayWidth(longer) > columns - (lines.length > 0 ? indent.length : 0)) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  lines.push(line);
  return lines.map((l, i) => (i === 0 ? l : indent + l));
}

/** With a full stop at the end, so that another sentence can follow. */
export function sentence(text: string): string {
  return /[.!?]$/.test(text.trim()) ? text.trim() : `${text.trim()}.`;
}
