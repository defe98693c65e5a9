import { expect, it } from 'vitest';
import { captureIn, unpacked, warcRecordIn } from './capture.ts';
import { plainText, textIn } from './plain-text.ts';

const http =
  'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nX-Odd:\r\n\r\n<p>hi: there</p>\r\n\r\n';
const record = `WARC/1.1\r\nWARC-Type: response\r\nContent-Length: ${new TextEncoder().encode(http).length}\r\n\r\n${http}\r\n\r\n`;
const packed = async (from: string | Uint8Array<ArrayBuffer>): Promise<Uint8Array> => {
  const stream = new Blob([from]).stream().pipeThrough(new CompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
};
const text = (bytes: Uint8Array | undefined) => new TextDecoder().decode(bytes);

it('reads the answer in a record of an archive, with every header', async () => {
  const { bytes, isCut } = await unpacked(await packed(record), { format: 'gzip', most: 100_000 });
  expect(isCut).toBe(false);
  const found = warcRecordIn(bytes);
  expect(found?.fields.get('warc-type')).toBe('response');
  const capture = captureIn(found!.block);
  expect(capture?.line).toBe('HTTP/1.1 200 OK');
  expect(capture?.headers).toEqual([
    ['Content-Type', 'text/html'],
    ['Set-Cookie', 'a=1'],
    ['Set-Cookie', 'b=2'],
    ['X-Odd', ''],
  ]);
  // What separates records is not part of the page.
  expect(text(capture?.body)).toBe('<p>hi: there</p>\r\n\r\n');
});

it('reads no answer from what is none', () => {
  const bytes = (from: string) => new TextEncoder().encode(from);
  expect(warcRecordIn(bytes(http))).toBeUndefined();
  expect(captureIn(bytes('GET / HTTP/1.1\r\n\r\n'))).toBeUndefined();
  expect(warcRecordIn(bytes('WARC/1.1\r\nno end'))).toBeUndefined();
});

it('unpacks no more than is wanted of a record that would fill the memory', async () => {
  const bomb = await packed(new Uint8Array(20_000_000));
  const { bytes, isCut } = await unpacked(bomb, { format: 'gzip', most: 10_000 });
  expect([bytes.length, isCut]).toEqual([10_000, true]);
});

it('shows the text of a page, and nothing that only programs read', () => {
  const page = `<!doctype html><head><title>T</title><style>p{}</style></head><body><!-- no -->
    <h1>One &amp; two</h1><p>a <b>b</b>
    c</p><script>var x = "<p>no</p>"</script><p>&#x41;&#66;&unknown;&#0;</p><script>cut off`;
  expect(plainText(page)).toBe('One & two\na b c\nAB&unknown;&#0;');
  expect(plainText('1 < 2 and 3 > 2')).toBe('1 < 2 and 3 > 2');
});

it('reads text in the encoding of the page, and says what is no text', () => {
  expect(textIn(Uint8Array.of(0xe4), 'windows-1252')).toBe('ä');
  expect(textIn(new TextEncoder().encode('ä'), 'no-such-encoding')).toBe('ä');
  expect(textIn(Uint8Array.of(1, 0, 2), undefined)).toBeUndefined();
});
