import type { Entry, Url } from '@webfarer/protocol';
import { describe, expect, test, vi } from 'vitest';
import type { Exchange } from '../fetch/fetch.ts';
import { openAccount } from '../shares/account.ts';
import { createPage, type PageParts } from './page.ts';

const url = 'https://site.example/a' as Url;

function pageOf(source: string, parts: Partial<PageParts> = {}) {
  const read = vi.fn(() => source);
  const page = createPage({
    account: openAccount(),
    entry: { url, depth: 0 } as Entry,
    fetched: { status: 200, headers: [] } as unknown as Exchange,
    mime: 'text/html',
    body: Buffer.from(source),
    source: read,
    links: [],
    title: 'T',
    language: 'en',
    picture: undefined,
    ...parts,
  });
  return { page, read };
}

const jsonLd = '<script type="application/ld+json">{"@type":"Article","author":"Ann"}</script>';

describe('a page', () => {
  test('has what it says about itself, read when asked for', () => {
    const links = [
      { url: 'https://site.example/b' as Url, rel: 'a', text: '', nofollow: false },
      { url: 'https://site.example/c' as Url, rel: 'link:canonical', text: '', nofollow: false },
    ];
    const { page, read } = pageOf(`<meta property="og:type" content="article">${jsonLd}`, { links });
    expect([page.title, page.language, page.canonical]).toEqual(['T', 'en', 'https://site.example/c']);
    expect(read).not.toHaveBeenCalled();
    expect([page.authors, page.openGraph.type, page.microdata]).toEqual([['Ann'], 'article', []]);
    expect([page.published, page.description]).toEqual([undefined, undefined]);
    expect(read.mock.calls.length).toBe(1);
  });

  test('is read as what it looks like where the server does not say', () => {
    const source = `<!doctype html>${jsonLd}`;
    expect(pageOf(source, { mime: '' }).page.authors).toEqual(['Ann']);
    expect(pageOf(source, { mime: 'text/plain' }).page.authors).toEqual([]);
  });

  test('may be JSON-LD as a whole', () => {
    const { page } = pageOf('{"author":"Ann"}', { mime: 'application/ld+json' });
    expect([page.jsonLd, page.authors]).toEqual([[{ author: 'Ann' }], ['Ann']]);
  });

  test('nested 90,000 deep is a document for selectors too', { timeout: 60_000 }, async () => {
    const depth = 90_000;
    const { page } = pageOf(
      `${'<div>'.repeat(depth)}<p class="x">deep</p>${'</div>'.repeat(depth)}<i>after</i>`,
    );
    const $ = await page.$();
    expect([$('p.x').text(), $('div').length, $('i').text()]).toEqual(['deep', depth, 'after']);
    $('p.x').text('changed');
    expect($.html()).toContain('changed');
    expect(await page.text()).toContain('deep');
  });
});
