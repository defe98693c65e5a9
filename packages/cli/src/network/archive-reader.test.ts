import { brotliCompressSync, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { archiveReader } from './archive-reader.ts';

function fileOf(body: Buffer) {
  const http = Buffer.concat([Buffer.from('HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\n'), body]);
  const head = [
    'WARC/1.1',
    'WARC-Type: response',
    'WARC-Record-ID: <urn:uuid:0c1b8a4e-4f3c-4c0e-9b53-6d0b9f4f7d11>',
    'WARC-Date: 2026-11-20T00:00:00Z',
    'Content-Type: application/http; msgtype=response',
    `Content-Length: ${http.length}`,
  ];
  const bytes = gzipSync(
    Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), http, Buffer.from('\r\n\r\n')]),
  );
  return {
    bytes: bytes.length,
    readAt: (first: number, length: number) => Promise.resolve(bytes.subarray(first, first + length)),
  };
}

it('reads a body as text whatever it is packed in, and no more of it than is wanted', async () => {
  const file = fileOf(brotliCompressSync('ä'.repeat(500)));
  const whole = await archiveReader.body(file, { offset: 0, maxBytes: 10_000 });
  expect(Buffer.from(whole).toString()).toBe('ä'.repeat(500));
  const part = await archiveReader.body(file, { offset: 0, maxBytes: 10 });
  expect(Buffer.from(part).toString()).toBe('ä'.repeat(5));
});

it('finds nothing where no capture begins', async () => {
  const file = fileOf(brotliCompressSync('a'));
  for (const offset of [1, file.bytes, file.bytes + 1_000])
    await expect(archiveReader.body(file, { offset, maxBytes: 10 })).rejects.toMatchObject({
      code: 'not-found',
    });
});
