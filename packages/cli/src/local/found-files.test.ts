import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { crawl } from '../library.ts';

const html = 'text/html';
const pdf = 'application/pdf';
const pages: Record<string, [type: string, body: string]> = {
  '/': [html, '<a href="/docs/">docs</a><a href="/other">other</a>'],
  '/docs/': [
    html,
    '<a href="a.pdf">The <b>report</b></a><a href="/download?id=3">third</a><a href="/moved">moved</a><img src="/i.png"><img src="/i.gif">',
  ],
  '/other': [html, '<a href="/b.pdf">not from here</a><img src="/j.png"><a href="/docs/a.pdf">again</a>'],
  '/docs/a.pdf': [pdf, '%PDF-a'],
  '/download?id=3': [pdf, '%PDF-3'],
  '/odd.pdf': ['application/octet-stream', '%PDF-odd'],
  '/b.pdf': [pdf, '%PDF-b'],
  '/i.png': ['image/png', 'png'],
  '/i.gif': ['image/gif', 'gif'],
  '/j.png': ['image/png', 'png'],
};

let home: string;
let server: Server;
let origin: string;

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'webfarer-files-'));
  server = createServer(({ url = '/' }, response) => {
    const page = pages[url];
    if (url === '/moved') response.writeHead(302, { location: '/odd.pdf' }).end();
    else if (page) response.writeHead(200, { 'content-type': page[0] }).end(page[1]);
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

describe('files', () => {
  it('are copied with the page and the text that lead to them', async () => {
    const folder = join(home, 'x.crawl');
    await crawl({
      name: 'x',
      folder,
      seeds: [`${origin}/`],
      contact: 'me@example.org',
      politeness: { gap: '2ms', slowFactor: 0 },
      fetch: { allowPrivate: [origin] },
      limits: { minFree: '1MB' },
      files: { types: ['pdf', 'image/png'], from: '**/docs/**' },
    });
    const lines = readFileSync(join(folder, 'files.jsonl'), 'utf8').trimEnd().split('\n');
    const files = lines.map((line) => JSON.parse(line) as Record<string, string | number>);
    const page = `${origin}/docs/`;
    const byUrl = Object.fromEntries(
      files.map(({ url, ...rest }) => [String(url).slice(origin.length), rest]),
    );
    expect(Object.keys(byUrl).toSorted()).toEqual(['/docs/a.pdf', '/download?id=3', '/i.png', '/odd.pdf']);
    expect(byUrl['/docs/a.pdf']).toMatchObject({
      page,
      text: 'The report',
      pages: 1,
      type: 'application/pdf',
      size: 6,
    });
    expect(byUrl['/odd.pdf']).toMatchObject({ page, text: 'moved' });
    expect(byUrl['/i.png']).toMatchObject({ page, type: 'image/png', size: 3 });
    for (const { path, size, digest } of files) {
      expect(readFileSync(join(folder, String(path)))).toHaveLength(Number(size));
      expect(digest).toMatch(/^sha1:/);
    }
  });
});
