import { EventEmitter } from 'node:events';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { systemClock, type Url } from '@webfarer/protocol';
import type { BrowserAnswer } from '../egress/browser-proxy.ts';
import { createEventBudget, eventBudget } from './event-budget.ts';
import { findBrowser } from './find-browser.ts';
import { createRenderer } from './renderer.ts';
import type { RenderAnswer } from './rendering.ts';
import { watchPage } from './visit.ts';

const path = findBrowser();
const renderer =
  path === undefined
    ? undefined
    : createRenderer({
        clock: systemClock(),
        place: { kind: 'program', path },
        mostPages: 2,
        pagesPerBrowser: 50,
        memory: { process: 2 ** 30, tree: 2 ** 32 },
      });
afterAll(() => renderer?.close());

const answer = (html: string): BrowserAnswer => ({
  status: 200,
  statusText: 'OK',
  headers: [['Content-Type', 'text/html']],
  body: Buffer.from(html),
  cut: false,
});

async function show(host: string, html: string): Promise<RenderAnswer | undefined> {
  const session = renderer?.open({
    userAgent: 'webfarer/0 (+https://lab.test)',
    state: undefined,
    load: () => Promise.resolve(undefined),
    refused: () => undefined,
  });
  const { signal } = new AbortController();
  const bounds = { timeoutMs: 5_000, quietMs: 200, signal, begins: () => undefined };
  const wanted = { steps: [], act: undefined, pictures: [] };
  try {
    return await session?.render({ url: `http://${host}/` as Url, main: answer(html), ...wanted, ...bounds });
  } finally {
    await session?.close();
  }
}

const line = `'x'.repeat(100_000)`;

describe.skipIf(path === undefined)('a page that tells too much', () => {
  it('is read, with what it wrote to the console cut where it wrote it', async () => {
    const flood = `setInterval(() => { for (let i = 0; i < 500; i++) console.error(${line}); }, 1);`;
    const shown = await show('loud.test', `<title>loud</title><p>words<script>${flood}</script>`);
    expect(shown).toMatchObject({ ok: true, errors: { length: 20 } });
    expect(shown?.ok && shown.html).toContain('words');
  });

  it('is ended with the reason where it goes past that, and the next page is shown', async () => {
    const flood = `for (;;) console.error(${line});`;
    const start = `new Worker(URL.createObjectURL(new Blob([${JSON.stringify(flood)}])));`;
    const [loud, quiet] = await Promise.all([
      show('worker.test', `<p>words<script>${start}</script>`),
      show('quiet.test', '<p>calm words'),
    ]);
    expect(loud).toMatchObject({
      ok: false,
      reason: 'render-crash',
      detail: expect.stringContaining('more than allowed') as string,
    });
    expect(quiet?.ok && quiet.html).toContain('calm words');
    const next = await show('next.test', '<p>further words');
    expect(next?.ok && next.html).toContain('further words');
  });
});

it.each([
  ['frames', 'frameattached'],
  ['workers', 'worker'],
  ['sockets', 'websocket'],
  ['downloads', 'download'],
])('counts what a page makes without asking for anything: %s', (what, event) => {
  const page = new EventEmitter();
  const ended = vi.fn();
  const { flood } = watchPage(page as unknown as Page, systemClock(), ended);
  const one = { url: () => '' };
  for (let n = 0; n < eventBudget.events; n++) page.emit(event, one);
  expect([flood(), ended.mock.calls.length]).toEqual([undefined, 0]);
  page.emit(event, one);
  expect(ended).toHaveBeenCalledOnce();
  expect(flood()).toContain(`mostly ${what}`);
});

it('has its budget for all kinds of events together, and is ended once', () => {
  const ended = vi.fn();
  const budget = createEventBudget(ended);
  for (let n = 0; n < eventBudget.events; n++) budget.add(n % 3 === 0 ? 'requests' : 'dialogs', 10);
  expect([budget.exceeded(), ended.mock.calls.length]).toEqual([undefined, 0]);
  for (let n = 0; n < 3; n++) budget.add('requests', 0);
  expect(ended).toHaveBeenCalledOnce();
  expect(budget.exceeded()).toContain('mostly dialogs');
});

describe.skipIf(path === undefined)('a page that leads to what cannot be loaded', () => {
  it('is a redirect to that, not the error page of the browser', async () => {
    const shown = await show('leads.test', '<p>words<script>location.href = "http://gone.test/x"</script>');
    expect(shown).toMatchObject({ ok: true, movedTo: 'http://gone.test/x' });
  });

  it('fails where that is the page itself', async () => {
    const again = 'if (!location.hash) { location.hash = "again"; location.reload(); }';
    const shown = await show('again.test', `<p>words<script>${again}</script>`);
    expect(shown).toMatchObject({ ok: false, detail: expect.stringContaining('error page') as string });
  });
});
