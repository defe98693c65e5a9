import { contentOf } from '../../packages/worker/src/scrape/readings.ts';
import { toMarkdown } from '../../packages/worker/src/markdown/to-markdown.ts';
import { readTree } from '../../packages/worker/src/tree/tree.ts';
import { type JudgedPage, judgedPages, pageOf } from './judged-pages.ts';
import { keptLines } from './kept-lines.ts';
import { hashOf, pageBlocks } from './page-blocks.ts';

interface Counts {
  pages: number;
  content: number;
  kept: number;
  boilerplate: number;
}
const noCounts = (): Counts => ({ pages: 0, content: 0, kept: 0, boilerplate: 0 });

/** Main content as the saver writes it. */
export function mainMarkdown(html: string, url = 'https://judged.example/a/b'): string {
  const tree = readTree(html, { xml: false });
  return toMarkdown(contentOf({ tree, base: url, isPage: true }), { base: url });
}

/** Lines that were judged by hand, in the Markdown of their pages; other is every page that is no article. */
export function judgePages(
  corpora: string,
  write: (html: string) => string,
): { articles: Counts; others: Counts; changed: string[] } {
  const found = { articles: noCounts(), others: noCounts(), changed: [] as string[] };
  for (const page of judgedPages()) {
    const { html, digest } = pageOf(corpora, page.file);
    if (digest === page.digest)
      judge(page, html, write(html), page.kind === 'article' ? found.articles : found.others);
    else found.changed.push(page.file);
  }
  return found;
}

function judge({ content, either }: JudgedPage, html: string, markdown: string, into: Counts): void {
  const wanted = new Set(content);
  const free = new Set(either);
  const has = keptLines(markdown);
  const seen = new Set<string>();
  into.pages++;
  for (const { text } of pageBlocks(html)) {
    const hash = hashOf(text);
    if (seen.has(hash) || (free.has(hash) && !wanted.has(hash))) continue;
    seen.add(hash);
    const isKept = has.has(text);
    if (wanted.has(hash)) {
      into.content++;
      if (isKept) into.kept++;
    } else if (isKept) into.boilerplate++;
  }
}

export const recallOf = ({ kept, content }: Counts): number => kept / content;
/** Of the lines that were kept. */
export const boilerplateOf = ({ kept, boilerplate }: Counts): number => boilerplate / (kept + boilerplate);
