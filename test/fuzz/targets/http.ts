import { createServer, type AddressInfo, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { systemClock, type Url } from '@webfarer/protocol';
import { normaliser } from '@webfarer/protocol/url';
import { createEgress, decodeBody, encodingsOf, readDocument } from '@webfarer/worker';
import { assemble, mutate } from '../mutate.ts';
import { buffers, must, seedFiles, type Target, type TargetOptions } from '../target.ts';

// biome-ignore format: a table of pieces
const pieces = [
  'HTTP/1.1 200 OK\r\n', 'HTTP/1.0 200\r\n', 'HTTP/2 200\r\n', 'HTTP/1.1 100 Continue\r\n\r\n', 'HTTP/1.1 103 Early\r\n\r\n', 'HTTP/1.1 304 x\r\n',
  'HTTP/1.1 204 x\r\n', 'HTTP/1.1 301 x\r\nLocation: /y\r\n', 'Content-Length: 5\r\n', 'Content-Length: 0\r\n', 'Content-Length: 99999999999\r\n',
  'Transfer-Encoding: chunked\r\n', 'Transfer-Encoding: gzip, chunked\r\n', 'Content-Encoding: gzip\r\n', 'Content-Encoding: br, br, br\r\n',
  'Connection: close\r\n', 'Connection: keep-alive\r\n', 'Connection: upgrade\r\nUpgrade: x\r\n', 'Content-Type: text/html\r\n', 'Set-Cookie: a=b\r\n',
  'X: y\r\n', 'X: \0\r\n', 'X : y\r\n', ' folded\r\n', ': x\r\n', '\r\n', '\n', '\r', '5\r\nhello\r\n', '0\r\n\r\n', 'ffffffffff\r\n', '-1\r\n', ';x=y\r\n',
  'hello', '<a href=x>', '\xff', '\0',
];

/** The responses of the corpus: blocks of Markdown whose line ends are CRLF, as its README says. */
function blocks(files: Buffer[]): Buffer[] {
  return files.flatMap((file) =>
    [...file.toString('utf8').matchAll(/```http\n([\s\S]*?)```/g)].map(([, block = '']) =>
      Buffer.from(
        block
          .replaceAll('\\\n', '')
          .replaceAll('\\r', '\r')
          .replaceAll('\\n', '\n')
          .replace(/(?<!\r)\n/g, '\r\n'),
        'latin1',
      ),
    ),
  );
}

const normalise = normaliser({ enabled: true, sort: false, strip: [] });

export async function open({ corpora }: TargetOptions): Promise<Target> {
  let answer: Buffer = Buffer.alloc(0);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    socket.on('data', () => {
      // The first byte says how it is sent: at once or in two, and whether the connection is closed after it.
      const how = answer[0] ?? 0;
      const bytes = answer.subarray(1);
      const middle = how & 1 ? bytes.length >> 1 : bytes.length;
      socket.write(bytes.subarray(0, middle));
      const rest = (): void => void socket.end(bytes.subarray(middle));
      if (how & 1) setImmediate(rest);
      else rest();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const base = `http://127.0.0.1:${port}`;
  const fetcher = createEgress({ clock: systemClock() });
  const words = buffers(pieces);
  const packed = gzipSync('<a href=x>'.repeat(20));
  const seeds = [
    Buffer.from('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 10\r\n\r\n<a href=x>'),
    Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n'),
    Buffer.concat([
      Buffer.from(`HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${packed.length}\r\n\r\n`),
      packed,
    ]),
    ...blocks(seedFiles(corpora, 'http-llhttp/test/response')),
  ];
  return {
    make(random) {
      const bytes = random.chance(0.3)
        ? Buffer.from(random.pick(pieces.slice(0, 4)) + assemble(random, pieces, 20), 'latin1')
        : mutate(random, random.pick(seeds), words);
      return Buffer.concat([Buffer.from([random.below(256)]), bytes]);
    },
    async run(input) {
      answer = input;
      const got = await fetcher.open('127.0.0.1').fetch({
        url: `${base}/` as Url,
        method: 'GET',
        headers: [['User-Agent', 'webfarer-fuzz']],
        timeoutMs: 5_000,
        maxBytes: 200_000,
        maxDecodedBytes: 1_000_000,
        allowPrivate: ['127.0.0.0/8'],
        ports: [port],
        signal: new AbortController().signal,
      });
      if (!got.ok) {
        must(got.reason !== 'timeout', 'an answer that was closed is waited for');
        must(got.detail !== '', 'a failure says what it is');
        return;
      }
      must(got.status >= 100 && got.status <= 999, `status ${got.status}`);
      must(got.body.length <= 200_000, `${got.body.length} bytes`);
      const decoded = await decodeBody(got.body, encodingsOf(got), { maxBytes: 1_000_000 });
      const body = decoded.ok ? decoded.body : got.body;
      must(body.length <= 1_000_000, `${body.length} bytes after decoding`);
      readDocument({ url: `${base}/` as Url, headers: got.headers, body, normalise, agentToken: 'webfarer' });
    },
    async close() {
      await fetcher.close();
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}
