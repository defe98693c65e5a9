import { expect, it } from 'vitest';
import type { Client } from '../api/client.ts';
import { readMarkdown, readPage, readScreenshot, readWholeText } from './read-saved.ts';

/** A coordinator with one file, which answers ranges of it. */
function placeOf(file: string | Uint8Array) {
  const bytes = typeof file === 'string' ? new TextEncoder().encode(file) : file;
  const downloadFile = ({ range }: { range: { first: number; last: number } }) =>
    Promise.resolve({
      bytes: (async function* () {
        yield await Promise.resolve(bytes.subarray(range.first, range.last + 1));
      })(),
    });
  const client = { downloadFile } as unknown as Client;
  return { client, crawl: 'a', charset: undefined };
}
const line = (content: object) => `${JSON.stringify({ url: 'https://a.test/', ...content })}\n`;

it('reads the text of one line of many, and that of a file as it is', async () => {
  const before = line({ markdown: 'ä' });
  const file = before + line({ markdown: '# Two\n\nü' }) + line({ text: 'plain' });
  const size = (text: string) => new TextEncoder().encode(text).length;
  const [first, second] = [size(before), size(line({ markdown: '# Two\n\nü' }))];
  const saved = { saver: 'markdown', file: 'markdown/a.jsonl' };
  const read = (offset: number, length: number) => readMarkdown({ ...saved, offset, length }, placeOf(file));
  expect(await read(first, second)).toEqual({ text: '# Two\n\nü', isCut: false });
  expect(await read(first + second, size(line({ text: 'plain' })))).toEqual({ text: 'plain', isCut: false });
  const own = { saver: 'markdown', file: 'markdown/a.md', length: 9 };
  expect(await readMarkdown(own, placeOf('---\nx\n---'))).toEqual({ text: '---\nx\n---', isCut: false });
});

it('cuts what is shown of a long text, not what is downloaded', async () => {
  const markdown = `# Long\n\n${'word '.repeat(50_000)}`;
  const file = line({ markdown });
  const saved = { saver: 'markdown', file: 'markdown/a.jsonl', offset: 0, length: file.length };
  const shown = await readMarkdown(saved, placeOf(file));
  expect(shown.isCut).toBe(true);
  expect(shown.text).toBe(markdown.slice(0, 200_000));
  expect(await readWholeText(saved, placeOf(file))).toBe(markdown);
});

async function packed(text: string): Promise<Uint8Array> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

it('reads a picture from its own record, however large its page is', async () => {
  const record = await packed('WARC/1.1\r\nContent-Length: 7\r\n\r\npicture\r\n\r\n');
  const picture = { kind: 'view', mime: 'image/png', after: 4, length: record.length, digest: '' } as const;
  const saved = {
    saver: 'warc',
    file: 'archive/a.warc.gz',
    offset: 3,
    length: 90_000_000,
    renditions: [picture],
  };
  const file = new Uint8Array(7 + record.length);
  file.set(record, 7);
  const place = placeOf(file);
  const read = await readScreenshot(saved, place);
  expect('file' in read && read.file instanceof Blob && (await read.file.text())).toBe('picture');
  expect(read).toMatchObject({ kind: 'view', mime: 'image/png' });
  expect(await readScreenshot({ ...saved, shared: true }, place)).toEqual({
    why: 'shared',
    file: saved.file,
  });
  const large = { ...saved, renditions: [{ ...picture, length: 9_000_000 }] };
  expect(await readScreenshot(large, place)).toEqual({ why: 'large', bytes: 9_000_000 });
  const odd = { ...saved, renditions: [{ ...picture, mime: 'image/svg+xml' }] };
  expect(await readScreenshot(odd, place)).toEqual({ why: 'noPicture' });
});

const size = (text: string) => new TextEncoder().encode(text).length;
const recordOf = (block: string) =>
  packed(`WARC/1.1\r\nContent-Length: ${size(block)}\r\n\r\n${block}\r\n\r\n`);

it('has the coordinator decode a page whose packing browsers do not undo', async () => {
  const record = await recordOf('HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\n\x00\x01\x02');
  const asked: unknown[] = [];
  const place = placeOf(record);
  Object.assign(place.client, {
    readCapture(request: unknown) {
      asked.push(request);
      return Promise.resolve({ bytes: [new TextEncoder().encode('<p>Bröt')] });
    },
  });
  const saved = { saver: 'warc', file: 'archive/a.warc.gz', offset: 0, length: record.length };
  const page = await readPage(saved, place);
  expect(page).toMatchObject({ source: { text: '<p>Bröt', isCut: false }, isRevisit: false });
  expect(asked).toEqual([{ params: { crawl: 'a', file: saved.file }, query: { offset: 0 } }]);
});

it('reads the page that a browser drew beside what the site sent', async () => {
  const sent = await recordOf('HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<script>draw()</script>');
  const drawn = await recordOf('<p>Drawn, ä</p>');
  const file = new Uint8Array(sent.length + drawn.length);
  file.set(sent);
  file.set(drawn, sent.length);
  const dom = {
    kind: 'dom',
    mime: 'text/html',
    after: sent.length,
    length: drawn.length,
    digest: '',
  } as const;
  const saved = { saver: 'warc', file: 'archive/a.warc.gz', offset: 0, length: sent.length };
  const page = await readPage({ ...saved, renditions: [dom] }, placeOf(file));
  expect(page).toMatchObject({
    source: { text: '<script>draw()</script>' },
    drawn: { text: '<p>Drawn, ä</p>', isCut: false },
  });
  expect(await readPage(saved, placeOf(file))).toMatchObject({ drawn: undefined });
});
