import { mkdtempSync, rmSync } from 'node:fs';
import { readdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from '@webfarer/worker';
import { listWarc } from '@webfarer/worker/archive';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ChangingSite, startChangingSite } from '../changing-site.fixture.ts';
import { crawl } from '../library.ts';
import { pageFrom } from './page-from.ts';

const html = '<html><h1>Cup</h1><a href="/p/2">next</a><a href="https://else.example/x">out</a>';

describe('a page from its source', () => {
  it('has what a handler reads, with every link absolute', async () => {
    const page = await pageFrom(html, 'https://shop.example/p/1', { label: 'product', depth: 2 });
    expect(page).toMatchObject({ url: 'https://shop.example/p/1', status: 200, label: 'product', depth: 2 });
    expect(page.links.urls()).toEqual(['https://shop.example/p/2', 'https://else.example/x']);
    expect((await page.$())('h1').text()).toBe('Cup');
    expect(page.source()).toBe(html);
  });

  it('is what its headers say', async () => {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const page = await pageFrom(gzipSync('{"price":3}'), 'https://shop.example/api', { headers });
    expect([page.mime, page.json()]).toEqual(['application/json', { price: 3 }]);
  });

  it('needs a whole URL, and says so', async () => {
    await expect(pageFrom(html, '/p/1')).rejects.toThrow('"/p/1" is not a web address.');
    await expect(pageFrom('./none.crawl', 'https://a.example/')).rejects.toThrow(
      'no crawl folder ./none.crawl',
    );
  });
});

describe('a page from an archive', () => {
  let home: string;
  let site: ChangingSite;
  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), 'webfarer-page-'));
    site = await startChangingSite({ '/': { body: '<a href="/p/1">one</a>' }, '/p/1': { body: '<h1>One' } });
  });
  afterEach(async () => {
    await site.stop();
    rmSync(home, { recursive: true, force: true });
  });

  const seen = ({ url, status, headers, mime, label, depth, referrer, links, body, source }: Page) => ({
    page: { url, status, headers: { ...headers }, mime, label, depth, referrer },
    content: { links: [...links], body: body.toString('latin1'), source: source() },
  });

  it('is the page that the handler saw when it was fetched', async () => {
    const folder = join(home, 'x.crawl');
    const pages: ReturnType<typeof seen>[] = [];
    await crawl({
      name: 'x',
      folder,
      seeds: [`${site.origin}/`],
      politeness: { gap: '2ms', slowFactor: 0 },
      fetch: { allowPrivate: [site.origin] },
      limits: { minFree: '1MB' },
      onPage(page, { follow }) {
        pages.push(seen(page));
        follow(page.links, { label: 'product' });
      },
    });
    expect(pages).toHaveLength(2);
    for (const page of pages) expect(seen(await pageFrom(folder, page.page.url))).toEqual(page);
    await expect(pageFrom(folder, `${site.origin}/none`)).rejects.toThrow('holds no body of');

    const old = join(home, 'old.warc');
    const block = 'HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<h1>Old</h1>';
    const head =
      'WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: <http://old.test/x>\r\nWARC-Date: 2010-01-01T00:00:00Z\r\nWARC-Record-ID: <urn:uuid:1>\r\nContent-Type: application/http; msgtype=response\r\n';
    await writeFile(old, `${head}Content-Length: ${block.length}\r\n\r\n${block}\r\n\r\n`);
    expect((await pageFrom(old, 0)).url).toBe('http://old.test/x');

    const [name = ''] = (await readdir(join(folder, 'archive'))).filter((file) => file.endsWith('.warc.gz'));
    const file = join(folder, 'archive', name);
    for await (const { type, offset, url } of listWarc(file)) {
      if (type !== 'response' || url?.endsWith('robots.txt')) continue;
      const page = pages.find((one) => one.page.url === url);
      const { label, depth } = page?.page ?? {};
      const facts = { ...(label && { label }), ...(depth && { depth, referrer: `${site.origin}/` }) };
      expect(seen(await pageFrom(file, offset, facts))).toEqual(page);
    }
  });
});
