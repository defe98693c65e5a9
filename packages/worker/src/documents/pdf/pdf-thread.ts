import { serveAside } from '../../aside/serve-aside.ts';
import { layOutPdf, type PdfBlock, type PdfPiece } from './layout.ts';
import { createBudget, spendNode, spendText, withinBudget } from '../../tree/budget.ts';
import type { PdfAnswer, PdfTask } from './pdf.ts';

/** Reads one PDF after the other, in a thread that may be ended at any time. */
async function read({ bytes, maxLetters }: PdfTask): Promise<PdfAnswer> {
  const unpdf = await import('unpdf').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  });
  if (!unpdf) return { kind: 'missing' };
  const pdf = await unpdf.getDocumentProxy(bytes, { verbosity: 0 });
  try {
    const pages = await piecesOf(pdf, maxLetters);
    return { kind: 'read', ...withinBudgetOf(layOutPdf(pages)) };
  } finally {
    await pdf.loadingTask.destroy();
  }
}

type Pdf = Awaited<ReturnType<typeof import('unpdf').getDocumentProxy>>;

async function piecesOf(pdf: Pdf, maxLetters: number): Promise<PdfPiece[][]> {
  const pages: PdfPiece[][] = [];
  let letters = 0;
  for (let number = 1; number <= pdf.numPages && letters < maxLetters; number++) {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    const pieces = items.flatMap((item) => ('str' in item ? [pieceOf(item)] : []));
    for (const { text } of pieces) letters += text.length;
    pages.push(pieces);
    page.cleanup();
  }
  return pages;
}

/** As many as a document of any other format may have. */
function withinBudgetOf(blocks: readonly PdfBlock[]): Pick<PdfAnswer & { kind: 'read' }, 'blocks' | 'cut'> {
  const budget = createBudget();
  const kept: PdfBlock[] = [];
  withinBudget(() => {
    for (const block of blocks) {
      spendNode(budget);
      spendNode(budget);
      spendText(budget, block.text.length, (length) =>
        kept.push({ ...block, text: block.text.slice(0, length) }),
      );
    }
  });
  return { blocks: kept, cut: budget.cut };
}

interface Item {
  str: string;
  transform: number[];
  width: number;
  hasEOL: boolean;
}

function pieceOf({ str, transform, width, hasEOL }: Item): PdfPiece {
  const [a = 0, b = 0, c = 0, d = 0, x = 0, y = 0] = transform;
  const size = Math.hypot(c, d) || Math.hypot(a, b);
  return { text: str, x, y, width, size, endsLine: hasEOL };
}

serveAside(async (task: PdfTask): Promise<PdfAnswer> => {
  try {
    return await read(task);
  } catch (error) {
    return { kind: 'damaged', reason: error instanceof Error ? error.message : String(error) };
  }
});
