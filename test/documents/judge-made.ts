import MarkdownIt from 'markdown-it';
import { type MadeBlock, Maker } from './made-blocks.ts';
import { mainMarkdown } from './judge-pages.ts';
import { skeletons } from './made-skeletons.ts';

const reader = new MarkdownIt({ html: true });

export interface MadeCounts {
  pages: number;
  blocks: number;
  lost: number;
  /** Found, but as something else. */
  otherKind: number;
  boilerplate: number;
}

/** Every skeleton with each of so many seeds. `log` is told of each block that is wrong. */
export function judgeMade(seeds: readonly number[], log: (line: string) => void): Record<string, MadeCounts> {
  const found: Record<string, MadeCounts> = {};
  for (const [kind, made] of Object.entries(skeletons)) {
    const counts: MadeCounts = { pages: 0, blocks: 0, lost: 0, otherKind: 0, boilerplate: 0 };
    for (const [name, skeleton] of Object.entries(made))
      for (const seed of seeds) {
        const make = new Maker(seed);
        const html = skeleton(make);
        judgeOne(make, mainMarkdown(html), counts, (line) => log(`${kind}, ${name}, seed ${seed}: ${line}`));
      }
    found[kind] = counts;
  }
  return found;
}

export function judgeOne(
  { content, boilerplate }: Pick<Maker, 'content' | 'boilerplate'>,
  markdown: string,
  into: MadeCounts,
  log: (line: string) => void,
): void {
  const blocks = markdownBlocks(markdown);
  into.pages++;
  for (const block of content) {
    const { mark, kind } = block;
    into.blocks++;
    const places = blocks.filter(({ text }) => hasWord(text, mark));
    if (places.length === 0) {
      into.lost++;
      log(`lost ${kind} ${mark}`);
    } else if (!places.some((place) => fits(place, block))) {
      into.otherKind++;
      log(`${kind} ${mark} is ${places[0]?.kind}: ${places[0]?.text.slice(0, 60)}`);
    }
  }
  for (const mark of boilerplate)
    if (blocks.some(({ text }) => hasWord(text, mark))) {
      into.boilerplate++;
      log(`kept ${mark}`);
    }
}

interface MarkdownBlock {
  kind: string;
  /** Of the source. */
  text: string;
}

const hasWord = (text: string, word: string): boolean => new RegExp(`\\b${word}\\b`).test(text); // allow(expression): of letters and digits only

function fits(place: MarkdownBlock, { kind, says }: MadeBlock): boolean {
  if (says !== undefined && !place.text.includes(says)) return false;
  if (kind === 'item') return place.kind === 'item' || place.kind === 'paragraph';
  if (kind === 'term') return place.text.startsWith('**');
  return place.kind === kind || (kind === 'paragraph' && place.kind === 'item');
}

/** Runs of text and code, each with what it stands in. */
function markdownBlocks(markdown: string): MarkdownBlock[] {
  const found: MarkdownBlock[] = [];
  const around: string[] = [];
  let note = '';
  for (const token of reader.parse(markdown, {})) {
    if (token.nesting === 1)
      around.push(token.type === 'heading_open' ? `heading ${token.tag.slice(1)}` : token.type);
    if (token.nesting === -1) around.pop();
    if (token.type === 'blockquote_close') note = '';
    if (token.type === 'fence') found.push({ kind: 'code', text: token.content });
    if (token.type !== 'inline') continue;
    const [, label] = /^\[!(\w+)\]$/.exec(token.content) ?? [];
    if (label !== undefined) note = label;
    found.push({ kind: note === '' ? kindIn(around) : `note ${note}`, text: token.content });
  }
  return found;
}

function kindIn(around: readonly string[]): string {
  const last = around.at(-1) ?? '';
  if (last.startsWith('heading')) return last;
  if (around.some((one) => one === 'td_open' || one === 'th_open')) return 'cell';
  return around.includes('list_item_open') ? 'item' : 'paragraph';
}
