import { systemClock, type Url } from '@webfarer/protocol';
import { describe, expect, it } from 'vitest';
import { readTree } from '../tree/tree.ts';
import { openAccount } from '../shares/account.ts';
import { openReadable } from './readable.ts';
import { readings } from './readings.ts';

const open = (mime: string, source: string, bytes = Buffer.from(source)) =>
  openReadable({
    url: 'https://a.example/x/' as Url,
    account: openAccount(),
    mime,
    body: () => bytes,
    source: () => source,
    tree: () => readTree(source, { xml: false }),
    turn: () => Promise.resolve(),
    compute: (work) => work(),
  });

describe('what can be read on a page', () => {
  it('is its text, Markdown, headings and tables', async () => {
    const page = await open(
      'text/html',
      '<html><head><base href="/b/"></head><body><h1 id=t>T</h1><p>a <a href=c>c</a></p><table><tr><th>N<tr><td>1</table>',
    );
    expect(await page.text()).toBe('T\n\na c\n\nN\n1');
    expect(await page.markdown()).toBe('# T\n\na [c](https://a.example/b/c)\n\n| N |\n| --- |\n| 1 |');
    expect(await page.headings()).toEqual([{ level: 1, text: 'T', id: 't' }]);
    expect(await page.tables()).toEqual([{ caption: undefined, header: ['N'], rows: [['1']] }]);
  });

  it('has a main part', async () => {
    const prose = 'This sentence is one of many that make up the article, and it says something. '.repeat(5);
    const page = await open(
      'text/html',
      `<nav><a href=/1>One</a><a href=/2>Two</a></nav><h1>Top</h1><article><h2>H</h2><p>${prose}</p><p>${prose}</p></article>`,
    );
    const main = await page.main();
    expect(main.markdown).toMatch(/^# Top\n\n## H\n\nThis sentence/);
    expect(main.text).toMatch(/^Top\n\nH\n\nThis sentence/);
    expect(main.markdown).not.toContain('[One]');
    expect(main.text).not.toContain('Two');
  });

  it('is the text of what is no HTML too', async () => {
    expect(await (await open('text/plain', 'a <b>\n  *c*')).text()).toBe('a <b>\n  *c*');
    expect(await (await open('text/plain', 'a <b>\n  *c*')).markdown()).toBe('```\na <b>\n  *c*\n```');
    expect(await (await open('application/ld+json', '{"a":[1]}')).markdown()).toBe(
      '```json\n{\n  "a": [\n    1\n  ]\n}\n```',
    );
    await expect(open('image/png', '')).rejects.toThrow('no text to read in a document of type image/png');
  });

  // A thread that loads its code, on a machine that may be busy.
  it('is read aside where that takes long, for the crawl that pays', { timeout: 60_000 }, async () => {
    const account = openAccount();
    const prose = 'This sentence is one of many that make up the article, and it says something. ';
    const html = `<h1>Top</h1><article>${`<p>${prose.repeat(3)}</p>`.repeat(9_000)}</article>`;
    const tree = readTree(html, { xml: false });
    const page = await openReadable({
      url: 'https://a.example/x/' as Url,
      account,
      mime: 'text/html',
      body: () => Buffer.from(html),
      source: () => html,
      tree: () => tree,
      turn: () => Promise.resolve(),
      compute: (work) => work(),
    });
    const read = { tree, base: 'https://a.example/x/', isPage: true };
    expect(await page.headings()).toEqual([{ level: 1, text: 'Top', id: undefined }]);
    expect(account.crawl.at(systemClock().now())).toBeGreaterThan(0);
    expect(await page.main()).toEqual(readings.main(read));
    expect(await page.text()).toBe(readings.text(read));
    expect(await page.markdown()).toBe(readings.markdown(read));
  });
});
