import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@webfarer/protocol';
import type { LivePage, LivePicture, LiveScreen } from '@webfarer/protocol/api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findBrowser } from './find-browser.ts';
import { type LiveLoginBrowser, openLiveBrowser } from './live-browser.ts';

const executablePath = findBrowser() ?? '';
const pages: Record<string, string> = {
  '/moving':
    '<title>Moving</title><p id=x></p><script>setInterval(() => { x.textContent = performance.now(); }, 20)</script>',
  '/form': `<title>Form</title><body style="margin:0"><input id=a style="position:absolute;left:10px;top:10px;width:200px;height:30px">
    <div style="height:3000px"></div><script>a.oninput = () => { document.body.dataset.typed = a.value; };
    addEventListener('scroll', () => { document.title = 'scrolled'; })</script>`,
  // Much is drawn with each key, and nothing is left in the end.
  '/keys': `<title>Keys</title><body><script>addEventListener('keydown', ({ key }) => {
    document.body.textContent = key === 'z' ? '' : Array.from({ length: 3000 }, (_, i) => i * Math.random()).join(' ');
  })</script>`,
  '/opener': '<title>Opener</title><script>onclick = () => open("/popup")</script>',
  '/popup': '<title>Popup</title><script>onclick = () => close()</script>',
  '/asks':
    '<title>Asks</title><script>onclick = () => { document.title = String(confirm("Really?")); }</script>',
};

let server: Server;
let origin: string;
beforeAll(async () => {
  server = createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': 'session=s; HttpOnly' });
    response.end(`<link rel=icon href="data:,">${pages[request.url ?? ''] ?? ''}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

interface Watched extends LiveScreen {
  pictures: LivePicture[];
  pages: LivePage[];
  notes: string[];
  /** Lets the viewer draw what it has. */
  draw(): void;
}

function watcher({ isSlow = false } = {}): Watched {
  let drawn: () => void = () => undefined;
  const own: Watched = {
    pictures: [],
    pages: [],
    notes: [],
    draw: () => drawn(),
    picture(picture) {
      own.pictures.push(picture);
      return isSlow ? new Promise((resolve) => (drawn = resolve)) : Promise.resolve();
    },
    page: (page) => void own.pages.push(page),
    note: (text) => void own.notes.push(text),
  };
  return own;
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setTimeout(resolve, 10));
}

async function within<T>(path: string, use: (browser: LiveLoginBrowser) => Promise<T>): Promise<T> {
  const clock = systemClock();
  const browser = await openLiveBrowser({ executablePath, url: origin + path, clock });
  try {
    return await use(browser);
  } finally {
    await browser.close();
  }
}

/** The page has run its script, to the end. */
async function isLoaded(browser: LiveLoginBrowser, screen: Watched): Promise<void> {
  browser.show(screen);
  await until(() => screen.pictures.length > 0);
  while (!(await browser.look())?.sources[0]?.includes('</script></'));
}

const at = (x: number, y: number) => ({ x, y, modifiers: 0 });
async function click(browser: LiveLoginBrowser, x: number, y: number): Promise<void> {
  for (const action of ['down', 'up'] as const)
    await browser.input({ type: 'mouse', action, ...at(x, y), button: 'left', clicks: 1 });
}

describe.skipIf(executablePath === '')('a browser that is used from elsewhere', () => {
  it('makes no pictures ahead of a viewer that is slow', async () => {
    await within('/moving', async (browser) => {
      const slow = watcher({ isSlow: true });
      browser.show(slow);
      await until(() => slow.pictures.length === 1);
      // Time passes by what the page itself does: input is taken 30 times.
      for (let n = 0; n < 30; n++) await browser.input({ type: 'wheel', ...at(5, 5), dx: 0, dy: 1 });
      expect(slow.pictures).toHaveLength(1);
      slow.draw();
      await until(() => slow.pictures.length === 2);
      expect(slow.pictures[0]?.jpeg).not.toBe(slow.pictures[1]?.jpeg);
      const meanwhile = watcher();
      browser.show(meanwhile);
      await until(() => meanwhile.pictures.length > 3);
      expect(slow.pictures).toHaveLength(2);
    });
  });

  it('types, pastes and scrolls', async () => {
    await within('/form', async (browser) => {
      const screen = watcher();
      await isLoaded(browser, screen);
      await click(browser, 50, 20);
      const key = { key: 'a', code: 'KeyA', keyCode: 65, repeat: false, modifiers: 0 };
      await browser.input({ type: 'key', action: 'down', text: 'a', ...key });
      await browser.input({ type: 'key', action: 'up', text: '', ...key });
      await browser.input({ type: 'text', text: 'ünd 漢字' });
      await browser.input({ type: 'wheel', ...at(50, 200), dx: 0, dy: 900 });
      await until(() => screen.pictures.length > 1);
      let look = await browser.look();
      while (!look?.sources[0]?.includes('<title>scrolled')) look = await browser.look();
      expect(look.sources[0]).toContain('data-typed="aünd 漢字"');
      expect(look.cookies).toMatchObject([{ name: 'session', httpOnly: true }]);
      await browser.input({ type: 'size', width: 640, height: 480 });
      await until(() => screen.pictures.at(-1)?.width === 640);
    });
  });

  it('shows the last of many changes, however fast they came', async () => {
    await within('/keys', async (browser) => {
      const screen = watcher();
      await isLoaded(browser, screen);
      const press = (key: string) =>
        browser.input({
          type: 'key',
          action: 'down',
          key,
          code: '',
          keyCode: 0,
          text: '',
          repeat: false,
          modifiers: 0,
        });
      const bytes = () => screen.pictures.at(-1)?.jpeg.length ?? 0;
      for (let round = 0; round < 5; round++) {
        await press('a');
        await until(() => bytes() > 50_000);
        for (let n = 0; n < 5; n++) await press('a');
        await press('z');
        await until(() => bytes() < 20_000);
      }
    });
  });

  it('shows the window that a page opens, and the page again when it is closed', async () => {
    await within('/opener', async (browser) => {
      const screen = watcher();
      await isLoaded(browser, screen);
      await click(browser, 50, 50);
      await until(() => screen.pages.at(-1)?.title === 'Popup');
      while (screen.pages.at(-1)?.title === 'Popup') await click(browser, 50, 50);
      await until(() => screen.pages.at(-1)?.title === 'Opener');
    });
  });

  it('says what a dialog asked, and answers no', async () => {
    await within('/asks', async (browser) => {
      const screen = watcher();
      await isLoaded(browser, screen);
      await click(browser, 50, 50);
      await until(() => screen.notes.length > 0);
      expect(screen.notes[0]).toContain('Really?');
    });
  });
});
