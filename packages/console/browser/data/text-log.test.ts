import { expect, it } from 'vitest';
import type { Client } from '../api/client.ts';
import {
  allTextsCommand,
  exportTexts,
  searchCommand,
  textFetcher,
  textFileName,
  type TextRow,
} from './text-log.ts';

const bookmark = (token: string, more: boolean) => ({ kind: 'bookmark', token, more });
function page(n: number, more: object, saver = 'markdown') {
  const saved = [
    { saver: 'warc', file: 'archive/a.warc.gz', length: 9 },
    { saver, file: `${saver}/${n}.md`, length: n },
  ];
  return { kind: 'record', record: { url: `https://a.test/${n}`, startedAtMs: n, saved, ...more } };
}
const log: Record<string, unknown[]> = {
  '': [
    page(1, { title: 'Opening hours', language: 'en' }),
    page(2, { title: 'Only archived' }, 'files'),
    { kind: 'record', record: { url: 'https://a.test/none', startedAtMs: 3 } },
    bookmark('b', true),
  ],
  b: [page(4, { title: 'ÖFFNUNGSZEITEN', language: 'de-at' }), page(5, {}), bookmark('c', false)],
};

/** The coordinator, as far as results go; keeps what it was asked. */
function coordinator() {
  const asked: unknown[] = [];
  const client = {
    readResults: ({ query }: { query: { after?: string } }) => {
      asked.push(query);
      // oxlint-disable-next-line typescript/require-await
      return Promise.resolve(
        (async function* () {
          yield* log[query.after ?? ''] ?? [];
        })(),
      );
    },
  } as unknown as Pick<Client, 'readResults'>;
  return { client, asked };
}
const { signal } = new AbortController();

it('lists the texts that were saved, and looks at no other pages', async () => {
  const { client, asked } = coordinator();
  const fetchPage = textFetcher({ client, crawl: 'a', q: '' });
  const first = await fetchPage('', signal);
  expect(first).toMatchObject({ next: 'b', searched: 1 });
  expect(first.items).toEqual([
    {
      url: 'https://a.test/1',
      title: 'Opening hours',
      language: 'en',
      bytes: 1,
      fetchedAtMs: 1,
      saved: { saver: 'markdown', file: 'markdown/1.md', length: 1 },
    },
  ]);
  const second = await fetchPage('b', signal);
  expect(second).toMatchObject({ next: undefined, searched: 2 });
  expect(second.items.map(({ title, language }) => [title, language])).toEqual([
    ['ÖFFNUNGSZEITEN', 'de-at'],
    ['', ''],
  ]);
  expect(asked).toEqual([
    { limit: 500, verdict: 'done' },
    { limit: 500, verdict: 'done', after: 'b' },
  ]);
});

it('finds a text by its title, address or language, in any case', async () => {
  const find = async (q: string) => {
    const fetchPage = textFetcher({ client: coordinator().client, crawl: 'a', q });
    const answers = [await fetchPage('', signal), await fetchPage('b', signal)];
    expect(answers.reduce((sum, { searched }) => sum + searched, 0)).toBe(3);
    return answers.flatMap(({ items }) => items.map(({ url }) => url.slice(-1)));
  };
  expect(await find('öffnungs')).toEqual(['4']);
  expect(await find('DE-AT')).toEqual(['4']);
  expect(await find('a.test/5')).toEqual(['5']);
  expect(await find('archived')).toEqual([]);
});

it('exports where each text is', async () => {
  let text = '';
  const { client } = coordinator();
  const exported = await exportTexts(
    { client, crawl: 'a', q: 'hours' },
    { format: 'csv', signal, write: (piece) => void (text += piece), tell: () => undefined },
  );
  expect(exported).toMatchObject({ rows: 1, searched: 3, cut: undefined });
  expect(text.split('\r\n')).toEqual([
    'url,title,language,bytes,fetchedAt,file,offset',
    'https://a.test/1,Opening hours,en,1,1970-01-01T00:00:00.001Z,markdown/1.md,',
    '',
  ]);
});

it('gives a download a name that every system takes', () => {
  const name = (url: string, saved: object) => textFileName({ url, saved } as Pick<TextRow, 'url' | 'saved'>);
  expect(name('https://a.test/1', { file: 'markdown/a.test/docs/install.md' })).toBe('install.md');
  expect(name('https://a.test/b?c=../d', { file: 'markdown/x.jsonl', offset: 7 })).toBe('a.test_b_c_.._d.md');
  expect(name('https://a.test/1', { file: 'markdown/..<img src=x>' })).toBe('_img_src_x_');
  expect(name('https://a.test/1', { file: 'markdown/...' })).toBe('text.md');
  expect(name(`https://a.test/${'x'.repeat(500)}`, { file: 'a', offset: 0 })).toHaveLength(100);
});

it('writes a command that no name of a crawl can leave', () => {
  const command = allTextsCommand('http://127.0.0.1:7311', `it's "$(touch x)" \`y\``);
  expect(command.split('\n')[0]).toBe(
    `at='http://127.0.0.1:7311/v1/crawls/it%27s%20%22%24(touch%20x)%22%20%60y%60/files' after=markdown/`,
  );
});

it('looks in the texts for what no title has, with nothing that a shell would run', () => {
  expect(searchCommand('opening  $(touch x)')).toBe("webfarer search FOLDER opening '$(touch' 'x)'");
  expect(searchCommand(' ')).toBe('webfarer search FOLDER opening hours');
});
