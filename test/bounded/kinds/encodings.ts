import { brotliCompressSync, constants, deflateRawSync, gzipSync } from 'node:zlib';
import { answerOf, type Bomb, filled, html, maker } from '../bomb.ts';

const page = maker('encodings', 'text');

const packed = (coding: string, pack: (body: Buffer) => Buffer, body: () => string): Partial<Bomb> => ({
  answer: html(() => pack(Buffer.from(body())), ['content-encoding', coding]),
});
const none = () => '';
const large = 60_000_000;

/** Of a body: how it is packed, and which characters its bytes stand for. */
export const encodingBombs: readonly Bomb[] = [
  page(
    'gzip',
    none,
    packed('gzip', gzipSync, () => `<p>${filled('a', large)}`),
  ),
  page(
    'gzip-twice',
    none,
    packed(
      'gzip, gzip',
      (body) => gzipSync(gzipSync(body)),
      () => filled('<p>a', large),
    ),
  ),
  page(
    'gzip-members',
    none,
    packed(
      'gzip',
      (body) => Buffer.concat(Array.from<Buffer>({ length: 20_000 }).fill(gzipSync(body))),
      () => '<p>a',
    ),
  ),
  page(
    'deflate-raw',
    none,
    packed('deflate', deflateRawSync, () => filled('<b>a', large)),
  ),
  page(
    'brotli',
    none,
    packed(
      'br',
      (body) => brotliCompressSync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } }),
      () => filled('<i>a', large),
    ),
  ),
  page('many-layers', () => '<p>a', {
    answer: html(() => '<p>a', ['content-encoding', 'gzip, '.repeat(200).slice(0, -2)]),
    says: { verdict: 'failed', reason: 'bad-encoding' },
  }),
  page('two-bytes', () => Buffer.from(`<p>${filled('ä', 4_900_000)}`, 'utf16le'), {
    answer: answerOf('text/html; charset=utf-16le', () =>
      Buffer.from(`<p>${filled('ä', 4_900_000)}`, 'utf16le'),
    ),
    says: { cut: 'text' },
  }),
  page(
    'guessed',
    () => Buffer.concat([Buffer.from('<p>'), Buffer.alloc(9_000_000, '\u00e4\u00b8\u0096\u0083', 'latin1')]),
    {
      says: { cut: 'text' },
    },
  ),
  page('states', () => '', {
    answer: answerOf('text/html; charset=iso-2022-jp', () =>
      Buffer.from(`<p>${filled('\u001b$B\u001b(B', 6_000_000)}`),
    ),
  }),
];
