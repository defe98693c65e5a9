import { parseDocument } from 'htmlparser2';
import { randomNumbers } from '../../bench/random.ts';
import { toMarkdown } from '../../packages/worker/src/markdown/to-markdown.ts';
import { readTree } from '../../packages/worker/src/tree/tree.ts';
import { base, type Block, type MadePage, madePage, type Word } from '../markdown/made-page.ts';
import { addressesIn, readMarkdown, textIn } from '../markdown/read-markdown.ts';
import { argument } from '../prove/lab.ts';
import type { ProofResult } from '../prove.ts';
import type { Reading, RealPage } from './real-pages.ts';

const sizes = { quick: { made: 200, real: 80 }, full: { made: 2_000, real: Number.POSITIVE_INFINITY } };
/** Of a script or style sheet, that are looked for in the text: so many do not stand there by chance. */
const codeLength = 40;

/**
 * Markdown says what the page says, as markdown-it reads it: headings, lists in lists, tables, code and links of made pages are
 * those that they were made of. On real pages: no error, no text of scripts and style sheets, all addresses absolute.
 * Controls, each certain by what it does: Markdown without its escapes, with a script in its text, with relative addresses.
 */
export async function judgeMarkdown({ quick, args, pages }: Reading): Promise<ProofResult> {
  const size = quick ? sizes.quick : sizes.full;
  const seed = Number(argument(args, '--seed') ?? Math.floor(Math.random() * 1e6));
  const random = randomNumbers(seed);
  const made = Array.from({ length: size.made }, () => madePage(random));
  const wrong = made.filter((page) => !isKept(page, markdownOf(page.html, base), console.error));
  const unescaped = made.filter((page) => !isKept(page, markdownOf(page.html, base).replaceAll('\\', '')));

  const real = pages.slice(0, size.real);
  const found = { errors: 0, withCode: 0, relative: 0, addresses: 0 };
  const controls = { pagesWithScripts: 0, scriptSeen: 0, pagesWithLinks: 0, relativeSeen: 0 };
  for (const page of real) {
    const markdown = written(page);
    if (markdown === undefined) {
      found.errors++;
      continue;
    }
    const hidden = hiddenCode(page);
    if (showsCode(markdown, hidden)) found.withCode++;
    const addresses = addressesIn(markdown);
    found.addresses += addresses.length;
    found.relative += addresses.filter(isRelative).length;
    const [code] = hidden;
    if (code !== undefined) {
      controls.pagesWithScripts++;
      if (showsCode(`${markdown}\n\n\`\`\`\n${code}\n\`\`\`\n`, hidden)) controls.scriptSeen++;
    }
    if (addresses.some((address) => address.startsWith('https://'))) {
      controls.pagesWithLinks++;
      if (addressesIn(markdown.replaceAll(/https:\/\/[^/)>\s]+/g, '')).some(isRelative))
        controls.relativeSeen++;
    }
  }
  const controlsHold =
    unescaped.length === made.length &&
    controls.pagesWithScripts > 0 &&
    controls.scriptSeen === controls.pagesWithScripts &&
    controls.pagesWithLinks > 0 &&
    controls.relativeSeen === controls.pagesWithLinks;
  const holds = wrong.length + found.errors + found.withCode + found.relative === 0;
  return {
    ok: holds && controlsHold,
    result: {
      madePages: made.length,
      wrong: wrong.length,
      wrongWithoutEscapes: unescaped.length,
      realPages: real.length,
      ...found,
      ...controls,
      sizes: { seed, quick },
    },
  };
}

const markdownOf = (html: string, url: string): string =>
  toMarkdown(readTree(html, { xml: false }).children, { base: url });

function written({ name, tree, url }: RealPage): string | undefined {
  try {
    return toMarkdown(tree().children, { base: url });
  } catch (error) {
    console.error(`  ${name}: ${String(error)}`);
    return undefined;
  }
}

function isKept({ blocks }: MadePage, markdown: string, log?: (line: string) => void): boolean {
  const expected = blocks.map((block) => JSON.stringify(comparable(block)));
  const read = readMarkdown(markdown).map((block) => JSON.stringify(comparable(block)));
  const at = expected.findIndex((block, index) => block !== read[index]);
  if (at < 0 && read.length === expected.length) return true;
  log?.(
    `  expected ${expected[at] ?? 'nothing more'}\n  read     ${read[at < 0 ? expected.length : at] ?? 'nothing'}`,
  );
  return false;
}

/** Addresses as a browser understands them. */
function comparable(block: Block): Block {
  const words = (list: readonly Word[]): Word[] =>
    list.map(([text, marks, href]) => [text, marks, href === '' ? '' : new URL(href, base).href]);
  switch (block.kind) {
    // One that links to itself is its text.
    case 'heading':
      return { ...block, words: words(block.words.map(withoutPermalink)) };
    case 'paragraph':
      return { ...block, words: words(block.words) };
    case 'quote':
      return { ...block, blocks: block.blocks.map(comparable) };
    case 'list':
      return { ...block, items: block.items.map((item) => item.map(comparable)) };
    case 'table':
      return { ...block, header: block.header.map(words), rows: block.rows.map((row) => row.map(words)) };
    case 'code':
      return block;
  }
}

const withoutPermalink = ([text, marks, href]: Word): Word => [text, marks, href.startsWith('#') ? '' : href];

const isRelative = (address: string): boolean => !/^(?:https?:\/\/|mailto:|tel:|ftp:)/.test(address);

/** The beginnings of scripts and style sheets, by another parser than ours. Pages may quote them: these do not count. */
function hiddenCode({ html }: RealPage): string[] {
  const codes: string[] = [];
  const shown: string[] = [];
  const read = (nodes: ReturnType<typeof parseDocument>['children']): void => {
    for (const node of nodes) {
      if (node.type === 'script' || node.type === 'style') {
        const [content] = node.children;
        const code = content?.type === 'text' ? folded(content.data).slice(0, codeLength).trim() : '';
        if (code.length >= codeLength - 1 && !code.includes('```')) codes.push(code);
      } else if (node.type === 'text') shown.push(node.data);
      else if ('children' in node) read(node.children);
    }
  };
  read(parseDocument(html).children);
  const quoted = folded(shown.join(' '));
  return codes.filter((code) => !quoted.includes(code));
}

function showsCode(markdown: string, codes: readonly string[]): boolean {
  const text = folded(textIn(markdown));
  return codes.some((code) => text.includes(code));
}

const folded = (text: string): string => text.replace(/\s+/g, ' ').trim();
