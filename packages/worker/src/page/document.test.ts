import type { Url } from '@webfarer/protocol';
import { normaliser } from '@webfarer/protocol/url';
import { describe, expect, it } from 'vitest';
import { type DocumentOptions, readDocument, readDocumentInTurns } from './document.ts';

const normalise = normaliser({ enabled: true, sort: false, strip: [] });

function given(type: string, body: string | Buffer, more: Partial<DocumentOptions> = {}): DocumentOptions {
  return {
    url: 'https://a.example/feed/' as Url,
    headers: [['Content-Type', type]],
    body: Buffer.from(body),
    normalise,
    agentToken: 'webfarer',
    ...more,
  };
}
const links = (type: string, body: string): string[] =>
  readDocument(given(type, body)).links.map(({ url }) => url);

describe('a feed that is fetched as a page', () => {
  const rss =
    '<?xml version="1.0"?><rss><channel><link>https://a.example/</link><item><link>/one</link></item></channel></rss>';
  const atom = '<feed xmlns="x"><entry><link href="two"/></entry></feed>';

  it.each(['application/rss+xml', 'application/xml; charset=utf-8', 'text/xml', ''])(
    'leads on as %s',
    (type) => {
      expect(links(type, rss)).toEqual(['https://a.example/', 'https://a.example/one']);
    },
  );

  it('leads on as Atom, with a rel of its own', () => {
    expect(readDocument(given('application/atom+xml', atom)).links).toEqual([
      { url: 'https://a.example/feed/two', rel: 'feed', text: '', nofollow: false },
    ]);
  });

  it('is not any XML, and not a text about one', () => {
    expect(links('application/xml', '<svg><link>https://a.example/</link></svg>')).toEqual([]);
    expect(links('text/plain', rss)).toEqual([]);
    expect(links('application/rss+xml', 'not XML at all https://a.example/')).toEqual([]);
  });

  it('may forbid to be followed', () => {
    const headers: [string, string][] = [
      ['Content-Type', 'application/rss+xml'],
      ['X-Robots-Tag', 'nofollow'],
    ];
    expect(readDocument(given('', rss, { headers })).links.map(({ nofollow }) => nofollow)).toEqual([
      true,
      true,
    ]);
  });
});

describe('a large page', () => {
  const row = (n: number): string => `<p title="Ж">Ёлка<a href="/${n}">№ ${n}</a><img src=${n}.png></p>\n`;
  const html = `<title>x</title>${Array.from({ length: 20_000 }, (_, n) => row(n)).join('')}<b style="a:url(z)">`;

  it.each([
    ['utf-8', Buffer.from(html)],
    ['utf-16le', Buffer.from(html, 'utf16le')],
    [
      'windows-1251',
      Buffer.from(
        [...html].map(
          (c) => ({ Ж: 0xc6, Ё: 0xa8, л: 0xeb, к: 0xea, а: 0xe0, '№': 0xb9 })[c] ?? c.charCodeAt(0),
        ),
      ),
    ],
  ])('in %s gives the same in turns as at once, and lets others have theirs', async (charset, body) => {
    expect(body.length).toBeGreaterThan(1_000_000);
    const options = given(`text/html; charset=${charset}`, body, { styles: true });
    let turns = 0;
    let reading = true;
    const count = (): void => {
      turns += 1;
      if (reading) setImmediate(count);
    };
    setImmediate(count);
    const { text, ...inTurns } = await readDocumentInTurns(options);
    reading = false;
    const { text: whole, ...atOnce } = readDocument(options);
    expect(inTurns).toEqual(atOnce);
    expect(text() === whole()).toBe(true);
    expect(inTurns.links[0]).toMatchObject({ url: 'https://a.example/0', text: '№ 0' });
    expect(turns).toBeGreaterThan(3);
  });
});
