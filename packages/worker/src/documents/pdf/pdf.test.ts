import { describe, expect, test } from 'vitest';
import { toMarkdown } from '../../markdown/to-markdown.ts';
import { type PdfLine, pdfOf, rawPdf } from '../documents.fixture.ts';
import { openAccount } from '../../shares/account.ts';
import { pdfTree } from './pdf.ts';

const payer = { account: openAccount(), host: 'a.example' };
const markdownOf = async (pdf: Buffer) =>
  toMarkdown((await pdfTree(pdf, payer)).children, { base: 'https://a.example/' });
const line = (text: string, y: number, size = 11): PdfLine => ({ text, y, size, x: 72 });

// A thread that loads the reader, on a machine that may be busy.
describe('a PDF', { timeout: 120_000 }, () => {
  test('has headings by size, paragraphs by distance, and items by their signs', async () => {
    const first = [
      line('Annual report', 700, 24),
      line('The first line of a para-', 660),
      line('graph that (goes) on.', 646),
      line('Another one.', 600),
      line('Tides', 560, 16),
      line('• neap', 530),
      line('• spring', 516),
    ];
    expect(await markdownOf(pdfOf([first, [line('On the next page.', 700)]]))).toBe(
      '# Annual report\n\nThe first line of a paragraph that (goes) on.\n\nAnother one.\n\n## Tides\n\n- neap\n- spring\n\nOn the next page.',
    );
  });

  test('that is none is refused', async () => {
    await expect(pdfTree(Buffer.from('%PDF-1.4 nonsense'), payer)).rejects.toThrow(
      'the PDF cannot be read: Invalid PDF',
    );
  });

  test('that takes too long is given up, and this process works on meanwhile', async () => {
    const endless = rawPdf([Buffer.alloc(200_000_000, 'q Q ')]);
    let turns = 0;
    const counting = setInterval(() => turns++, 1);
    try {
      await expect(pdfTree(endless, payer, { timeoutMs: 1_000, maxBytes: 2 ** 30 })).rejects.toThrow(
        'the PDF cannot be read: it takes longer than 1000 ms',
      );
    } finally {
      clearInterval(counting);
    }
    expect(turns).toBeGreaterThan(10);
  });

  test('that takes too much memory is given up', async () => {
    const limits = { timeoutMs: 100_000, maxBytes: 1_000_000 };
    await expect(pdfTree(rawPdf([Buffer.alloc(40_000_000, 'q Q ')]), payer, limits)).rejects.toThrow(
      'the PDF cannot be read: it takes more than 1000000 bytes of memory',
    );
  });

  test('of more text than is worked on is cut, and says so', async () => {
    // So small that all of it stands on the page.
    const line = `(${'letters '.repeat(1_000)}) Tj 0 -0.1 Td`;
    const pdf = rawPdf([Buffer.from(`BT /F1 0.01 Tf 9 700 Td ${`${line}\n`.repeat(300)} ET`)]);
    const { cut, children } = await pdfTree(pdf, payer);
    expect(cut).toBe('text');
    expect(toMarkdown(children, { base: 'https://a.example/' }).length).toBeLessThan(2_100_000);
  });
});
