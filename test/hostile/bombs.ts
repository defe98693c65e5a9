import {
  brotliCompressSync,
  constants,
  deflateRawSync,
  deflateSync,
  gzipSync,
  zstdCompressSync,
} from 'node:zlib';
import { type BadServer, flood, headOf, htmlHead, once, reply } from './bad-server.ts';

const mebibyte = 1_048_576;
const unfolded = Buffer.alloc(64 * mebibyte, '<a href="/">x</a> ');
const zeros = Buffer.alloc(64 * mebibyte);
const brotli = (data: Buffer): Buffer =>
  brotliCompressSync(data, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });

const gzip = once(() => gzipSync(unfolded, { level: 1 }));
const gzipZeros = once(() => gzipSync(zeros, { level: 1 }));
/** Members of a gzip file follow each other: gigabytes from one that is made once. */
const members = once(() => Buffer.concat(Array<Buffer>(30).fill(gzipZeros())));
const br = once(() => brotli(unfolded));
const zstd = once(() => zstdCompressSync(unfolded));
const deflate = once(() => deflateSync(unfolded, { level: 1 }));
const raw = once(() => deflateRawSync(unfolded, { level: 1 }));

/** A frame that asks for a window of 2 GiB (RFC 8878, 3.1.1.1.2). */
const hugeWindow = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, 0xa8, 0x01, 0x00, 0x00]);

/** Read up to a limit. */
const kept = ['ok'];
const refused = ['bad-encoding'];

const bomb = (name: string, coding: string, body: () => Buffer, expects: string[] = kept): BadServer => ({
  name: `bomb-${name}`,
  expects,
  prepare: body,
  answer: (socket) => reply(socket, body(), { headers: [`Content-Encoding: ${coding}`] }),
});

const bombOf = (
  name: string,
  headers: string[],
  body: () => Buffer,
  expects: string[] = kept,
): BadServer => ({
  name: `bomb-${name}`,
  expects,
  prepare: body,
  answer: (socket) => reply(socket, body(), { headers }),
});

const repeatedTo = (bytes: number, part: Buffer): Buffer => Buffer.alloc(bytes - (bytes % part.length), part);
/** Of no bytes (RFC 8878, 3.1.2). */
const skippedFrame = Buffer.from([0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0]);

