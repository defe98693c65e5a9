import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { systemClock, type Url } from '@webfarer/protocol';
import type { BrowserAnswer } from '../egress/browser-proxy.ts';
import { browserPaths } from './find-browser.ts';
import { createRenderer } from './renderer.ts';

/** One with all its parts: the shell without a window does not fill in forms, and so asks nobody about them. */
const whole = browserPaths.find((path) => !path.includes('headless-shell') && existsSync(path));

const fields = ['name', 'email', 'address', 'city', 'zip'];
const page = `<!doctype html><link rel=icon href="data:,"><form action=/buy>
  ${fields.map((name) => `<label>${name} <input name=${name}></label>`).join('')}<button>Send</button></form>`;

it.skipIf(whole === undefined)(
  'a whole browser asks nobody about the forms that it shows',
  async () => {
    const renderer = createRenderer({
      clock: systemClock(),
      place: { kind: 'program', path: whole ?? '' },
      mostPages: 1,
      pagesPerBrowser: 1,
      memory: { process: 2 ** 30, tree: 2 ** 32 },
    });
    const asked: string[] = [];
    const session = renderer.open({
      userAgent: 'webfarer/0',
      state: undefined,
      load({ url }) {
        asked.push(url);
        return Promise.resolve(undefined);
      },
      refused: (url) => void asked.push(url),
    });
    const main: BrowserAnswer = {
      status: 200,
      statusText: 'OK',
      headers: [['Content-Type', 'text/html']],
      body: Buffer.from(page),
      cut: false,
    };
    const shown = await session.render({
      url: 'https://shop.test/' as Url,
      main,
      timeoutMs: 60_000,
      // Of what the browser does on its own the page knows nothing: it is given time for it.
      quietMs: 2_000,
      steps: [],
      act: undefined,
      pictures: [],
      signal: new AbortController().signal,
      begins: () => undefined,
    });
    await session.close();
    await renderer.close();
    expect(shown.ok && shown.html).toContain('name="zip"');
    expect(asked).toEqual([]);
  },
  300_000,
);
