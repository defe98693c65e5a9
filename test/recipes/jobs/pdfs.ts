import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { html, jsonLines, nothing, type Recipe, siteOf, unlike } from '../recipe.ts';

const origin = 'https://example.org';
const pdf = { type: 'application/pdf' };
const texts: Record<string, string> = {
  '/docs/report.pdf': 'The annual report has one page.',
  '/docs/prices.pdf': 'All prices are in euros.',
};
const documents = Object.fromEntries(Object.entries(texts).map(([path, text]) => [path, pdfOf(text)]));

/** The smallest document that shows a line of text. */
function pdfOf(text: string): Buffer {
  const drawing = `BT /F1 18 Tf 72 720 Td (${text}) Tj ET`;
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>',
    `<< /Length ${drawing.length} >>\nstream\n${drawing}\nendstream`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ];
  let file = '%PDF-1.4\n';
  const offsets = objects.map((object, n) => {
    const at = file.length;
    file += `${n + 1} 0 obj\n${object}\nendobj\n`;
    return at;
  });
  const table = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('');
  const size = objects.length + 1;
  return Buffer.from(
    `${file}xref\n0 ${size}\n0000000000 65535 f \n${table}trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`,
  );
}

interface Listed {
  url: string;
  page: string;
  text: string;
  path: string;
}

const fileOf = (folder: string) => join(folder, 'example.org.crawl/files.jsonl');
const listed = (folder: string) => jsonLines<Listed>(readFileSync(fileOf(folder), 'utf8'));

export const pdfs: Recipe = {
  ...nothing,
  name: 'all-pdfs',
  hosts: {
    'example.org': siteOf({
      '/': html('Home', '<a href="/docs/">Documents</a> <a href="/docs/report.pdf">Report</a>'),
      '/docs/': html(
        'Documents',
        '<a href="report.pdf">Annual report</a> <a href="prices.pdf">Prices</a> <a href="/notes.txt">Notes</a>',
      ),
      '/notes.txt': { type: 'text/plain', body: 'not a document' },
      ...Object.fromEntries(Object.entries(documents).map(([path, body]) => [path, { ...pdf, body }])),
    }),
  },
  judge({ folder }) {
    const files = listed(folder);
    return [
      ...unlike(
        'files',
        files.map(({ url }) => url),
        Object.keys(documents).map((path) => origin + path),
      ),
      ...files.flatMap(({ url, path }) =>
        readFileSync(join(folder, 'example.org.crawl', path)).equals(
          documents[url.slice(origin.length)] ?? Buffer.alloc(0),
        )
          ? []
          : [`${path} is not what the site sent`],
      ),
      ...Object.entries(texts).flatMap(([path, text]) =>
        readFileSync(join(folder, `example.org.crawl/markdown/example.org${path}.md`), 'utf8').includes(text)
          ? []
          : [`${path} has lost its text`],
      ),
    ];
  },
  harm({ folder }) {
    const [first] = listed(folder);
    writeFileSync(join(folder, 'example.org.crawl', first?.path ?? ''), 'something else');
  },
};
