import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { parseJobFile } from '@webfarer/protocol/job';
import { type CrawlOptions, crawl, searchCrawl } from 'webfarer';
import { docxOf, pdfOf } from '../../packages/worker/src/documents/documents.fixture.ts';

const recipe = readFileSync(resolve(import.meta.dirname, '../../docs/recipes/all-pdfs.md'), 'utf8');
const job = /```yaml\n(.*?)```/s.exec(recipe)?.[1] ?? '';

const report = (title: string, words: string) =>
  pdfOf([
    [
      { text: title, size: 24, x: 72, y: 700 },
      { text: `It is about ${words}.`, size: 11, x: 72, y: 650 },
    ],
  ]);
const bodies: Record<string, [type: string, body: string | Buffer]> = {
  '/': ['text/html', '<a href="/docs/">documents</a>'],
  '/docs/': [
    'text/html',
    '<a href="a.pdf">First</a> <a href="/download?id=2">Second</a> <a href="odd.pdf">Third</a> <a href="bad.pdf">Bad</a>',
  ],
  '/docs/a.pdf': ['application/pdf', report('First report', 'tides')],
  '/download?id=2': ['application/pdf', report('Second report', 'winds')],
  '/docs/odd.pdf': ['application/octet-stream', report('Third report', 'currents')],
  '/docs/bad.pdf': ['application/pdf', '%PDF-1.4 nothing else'],
  '/feed': [
    'application/rss+xml',
    '<rss><channel><title>News</title><item><title>Entry</title><description>A tsunami</description></item></channel></rss>',
  ],
  '/w.docx': [
    'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
    docxOf('<w:p><w:r><w:t>About glaciers</w:t></w:r></w:p>'),
  ],
};

let home: string;
let server: Server;
let origin: string;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'webfarer-pdfs-'));
  server = createServer(({ url = '/' }, response) => {
    const found = bodies[url];
    if (found) response.writeHead(200, { 'content-type': found[0] }).end(found[1]);
    else response.writeHead(404).end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((done) => server.close(done));
  rmSync(home, { recursive: true, force: true });
});

const local = () => ({
  name: 'x',
  folder: join(home, 'x.crawl'),
  politeness: { gap: '2ms', slowFactor: 0 },
  fetch: { allowPrivate: [origin] },
  limits: { minFree: '1MB' },
});

// Threads that read PDFs, on a machine that may be busy.
const slow = { timeout: 240_000 };

it('the recipe collects all PDFs with their text', slow, async () => {
  const written = parseJobFile(job.replaceAll('https://example.org', origin), 'pdfs.yml')
    .input as CrawlOptions;
  expect(written).toMatchObject({ files: { types: ['pdf'] } });
  const options = { ...written, ...local() };
  await crawl(options);
  const { folder } = options;
  const lines = readFileSync(join(folder, 'files.jsonl'), 'utf8').trimEnd().split('\n');
  expect(lines).toHaveLength(4);
  const textOf = (name: string) => readFileSync(join(folder, 'markdown/127.0.0.1', name), 'utf8');
  expect(textOf('docs/a.pdf.md')).toMatch(
    /title: "First report"[^]*# First report\n\nIt is about tides\.\n$/,
  );
  expect(textOf('docs/odd.pdf.md')).toContain('# Third report\n\nIt is about currents.');
  expect(textOf('docs/bad.pdf.md')).toContain('problem: "the PDF cannot be read: Invalid PDF structure."');
  const { hits } = await searchCrawl(folder, 'winds');
  expect(hits.map(({ url }) => url)).toEqual([`${origin}/download?id=2`]);
});

it('feeds and Word documents are saved and found too', slow, async () => {
  const options = { ...local(), seeds: [`${origin}/feed`, `${origin}/w.docx`] };
  await crawl({
    ...options,
    fetch: { ...options.fetch, types: { save: ['*/*'] } },
    save: ['warc', { markdown: { as: 'jsonl' } }],
  } as CrawlOptions);
  for (const [word, path] of [
    ['tsunami', '/feed'],
    ['glaciers', '/w.docx'],
  ]) {
    const { hits } = await searchCrawl(options.folder, word as string);
    expect(hits.map(({ url }) => url)).toEqual([`${origin}${path}`]);
  }
});
