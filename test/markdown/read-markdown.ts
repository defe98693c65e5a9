import MarkdownIt, { type Token } from 'markdown-it';
import type { Block, Word } from './made-page.ts';

/** CommonMark with tables, by people who never saw our writer. */
const reader = new MarkdownIt();

/** What Markdown says, as markdown-it reads it. What a made page never has comes back as a paragraph that names it. */
export function readMarkdown(markdown: string): Block[] {
  const tokens = reader.parse(markdown, {});
  return new BlockReader(tokens).blocks(undefined);
}

/** The addresses of all links and images. */
export function addressesIn(markdown: string): string[] {
  return reader.parse(markdown, {}).flatMap(({ children }) =>
    (children ?? []).flatMap((token) => {
      if (token.type === 'link_open') return [String(token.attrGet('href') ?? '')];
      return token.type === 'image' ? [String(token.attrGet('src') ?? '')] : [];
    }),
  );
}

/** All text, that of code too, each run of white space as one space. */
export function textIn(markdown: string): string {
  const textOf = (token: Token): string =>
    token.children ? token.children.map(textOf).join('') : token.type === 'softbreak' ? ' ' : token.content;
  return reader.parse(markdown, {}).map(textOf).join(' ').replace(/\s+/g, ' ');
}

class BlockReader {
  readonly #tokens: Token[];
  #at = 0;

  constructor(tokens: Token[]) {
    this.#tokens = tokens;
  }

  #next(): Token {
    return this.#tokens[this.#at++] as Token;
  }

  /** Up to the token that closes them. */
  blocks(until: string | undefined): Block[] {
    const blocks: Block[] = [];
    while (this.#at < this.#tokens.length) {
      const token = this.#next();
      if (token.type === until) break;
      blocks.push(this.#block(token));
    }
    return blocks;
  }

  #block(token: Token): Block {
    switch (token.type) {
      case 'heading_open':
        return { kind: 'heading', level: Number(token.tag.slice(1)), words: this.#inline() };
      case 'paragraph_open':
        return { kind: 'paragraph', words: this.#inline() };
      case 'fence':
        return { kind: 'code', language: token.info, code: token.content.replace(/\n$/, '') };
      case 'blockquote_open':
        return { kind: 'quote', blocks: this.blocks('blockquote_close') };
      case 'bullet_list_open':
        return { kind: 'list', start: undefined, items: this.#items('bullet_list_close') };
      case 'ordered_list_open':
        return {
          kind: 'list',
          start: Number(token.attrGet('start') ?? 1),
          items: this.#items('ordered_list_close'),
        };
      case 'table_open': {
        const [header = [], ...rows] = this.#rows();
        return { kind: 'table', header, rows };
      }
      default:
        return { kind: 'paragraph', words: [[token.type, 'unexpected', '']] };
    }
  }

  /** The text of a block, and the token that closes it. */
  #inline(): Word[] {
    const words = wordsOf(this.#next().children ?? []);
    this.#next();
    return words;
  }

  #items(until: string): Block[][] {
    const items: Block[][] = [];
    while (this.#next().type !== until) items.push(this.blocks('list_item_close'));
    return items;
  }

  #rows(): Word[][][] {
    const rows: Word[][][] = [];
    for (let token = this.#next(); token.type !== 'table_close'; token = this.#next()) {
      if (token.type === 'tr_open') rows.push([]);
      if (token.type === 'inline') rows.at(-1)?.push(wordsOf(token.children ?? []));
    }
    return rows;
  }
}

function wordsOf(tokens: readonly Token[]): Word[] {
  const runs: Word[] = [];
  const marks: string[] = [];
  let href = '';
  const add = (text: string, more: readonly string[] = []) => {
    const around = [...new Set([...marks, ...more])].toSorted().join(' ');
    const last = runs.at(-1);
    if (last && last[1] === around && last[2] === href) last[0] += text;
    else runs.push([text, around, href]);
  };
  for (const token of tokens) {
    if (token.type === 'link_open') href = String(token.attrGet('href') ?? '');
    else if (token.type === 'link_close') href = '';
    else if (token.nesting === 1) marks.push(token.tag);
    else if (token.nesting === -1) marks.pop();
    else if (token.type === 'code_inline') add(token.content, ['code']);
    else if (token.type === 'softbreak') add(' ');
    else add(token.type === 'text' ? token.content : `(${token.type})`);
  }
  return runs.flatMap(([text, around, to]) =>
    text.split(/\s+/).flatMap((word): Word[] => (word === '' ? [] : [[word, around, to]])),
  );
}
