import { parentPort, workerData } from 'node:worker_threads';
import { layOutPdf, type PdfPiece } from './layout.ts';
import type { PdfAnswer, PdfTask } from './pdf.ts';

/** Reads one PDF in a thread that may be ended at any time. */
async function read({ bytes, maxLetters }: PdfTask): Promise<PdfAnswer> {
  const unpdf = await import('unpdf').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') return undefined;
    throw error;
  });
  if (!unpdf) return { kind: 'missing' };
  const pdf = await unpdf.getDocumentProxy(bytes, { verbosity: 0 });
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
  return { kind: 'read', blocks: layOutPdf(pages) };
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

try {
  parentPort?.postMessage(await read(workerData as PdfTask));
} catch (error) {
  const reason = error instanceof Error ? error.message : String(error);
  parentPort?.postMessage({ kind: 'damaged', reason } satisfies PdfAnswer);
}
