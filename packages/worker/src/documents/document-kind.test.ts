import { expect, test } from 'vitest';
import { docxOf, pdfOf, zipOf } from './documents.fixture.ts';
import { type DocumentKind, documentKind } from './document-kind.ts';

const cases: [string, string | Buffer, DocumentKind | undefined][] = [
  ['text/html', '', 'html'],
  ['', '<!doctype html>', 'html'],
  ['application/pdf', '', 'pdf'],
  ['application/octet-stream', pdfOf([[]]), 'pdf'],
  ['application/octet-stream', docxOf(''), 'docx'],
  ['application/zip', zipOf([{ name: 'a', content: '' }]), undefined],
  ['application/atom+xml', '', 'feed'],
  ['text/xml', '<rss>', 'feed'],
  ['text/xml', '<a>', 'plain'],
  ['application/feed+json', '', 'json'],
  ['text/csv', '', 'plain'],
  ['image/png', '', undefined],
  ['application/octet-stream', '\0\u0001', undefined],
];

for (const [mime, body, kind] of cases)
  test(`${mime || 'no type'} with ${String(body).slice(0, 8) || 'nothing'}: ${kind ?? 'no text'}`, () => {
    expect(documentKind(mime, Buffer.from(body as string))).toBe(kind);
  });
