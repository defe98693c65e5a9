import { rawPdf } from '../../../packages/worker/src/documents/documents.fixture.ts';
import { type Bomb, filled, maker, numbered, text } from '../bomb.ts';

const document = maker('pdf', 'text', 'application/pdf');

/** A PDF of these objects, the first of them its catalog. Without a table: a reader looks for the objects itself. */
const objects = (...bodies: readonly string[]) =>
  `%PDF-1.7\n${bodies.map((body, at) => `${at + 1} 0 obj\n${body}\nendobj\n`).join('')}trailer\n<< /Size ${bodies.length + 1} /Root 1 0 R >>\nstartxref\n0\n%%EOF`;
const catalog = '<< /Type /Catalog /Pages 2 0 R >>';
const onePage = '<< /Type /Pages /Kids [3 0 R] /Count 1 >>';
const page = (more: string) => `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] ${more} >>`;
const stream = (content: string, more = '') =>
  `<< /Length ${content.length} ${more} >>\nstream\n${content}\nendstream`;

export const pdfBombs: readonly Bomb[] = [
  document('operators', () => rawPdf([Buffer.alloc(8_000_000, 'q Q ')])),
  document(
    'letters',
    () =>
      rawPdf([
        Buffer.from(
          `BT /F1 0.01 Tf 9 700 Td ${filled(`(${'*_[]'.repeat(2_000)}) Tj 0 -0.1 Td\n`, 4_000_000)} ET`,
        ),
      ]),
    { says: text },
  ),
  document('one-line', () =>
    rawPdf([Buffer.from(`BT /F1 0.001 Tf 9 700 Td ${filled('(a) Tj ', 2_000_000)} ET`)]),
  ),
  document('pages', () => rawPdf(Array.from({ length: 5_000 }, () => Buffer.from('BT /F1 9 Tf (a) Tj ET')))),
  document('pages-in-a-circle', () =>
    objects(catalog, '<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 1000000 >>'),
  ),
  document('forms-in-forms', () =>
    objects(
      catalog,
      onePage,
      page('/Contents 4 0 R /Resources << /XObject << /A 5 0 R >> >>'),
      stream('/A Do'),
      ...Array.from({ length: 30 }, (_, at) =>
        stream(
          '/A Do '.repeat(10),
          `/Type /XObject /Subtype /Form /BBox [0 0 1 1] /Resources << /XObject << /A ${at + 6} 0 R >> >>`,
        ),
      ),
    ),
  ),
  document('lists-in-lists', () => objects(catalog, onePage, page(`/A ${'['.repeat(2_000_000)}`))),
  document('names', () => objects(catalog, onePage, page(numbered(300_000, (at) => `/N${at} ${at} `)))),
  document('objects', () =>
    objects(catalog, onePage, page(''), ...Array.from({ length: 60_000 }, () => '0')),
  ),
  document('letters-of-a-font', () =>
    objects(
      catalog,
      onePage,
      page(
        '/Contents 4 0 R /Resources << /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 5 0 R >> >> >>',
      ),
      stream('BT /F 9 Tf (a) Tj ET'),
      stream(
        `begincmap ${numbered(400, () => `1 beginbfrange <0000> <ffff> <0041> endbfrange `)}endcmap`,
        '/Type /CMap',
      ),
    ),
  ),
  document(
    'tables-in-a-circle',
    () => `%PDF-1.4\nxref\n0 1\n0000000000 65535 f \ntrailer\n<< /Prev 9 /Size 1 >>\nstartxref\n9\n%%EOF`,
  ),
];
