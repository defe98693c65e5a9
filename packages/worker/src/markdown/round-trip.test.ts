import fc from 'fast-check';
import MarkdownIt from 'markdown-it';
import { expect, it } from 'vitest';
import { readTree } from '../tree/tree.ts';
import { toMarkdown } from './to-markdown.ts';

/** Inline content as a page may have it: text that looks like Markdown, in marks in any order and nesting. */
type Inline = string | { tag: 'strong' | 'em' | 'del' | 'sub' | 'sup' | 'a' | 'code'; children: Inline[] };

const awkward = [
  ...'*_`~[]()<>#+-=|!:;&\\.1 aB é€😀\u00a0',
  '\n',
  ' - ',
  '1. ',
  '&amp;',
  '![',
  '](',
  '***',
  '```',
];
const text = fc
  .array(fc.constantFrom(...awkward), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join(''));
const { inline } = fc.letrec<{ inline: Inline }>((tie) => ({
  inline: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    text,
    fc.record({
      tag: fc.constantFrom('strong', 'em', 'del', 'sub', 'sup', 'a', 'code'),
      children: fc.array(tie('inline'), { maxLength: 3 }),
    }) as fc.Arbitrary<Inline>,
  ),
}));

const escaped = (raw: string): string => raw.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** No link stands in a link, and none is looked for in code. */
function html(node: Inline, mayLink = true): string {
  if (typeof node === 'string') return escaped(node);
  const { tag, children } = node;
  const inner = children.map((child) => html(child, mayLink && tag !== 'a' && tag !== 'code')).join('');
  if (tag !== 'a') return `<${tag}>${inner}</${tag}>`;
  return mayLink ? `<a href="/x">${inner}</a>` : inner;
}

/** Each visible character with the marks around it: what must be the same on both sides. */
function seen(node: Inline, marks: readonly string[] = []): string[] {
  if (typeof node === 'string') {
    const around = [...new Set(marks)].sort().join(' ');
    return [...node].filter((char) => char.trim() !== '').map((char) => `${char} ${around}`);
  }
  // Within code nothing else is marked.
  const own = marks.includes('code') ? marks : [...marks, node.tag];
  return node.children.flatMap((child) => seen(child, own));
}

const reader = new MarkdownIt({ html: true });

function seenIn(markdown: string): string[] {
  const found: string[] = [];
  for (const block of reader.parse(markdown, {})) {
    if (!['paragraph_open', 'paragraph_close', 'inline'].includes(block.type)) found.push(block.type);
    const marks: string[] = [];
    for (const { type, tag, content, nesting } of block.children ?? []) {
      const name = tag === 's' ? 'del' : tag;
      if (nesting === 1) marks.push(name);
      else if (nesting === -1) marks.pop();
      else if (type === 'html_inline' && /^<su[bp]>$/.test(content)) marks.push(content.slice(1, -1));
      else if (type === 'html_inline' && /^<\/su[bp]>$/.test(content)) marks.pop();
      else if (type === 'code_inline') found.push(...seen(content, [...marks, 'code']));
      else if (type === 'text' || type === 'text_special') found.push(...seen(content, marks));
      else if (type !== 'softbreak') found.push(type);
    }
  }
  return found;
}

it('keeps text and marks, as an independent reader of Markdown sees them', () => {
  fc.assert(
    fc.property(fc.array(inline, { minLength: 1, maxLength: 5 }), (content) => {
      const page = `<p>${content.map((node) => html(node)).join('')}</p>`;
      const markdown = toMarkdown(readTree(page, { xml: false }).children, { base: 'https://a.example/' });
      expect(seenIn(markdown), markdown).toEqual(content.flatMap((node) => seen(node)));
    }),
    { numRuns: 500, seed: 7 },
  );
});
