import { extname, join } from 'node:path';
import { WebfarerError } from '@webfarer/protocol';
import { type AsideLimits, runAside } from '../../aside/run-aside.ts';
import type { Cut } from '../../tree/budget.ts';
import type { Tree, TreeNode } from '../../tree/nodes.ts';
import { element, treeOfNodes } from '../../tree/build.ts';
import type { PdfBlock } from './layout.ts';
import type { Payer } from '../../turnstile/fair-turnstile.ts';

export interface PdfTask {
  bytes: Uint8Array;
  maxLetters: number;
}

export type PdfAnswer =
  | { kind: 'read'; blocks: PdfBlock[]; cut: Cut | undefined }
  /** The package that reads PDFs is not installed. */
  | { kind: 'missing' }
  | { kind: 'damaged'; reason: string };

const limitsOfAll: AsideLimits = { timeoutMs: 60_000, maxBytes: 256 * 1024 * 1024 };
const maxLetters = 10_000_000;

/** The source as it is, or what was built of it. */
const entry = join(import.meta.dirname, `pdf-thread${extname(import.meta.filename)}`);

/** The text of a PDF: headings, paragraphs and items, as their places and sizes tell. */
export async function pdfTree(bytes: Buffer, payer: Payer, limits: AsideLimits = limitsOfAll): Promise<Tree> {
  const answer = await readAside(bytes, payer, limits);
  if (answer.kind === 'missing')
    throw new WebfarerError('usage', 'Reading PDFs needs the package unpdf, which is not installed.', {
      next: 'Install it beside webfarer:  npm install unpdf  (2.6 MB).',
    });
  if (answer.kind === 'damaged') throw new Error(`the PDF cannot be read: ${answer.reason}`);
  const tree = treeOfNodes(nodesOf(answer.blocks));
  if (answer.cut) tree.cut = answer.cut;
  return tree;
}

async function readAside(body: Buffer, payer: Payer, limits: AsideLimits): Promise<PdfAnswer> {
  const answer = await runAside<PdfAnswer>(payer, () => {
    const bytes = new Uint8Array(body);
    const data: PdfTask = { bytes, maxLetters };
    return { entry, data, transfer: [bytes.buffer], limits };
  });
  return answer.ok ? answer.value : { kind: 'damaged', reason: answer.reason };
}

function nodesOf(blocks: readonly PdfBlock[]): TreeNode[] {
  const nodes: TreeNode[] = [];
  let items: TreeNode[] = [];
  const endList = () => {
    if (items.length > 0) nodes.push(element('ul', {}, items));
    items = [];
  };
  for (const { level, isItem, text } of blocks) {
    if (isItem) items.push(element('li', {}, [text]));
    else {
      endList();
      nodes.push(element(level === undefined ? 'p' : `h${level}`, {}, [text]));
    }
  }
  endList();
  return nodes;
}
