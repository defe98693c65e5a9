import zlib from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { decodeBody } from './decode.ts';

const limits = { maxBytes: 10_000_000 };
const text = Buffer.from('Webfarer goes from page to page. '.repeat(300));
const large = Buffer.from(Array.from({ length: 60_000 }, (_, i) => `${i * 7919} is not ${i}`).join('\n'));

const codings: [string, (body: Buffer) => Buffer][] = [
  ['gzip', (body) => zlib.gzipSync(body)],
  ['deflate', (body) => zlib.deflateSync(body)],
  ['deflate', (body) => zlib.deflateRawSync(body)],
  ['br', (body) => zlib.brotliCompressSync(body, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } })],
  ['zstd', (body) => zlib.zstdCompressSync(body)],
];

describe('a body', () => {
  it.each(codings)('in %s is undone, small and large', async (name, encode) => {
    for (const body of [text, large]) {
      const got = await decodeBody(encode(body), name, limits);
      expect(got).toMatchObject({ ok: true });
      expect(got).not.toHaveProperty('truncated');
      expect(got.ok && got.body.equals(body)).toBe(true);
    }
  });

  it.each(['x-gzip', ' GZip ', 'identity, gzip'])('in %s is gzip too', async (name) => {
    expect(await decodeBody(zlib.gzipSync('x'), name, limits)).toMatchObject({ body: Buffer.from('x') });
  });

  it.each([undefined, '', 'identity', 'none', 'utf-8', 'text/html'])('in %s is left alone', async (name) => {
    expect(await decodeBody(text, name, limits)).toEqual({ ok: true, body: text });
  });

  it('in two layers is undone, in three refused', async () => {
    const twice = zlib.brotliCompressSync(zlib.gzipSync(text));
    expect(await decodeBody(twice, 'gzip, br', limits)).toMatchObject({ ok: true, body: text });
    expect(await decodeBody(zlib.gzipSync(twice), 'gzip, br, gzip', limits)).toMatchObject({ ok: false });
  });

  it('of several gzip members is read to the end', async () => {
    const members = Buffer.concat([zlib.gzipSync('one '), zlib.gzipSync('two')]);
    expect(await decodeBody(members, 'gzip', limits)).toMatchObject({
      ok: true,
      body: Buffer.from('one two'),
    });
  });

  it('that is empty is empty in any coding', async () => {
    expect(await decodeBody(Buffer.alloc(0), 'gzip', limits)).toMatchObject({
      ok: true,
      body: Buffer.alloc(0),
    });
  });

  it.each(['gzip', 'br', 'zstd', 'compress', 'aes128gcm'])('that is not %s is an error', async (name) => {
    expect(await decodeBody(Buffer.from('<html>plain</html>'), name, limits)).toMatchObject({ ok: false });
  });

  it.each(codings)('in %s that was cut keeps what can be read', async (name, encode) => {
    const encoded = encode(large);
    const got = await decodeBody(encoded.subarray(0, encoded.length >> 1), name, limits);
    if (!got.ok) throw new Error(got.detail);
    expect(got.truncated).toBe('disconnect');
    expect(got.body.length).toBeGreaterThan(large.length / 4);
    expect(large.subarray(0, got.body.length).equals(got.body)).toBe(true);
  });
});

describe('a bomb', () => {
  const zeros = Buffer.alloc(24 * 1024 * 1024);
  it.each(codings)('in %s stops at the limit', async (name, encode) => {
    const bomb = encode(zeros);
    const cut = await decodeBody(bomb, name, { maxBytes: 5_000_000 });
    expect(cut).toMatchObject({ ok: true, truncated: 'length' });
    expect(cut.ok && cut.body.length).toBe(5_000_000);
  });

  // A table of the same row over and over is no bomb: the limit that a job states is the only one.
  it.each(codings)('in %s that stays below the limit is read whole', async (name, encode) => {
    const whole = await decodeBody(encode(zeros), name, { maxBytes: zeros.length });
    expect(whole).toMatchObject({ ok: true });
    expect(whole.ok && [whole.body.length, whole.truncated]).toEqual([zeros.length, undefined]);
  });

  it('within a bomb stops at the limit', async () => {
    const nested = zlib.gzipSync(zlib.gzipSync(zeros));
    const got = await decodeBody(nested, 'gzip, gzip', limits);
    expect(got.ok && got.body.length).toBeLessThanOrEqual(limits.maxBytes);
  });

  it('of many at once does not fill the memory', async () => {
    const bombs = codings.map(([name, encode]) => [name, encode(zeros)] as const);
    const before = process.memoryUsage.rss();
    await Promise.all(
      Array.from({ length: 25 }, (_, i) => {
        const [name, bomb] = bombs[i % bombs.length] as (typeof bombs)[number];
        return decodeBody(bomb, name, { maxBytes: 2_000_000 });
      }),
    );
    expect(process.memoryUsage.rss() - before).toBeLessThan(200 * 1024 * 1024);
  });

  it('with a zstd window beyond 8 MB is refused', async () => {
    const params = { [zlib.constants.ZSTD_c_windowLog]: 27, [zlib.constants.ZSTD_c_compressionLevel]: 1 };
    const encoded = await new Promise<Buffer>((resolve, reject) => {
      const stream = zlib.createZstdCompress({ params });
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
      stream.on('end', () => resolve(Buffer.concat(chunks)));
      stream.write(Buffer.alloc(100));
      stream.end(Buffer.alloc(100));
    });
    expect(await decodeBody(encoded, 'zstd', limits)).toMatchObject({ ok: false });
  });
});
