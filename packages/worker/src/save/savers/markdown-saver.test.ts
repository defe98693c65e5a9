import { appendFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@webfarer/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createPage } from '../../scrape/page.ts';
import { openAccount } from '../../shares/account.ts';
import { type CaptureParts, captureOf } from '../capture.fixture.ts';
import type { Capture, Saver } from '../saver.ts';
import { mendSavers } from './open-savers.ts';
import type { MarkdownSaverOptions } from '../markdown/page-text.ts';
import { markdownSaver } from './markdown-saver.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webfarer-markdown-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function saverOf(more: Partial<MarkdownSaverOptions> = {}): Saver {
  const target = {
    kind: 'markdown',
    as: 'files',
    name: '{host}/{path}',
    main: false,
    content: 'markdown',
  } as const;
  return markdownSaver({ ...target, folder, crawl: 'x', clock: systemClock(), ...more });
}

/** With the page as a handler would have seen it. */
function shownCapture(parts: CaptureParts & { title?: string }): Capture {
  const capture = captureOf(parts);
  const { entry, page, mime, decoded } = capture;
  const shown = createPage({
    entry,
    account: openAccount(),
    fetched: page,
    mime,
    body: decoded,
    source: () => decoded.toString(),
    links: [],
    title: parts.title,
    language: 'en',
    picture: undefined,
  });
  return { ...capture, shown };
}

async function lines(): Promise<{ url: string; markdown?: string; text?: string }[]> {
  const names = (await readdir(join(folder, 'markdown'))).filter((name) => name.includes('.jsonl')).sort();
  const texts = await Promise.all(names.map((name) => readFile(join(folder, 'markdown', name), 'utf8')));
  return texts
    .flatMap((text) => text.split('\n').filter((line) => line !== ''))
    .map((line) => JSON.parse(line) as { url: string });
}

describe('a file for each page', () => {
  it('has what is known of the page in front of its Markdown', async () => {
    const saver = saverOf();
    await saver.start();
    const body = '<h1>T</h1><p><a href="b">b</a></p>';
    const capture = shownCapture({ url: 'http://a.test/x/p.html', body, title: 'A "title": yes' });
    const at = await saver.save(capture);
    expect(at?.file).toBe('markdown/a.test/x/p.html.md');
    await saver.stop();
    expect(await readFile(join(folder, at?.file ?? ''), 'utf8')).toBe(
      `---\nurl: "http://a.test/x/p.html"\ntitle: "A \\"title\\": yes"\nlanguage: "en"\n` +
        `fetched: "2025-01-02T03:04:05.678Z"\ndigest: "${capture.digest}"\n---\n\n# T\n\n[b](http://a.test/x/b)\n`,
    );
  });

  it('is one file however often the page is saved, and none for what has no text', async () => {
    const saver = saverOf({ main: true, content: 'text' });
    await saver.start();
    const first = await saver.save(shownCapture({ url: 'http://a.test/p', body: 'short' }));
    expect(await saver.save(shownCapture({ url: 'http://a.test/p', body: 'again' }))).toMatchObject({
      file: first?.file,
    });
    expect(first?.file).toBe('markdown/a.test/p.txt');
    expect(await saver.save(shownCapture({ mime: 'image/png', body: 'x' }))).toBeUndefined();
    expect(await saver.save(shownCapture({ status: 404 }))).toBeUndefined();
    expect(await saver.save(captureOf())).toBeUndefined();
    await saver.stop();
    expect(await readFile(join(folder, first?.file ?? ''), 'utf8')).toMatch(/---\n\nagain\n$/);
  });
});

describe('a line for each page', () => {
  const save = async (saver: Saver, url: string, body: string) => {
    const at = await saver.save(shownCapture({ url: `http://a.test/${url}`, body: `<p>${body}</p>` }));
    await saver.sync();
    return at;
  };

  it('says where it stands', async () => {
    const saver = saverOf({ as: 'jsonl', content: 'text' });
    await saver.start();
    await save(saver, '1', 'one');
    const at = await save(saver, '2', 'two');
    await saver.stop();
    const file = await readFile(join(folder, at?.file ?? ''));
    const line = file.subarray(at?.offset, (at?.offset ?? 0) + (at?.length ?? 0)).toString();
    expect(JSON.parse(line)).toMatchObject({ url: 'http://a.test/2', text: 'two', language: 'en' });
  });

  it('survives a crash: torn ones are cut, and equal ones are not written again', async () => {
    const crashed = saverOf({ as: 'jsonl' });
    await crashed.start();
    const at = await save(crashed, '1', 'one');
    await save(crashed, '2', 'two');
    await appendFile(join(folder, `${at?.file}.open`), '{"url":"http://a.test/3","dig');
    const saver = saverOf({ as: 'jsonl' });
    await saver.start();
    expect(await save(saver, '2', 'two')).toBeUndefined();
    await save(saver, '3', 'three');
    await save(saver, '2', 'changed');
    await saver.stop();
    expect((await lines()).map(({ url, markdown }) => `${url.slice(-1)} ${markdown}`)).toEqual([
      '1 one',
      '2 two',
      '3 three',
      '2 changed',
    ]);
  });

  it('is written once by several processes after a crash too', async () => {
    const target = {
      kind: 'markdown',
      as: 'jsonl',
      name: '{path}',
      main: false,
      content: 'markdown',
    } as const;
    const crashed = saverOf({ as: 'jsonl', process: 1 });
    await crashed.start();
    await save(crashed, '1', 'one');
    await mendSavers([target], {
      folder,
      name: 'x',
      clock: systemClock(),
      software: 'test',
      baseFolder: folder,
    });
    const other = saverOf({ as: 'jsonl', process: 2 });
    await other.start();
    expect(await save(other, '1', 'one')).toBeUndefined();
    await save(other, '2', 'two');
    await other.stop();
    expect((await lines()).map(({ url }) => url.slice(-1)).sort()).toEqual(['1', '2']);
  });
});
