import MarkdownIt, { type Token } from 'markdown-it';
import { normal } from './page-blocks.ts';

const reader = new MarkdownIt({ html: true });

/** What Markdown says, as markdown-it reads it: which lines of a page are in it. */
export interface KeptLines {
  has(text: string): boolean;
}

/** Shorter lines stand in others by chance. */
const minInner = 40;

export function keptLines(markdown: string): KeptLines {
  const lines = new Set<string>();
  let all = '';
  const add = (text: string) => {
    for (const line of text.split('\n')) {
      const letters = normal(line);
      if (letters === '') continue;
      lines.add(letters);
      all += letters;
    }
  };
  for (const token of reader.parse(markdown, {})) {
    if (token.type === 'fence' || token.type === 'code_block') add(token.content);
    else if (token.type === 'inline') {
      const text = inlineText(token);
      add(text);
      // A line of the page that a link or a mark divides is one line of Markdown, and the other way round.
      if (text.includes('\n')) add(text.replaceAll('\n', ' '));
    }
  }
  return {
    has(text) {
      const letters = normal(text);
      return lines.has(letters) || (letters.length >= minInner && all.includes(letters));
    },
  };
}

function inlineText({ children }: Token): string {
  return (children ?? [])
    .map((child) => {
      if (child.type === 'softbreak' || child.type === 'hardbreak') return '\n';
      if (child.type === 'html_inline' || child.type === 'image') return '';
      return child.content;
    })
    .join('');
}
