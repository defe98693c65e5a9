import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { detectMime, isHtml, isXml, parseContentType, sniffMime } from './mime.ts';

describe('a content type', () => {
  it.each([
    ['text/html', 'text/html', undefined],
    ['Text/HTML; Charset="UTF-8"', 'text/html', 'UTF-8'],
    ["text/html;charset='koi8-r'", 'text/html', 'koi8-r'],
    ['text/html; boundary=x; charset=big5; charset=utf-8', 'text/html', 'big5'],
    ['text/html; charset=', 'text/html', undefined],
    ['application/rss+xml ; charset = utf-8', 'application/rss+xml', 'utf-8'],
    ['html', '', undefined],
    ['text/html, text/plain', '', undefined],
    ['', '', undefined],
    [undefined, '', undefined],
  ])('%s', (header, mime, charset) => {
    expect(parseContentType(header)).toEqual({ mime, charset });
  });

  it('is one of a kind', () => {
    expect(['text/html', 'application/xhtml+xml', 'text/plain'].map(isHtml)).toEqual([true, true, false]);
    expect(['text/xml', 'image/svg+xml', 'text/html'].map(isXml)).toEqual([true, true, false]);
  });
});

it.each([
  ['<!DOCTYPE html><p>', 'text/html'],
  ['\n  <html lang=en>', 'text/html'],
  ['<!-- hi --><p>', 'text/html'],
  ['\u00ef\u00bb\u00bf<html>', 'text/html'],
  ['<?xml version="1.0"?><rss>', 'application/xml'],
  ['<?xml version="1.0"?><html xmlns="x">', 'application/xhtml+xml'],
  ['<urlset xmlns="x">', 'application/xml'],
  ['<p', 'text/html'],
  ['<Project ToolsVersion="4.0">', 'text/plain'],
  ['<abbr>', 'text/plain'],
  ['%PDF-1.7', 'application/pdf'],
  ['just words, 1 < 2', 'text/plain'],
  ['a\u0000b', 'application/octet-stream'],
  ['', 'text/plain'],
])('a body without a type: %j', (text, mime) => {
  expect(sniffMime(Buffer.from(text, 'latin1'))).toBe(mime);
});

it('knows compressed and UTF-16 bodies', () => {
  expect(sniffMime(gzipSync('x'))).toBe('application/gzip');
  expect(sniffMime(Buffer.from('\ufeff<!doctype html>', 'utf16le'))).toBe('text/html');
});

it.each([
  ['', '<!doctype html>', 'text/html'],
  ['text/html', '<!doctype html>', 'text/html'],
  ['text/html', 'just words', 'text/html'],
  ['text/html', '%PDF-1.7', 'application/pdf'],
  ['text/plain', '<!doctype html>', 'text/html'],
  ['text/css', '<!-- a{} -->', 'text/css'],
  ['application/json', '{"a":1}', 'application/json'],
  ['application/octet-stream', 'just words', 'text/plain'],
  ['application/rss+xml', '<?xml version="1.0"?><rss>', 'application/rss+xml'],
  ['application/vnd.oasis.opendocument.text', 'PK\u0003\u0004', 'application/vnd.oasis.opendocument.text'],
  ['text/html', 'a\u0000b', 'application/octet-stream'],
  ['image/webp', 'a\u0000b', 'image/webp'],
  ['image/png', '\u00ff\u00d8\u00ff', 'image/jpeg'],
])('served as %j, the bytes %j speak for %s', (served, text, mime) => {
  expect(detectMime(served, Buffer.from(text, 'latin1'))).toBe(mime);
});
