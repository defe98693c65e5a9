import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserContext } from 'playwright-core';
import { afterAll, describe, expect, it } from 'vitest';
import type { PageAct } from './rendering.ts';
import { openBrowser, type Site } from './steps/steps-web.fixture.ts';

const browser = openBrowser();
afterAll(() => browser?.close());

const site: Site = {
  'GET /': `<!doctype html><title>Shop</title><button id=more>More</button><p></p><script>
    more.onclick = async () => {
      document.querySelector('p').textContent += await (await fetch('/words')).text();
    };
  </script><form method=post action=/posted><input name=q><button id=send>Send</button></form>
  <a href=/next>next</a>`,
  'GET /words': 'words ',
  'GET /next': '<p>next</p>',
  'POST /posted': '<p>posted</p>',
};

function opened() {
  const { show, log, close } = (browser as NonNullable<typeof browser>).open(site);
  const act = (run: PageAct, { steps = [] as unknown[], timeoutMs = 30_000 } = {}) =>
    show('/', steps, { act: run, timeoutMs });
  return { act, show, log, close };
}
const doing =
  (run: (...args: Parameters<PageAct>) => Promise<unknown>): PageAct =>
  async (page, signal) => {
    try {
      return void (await run(page, signal));
    } catch (error) {
      return (error as Error).message.split('\n', 1)[0];
    }
  };

describe.skipIf(browser === undefined)('code on a page', () => {
  it('acts after the steps and before the page is read, which has come to rest again', async () => {
    const { act, log, close } = opened();
    const seen: (string | null)[] = [];
    const run = doing(async (page) => {
      seen.push(await page.textContent('p'));
      await page.click('#more');
    });
    const shown = await act(run, { steps: [{ click: '#more' }] });
    expect(seen).toEqual(['words ']);
    expect(log).toEqual(['GET /words', 'GET /words']);
    expect(shown?.ok && shown.html).toContain('<p>words words </p>');
    await close();
  });

  it('fails the page by what it throws, and is told when the time is up', async () => {
    const { act, close } = opened();
    expect(await act(() => Promise.resolve('it broke (shop.ts:1:2)'))).toEqual({
      ok: false,
      reason: 'step-failed',
      detail: 'inBrowser: it broke (shop.ts:1:2)',
    });
    const told = Promise.withResolvers<string>();
    const contexts: BrowserContext[] = [];
    const endless = doing(async (page, signal) => {
      contexts.push(page.context());
      signal.addEventListener('abort', () => told.resolve('aborted'));
      await new Promise(() => undefined);
    });
    expect(await act(endless, { timeoutMs: 2_000 })).toMatchObject({
      reason: 'step-failed',
      detail: "inBrowser: the page's time was up",
    });
    expect(await told.promise).toBe('aborted');
    // It can do nothing any more, and nothing in the budget of the next page.
    expect(contexts).toHaveLength(1);
    await expect(contexts[0]?.newPage()).rejects.toThrow('closed');
    const missing = doing((page) => page.click('#none', { timeout: 200 }));
    expect(await act(missing)).toMatchObject({ detail: 'inBrowser: page.click: Timeout 200ms exceeded.' });
    await close();
  });

  it('can close its page and leave others open, and the next page is shown as ever', async () => {
    const { act, log, close } = opened();
    const detail = 'inBrowser: it closed the page';
    expect(await act(doing((page) => page.close()))).toMatchObject({ reason: 'step-failed', detail });
    expect(await act(doing((page) => page.context().close()))).toMatchObject({ detail });
    let others = -1;
    const opens = doing(async (page) => {
      const other = await page.context().newPage();
      await other.goto('http://shop.test/next');
    });
    expect(await act(opens)).toMatchObject({ ok: true, movedTo: undefined });
    expect(log).toContain('GET /next');
    const counts = doing(async (page) => {
      others = page.context().pages().length - 1;
    });
    expect(await act(counts)).toMatchObject({ ok: true });
    expect(others).toBe(0);
    await close();
  });

  it('leaves nothing behind for the next page', async () => {
    const { act, show, log, close } = opened();
    const changes = doing(async (page) => {
      await page.addInitScript(() => void fetch('/words'));
      await page.route('**/next', (route) => route.abort());
    });
    expect(await act(changes)).toMatchObject({ ok: true });
    expect(await show('/', [])).toMatchObject({ ok: true });
    expect(log).toEqual([]);
    await close();
  });

  it('asks for nothing past the crawler, from another page of the context or without one', async () => {
    const { act, log, close } = opened();
    let hits = 0;
    const canary = createServer((_, response) => {
      hits += 1;
      response.end();
    });
    await new Promise<void>((done) => canary.listen(0, '127.0.0.1', done));
    const origin = `http://127.0.0.1:${(canary.address() as AddressInfo).port}`;
    const statuses: number[] = [];
    const asks = doing(async (page) => {
      for (const request of [page.request, page.context().request])
        statuses.push((await request.get(`${origin}/api`)).status());
      const other = await page.context().newPage();
      await other.goto(`${origin}/page`).catch(() => undefined);
    });
    expect(await act(asks)).toMatchObject({ ok: true });
    expect(statuses).toEqual([407, 407]);
    expect(log).toEqual([`GET ${origin}/page`]);
    expect(hits).toBe(0);
    await new Promise((done) => canary.close(done));
    await close();
  });

  it('that leads to another page makes this one a redirect, unless it has no address', async () => {
    const { act, close } = opened();
    expect(await act(doing((page) => page.click('a')))).toMatchObject({
      ok: true,
      movedTo: 'http://shop.test/next',
    });
    expect(await act(doing((page) => page.click('#send')))).toMatchObject({
      reason: 'step-failed',
      detail: 'inBrowser led to http://shop.test/posted by POST',
    });
    let runs = 0;
    const run = doing(async () => void (runs += 1));
    expect(await act(run, { steps: [{ click: 'a' }] })).toMatchObject({ movedTo: 'http://shop.test/next' });
    expect(runs).toBe(0);
    await close();
  });
});