export const bombServers: BadServer[] = [
  bomb('gzip', 'gzip', gzip),
  bomb('gzip-zeros', 'gzip', gzipZeros),
  bomb('gzip-members', 'gzip', members),
  bomb('deflate', 'deflate', deflate),
  bomb('deflate-raw', 'deflate', raw),
  bomb('br', 'br', br),
  bomb('zstd', 'zstd', zstd),
  bomb('zstd-window', 'zstd', () => hugeWindow, refused),
  bomb(
    'gzip-gzip',
    'gzip, gzip',
    once(() => gzipSync(gzip())),
  ),
  bomb(
    'br-gzip',
    'br, gzip',
    once(() => gzipSync(br())),
  ),
  bomb(
    'br-br',
    'br, br',
    once(() => brotli(br())),
  ),
  bomb(
    'gzip-br',
    'gzip, br',
    once(() => brotli(gzip())),
  ),
  bomb('three-layers', 'gzip, gzip, gzip', gzip, refused),
  bomb('twenty-layers', Array<string>(20).fill('gzip').join(', '), gzip, refused),
  bomb('thousand-layers', Array<string>(1_000).fill('br').join(','), br, refused),
  bomb('not-gzip', 'gzip', () => Buffer.from('plain text that is not gzip'), refused),
  bomb('not-br', 'br', () => Buffer.alloc(1_000, 0xff), refused),
  bomb('not-zstd', 'zstd', () => Buffer.from('plain'), refused),
  bomb('torn-gzip', 'gzip', () => gzip().subarray(0, 2_000)),
  bomb(
    'gzip-and-rubbish',
    'gzip',
    once(() => Buffer.concat([gzipSync('x'), Buffer.alloc(100_000, 7)])),
    refused,
  ),
  bomb(
    'gzip-long-name',
    'gzip',
    () => Buffer.concat([Buffer.from([31, 139, 8, 8, 0, 0, 0, 0, 0, 3]), Buffer.alloc(5_000_000, 65)]),
    refused,
  ),
  // The same by other words, and words that are none.
  bomb('x-gzip', 'x-gzip', gzip),
  bomb('capitals', 'GZip', gzip),
  bomb('identity-gzip', 'identity, gzip, identity', gzip),
  bomb('empty-words', ', gzip,, ,', gzip),
  bomb('unknown-word', 'utf-8, gzip', gzip),
  bomb('with-parameter', 'gzip;q=1', gzip),
  bomb('long-word', 'x'.repeat(8_000), gzip),
  bomb('dictionary', 'dcb', br, refused),
  bombOf('twice', ['Content-Encoding: gzip', 'Content-Encoding: gzip'], () => gzipSync(gzip())),
  bombOf('ten-times', Array<string>(10).fill('Content-Encoding: gzip'), gzip, refused),
  {
    name: 'bomb-of-the-transfer',
    prepare: gzip,
    expects: kept,
    answer(socket) {
      socket.write(htmlHead('Transfer-Encoding: gzip, chunked'));
      socket.write(`${gzip().length.toString(16)}\r\n`);
      socket.write(gzip());
      socket.write('\r\n0\r\n\r\n');
    },
  },
  // Much work for bytes that never come.
  bomb(
    'empty-members',
    'gzip',
    once(() => repeatedTo(9_000_000, gzipSync(''))),
  ),
  bomb(
    'empty-frames',
    'zstd',
    once(() => repeatedTo(9_000_000, zstdCompressSync(''))),
  ),
  bomb(
    'skipped-frames',
    'zstd',
    once(() => repeatedTo(9_000_000, skippedFrame)),
  ),
  bomb(
    'empty-blocks',
    'deflate',
    once(() => repeatedTo(9_000_000, Buffer.from([0, 0, 0, 0xff, 0xff]))),
    refused,
  ),
  bomb('foreign', 'compress', () => Buffer.from([0x1f, 0x9d, 0x90]), refused),
  bomb('empty', 'gzip', () => Buffer.alloc(0)),
  {
    name: 'bomb-endless',
    prepare: gzipZeros,
    // Cut at the limit of length or of time, whichever comes first.
    expects: [...kept, 'timeout'],
    answer: (socket) =>
      flood(socket, headOf('Content-Type: text/html', 'Content-Encoding: gzip'), gzipZeros()),
  },
  {
    name: 'bomb-robots',
    prepare: gzipZeros,
    onRobots: true,
    expects: ['robots-unreachable'],
    answer: (socket) =>
      reply(socket, gzipZeros(), { headers: ['Content-Encoding: gzip'], type: 'text/plain' }),
  },
  {
    name: 'bomb-robots-zstd',
    prepare: zstd,
    onRobots: true,
    expects: ['robots-unreachable'],
    answer: (socket) => reply(socket, zstd(), { headers: ['Content-Encoding: zstd'], type: 'text/plain' }),
  },
  {
    name: 'bomb-robots-br',
    prepare: br,
    onRobots: true,
    expects: ['robots-unreachable'],
    answer: (socket) => reply(socket, br(), { headers: ['Content-Encoding: br'], type: 'text/plain' }),
  },
  {
    name: 'bomb-sitemap',
    robots: 'Sitemap: /map.xml.gz\n',
    prepare: gzipZeros,
    expects: kept,
    // Unpacked on the way, and once more as a file.
    answer: (socket, path) =>
      path.startsWith('/map')
        ? reply(socket, gzipSync(gzipZeros(), { level: 1 }), {
            headers: ['Content-Encoding: gzip'],
            type: 'application/gzip',
          })
        : reply(socket, '<p>page'),
  },
];
