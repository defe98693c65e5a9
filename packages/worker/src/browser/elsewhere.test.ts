import { createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { systemClock, type Url, type WebfarerError } from '@webfarer/protocol';
import type { BrowserAnswer } from '../egress/browser-proxy.ts';
import {
  killBrowsersElsewhere,
  type StartedBrowser,
  startBrowserElsewhere,
} from './browser-elsewhere.fixture.ts';
import { browserPlace } from './browser-place.ts';
import { findBrowser } from './find-browser.ts';
import { createRenderer } from './renderer.ts';
import type { Renderer } from './rendering.ts';
import { trafficSwitches } from './switches.ts';

let started: StartedBrowser | undefined;
let renderer: Renderer | undefined;
let canary: Server;
let canaryHits: string[];
let canaryUrl: string;

beforeEach(async () => {
  canaryHits = [];
  canary = createServer((request, response) => {
    canaryHits.push(request.url ?? '');
    response.end();
  });
  await new Promise<void>((resolve) => canary.listen(0, '127.0.0.1', resolve));
  canaryUrl = `http://127.0.0.1:${(canary.address() as AddressInfo).port}/canary`;
});
afterEach(async () => {
  await renderer?.close();
  await killBrowsersElsewhere();
  [renderer, started] = [undefined, undefined];
  await new Promise((resolve) => canary.close(resolve));
});

const html = (body: string): BrowserAnswer => ({
  status: 200,
  statusText: 'OK',
  headers: [['Content-Type', 'text/html']],
  body: Buffer.from(body),
  cut: false,
});

function connectTo(browser: string, browserProxy?: string): Renderer {
  const place = browserPlace({ browser, browserProxy, process: undefined });
  if (!place) throw new Error('no place');
  renderer = createRenderer({
    clock: systemClock(),
    place,
    mostPages: 2,
    pagesPerBrowser: 50,
    memory: { process: 2 ** 30, tree: 2 ** 32 },
  });
  return renderer;
}

/** Shows pages of a made-up web. */
function sessionOf(by: Renderer, web: Record<string, string>, before: (url: string) => Promise<void> | void) {
  const asked: string[] = [];
  const session = by.open({
    userAgent: 'webfarer/0',
    state: undefined,
    async load({ url }) {
      asked.push(url);
      await before(url);
      const body = web[url];
      return body === undefined ? undefined : html(body);
    },
    refused: () => undefined,
  });
  const show = (url: string, timeoutMs = 60_000) =>
    session.render({
      url: url as Url,
      main: html(web[url] ?? ''),
      timeoutMs,
      quietMs: 200,
      steps: [],
      act: undefined,
      pictures: [],
      signal: new AbortController().signal,
      begins: () => undefined,
    });
  return { show, asked };
}

const statusFor = async (url: string): Promise<number | undefined> =>
  await new Promise((resolve, reject) => {
    get(url, ({ statusCode }) => resolve(statusCode)).once('error', reject);
  });

const failure = async (work: Promise<unknown>): Promise<WebfarerError> =>
  await work.then(
    () => expect.fail('it worked'),
    (error: unknown) => error as WebfarerError,
  );

describe.skipIf(findBrowser() === undefined)('a browser elsewhere', () => {
  it('shows pages, and loads everything through the worker', async () => {
    started = await startBrowserElsewhere();
    const elsewhere = connectTo(started.url);
    expect(await elsewhere.ready()).toMatch(/^Chromium \d+\.[\d.]+ at http:\/\/127\.0\.0\.1:\d+$/);
    const web = {
      'https://a.test/': `<p id=x><img src="${canaryUrl}"><script>
        fetch('${canaryUrl}?fetch', { mode: 'no-cors' }).catch(() => 0);
        new WebSocket('${canaryUrl.replace('http', 'ws')}?socket');
        fetch('/data').then((answer) => answer.text()).then((text) => (document.getElementById('x').append(text)));
      </script>`,
      'https://a.test/data': 'spanner',
    };
    const { show, asked } = sessionOf(elsewhere, web, () => undefined);
    const shown = await show('https://a.test/');
    expect(shown.ok && shown.html).toContain('spanner');
    expect(asked).toEqual(expect.arrayContaining([canaryUrl, `${canaryUrl}?fetch`, 'https://a.test/data']));
    expect(asked).not.toContain('https://a.test/');
    expect(canaryHits).toEqual([]);
  });

  it('reaches the worker at the address that was chosen, and no other program does', async () => {
    const switches = ['--enable-automation', ...trafficSwitches('127.0.0.3')];
    started = await startBrowserElsewhere({ switches });
    const { port } = canary.address() as AddressInfo;
    // Of another address of this machine, so the same number is free.
    const elsewhere = connectTo(started.socketUrl, `127.0.0.3:${port}`);
    await elsewhere.ready();
    const stranger: (number | undefined)[] = [];
    const { show, asked } = sessionOf(
      elsewhere,
      { 'http://a.test/': '<img src=/held>', 'http://a.test/held': 'x' },
      async (url) => {
        if (!url.endsWith('/held')) return;
        stranger.push(await statusFor(`http://127.0.0.3:${port}/stranger`));
      },
    );
    expect(await show('http://a.test/')).toMatchObject({ ok: true });
    expect(asked).toContain('http://a.test/held');
    expect(stranger).toEqual([407]);
    expect(canaryHits).toEqual([]);
  });

  it('that is killed and started again shows the page that it lost', async () => {
    started = await startBrowserElsewhere();
    const elsewhere = connectTo(started.url);
    const { port } = started;
    let held = 0;
    const web = {
      'http://a.test/': '<p>once<script>fetch("/held").then(() => document.body.append("more"))</script>',
      'http://a.test/held': 'held',
    };
    const { show } = sessionOf(elsewhere, web, async (url) => {
      if (!url.endsWith('/held') || held++ > 0) return;
      await started?.kill();
      started = await startBrowserElsewhere({ port });
    });
    const shown = await show('http://a.test/', 600_000);
    expect(shown.ok && shown.html).toContain('more');
    expect(held).toBe(2);
  });

  it('is rid of a page that computes without end, and shows the next', async () => {
    started = await startBrowserElsewhere();
    const elsewhere = connectTo(started.url);
    const web = {
      'http://a.test/loop': '<p>x<script>setTimeout(() => { for (;;); }, 100)</script>',
      'http://a.test/next': '<p>next',
    };
    const { show } = sessionOf(elsewhere, web, () => undefined);
    expect(await show('http://a.test/loop', 3_000)).toMatchObject({ ok: false, reason: 'render-timeout' });
    expect(await show('http://a.test/next')).toMatchObject({ ok: true });
    await expect
      .poll(async () => (await started?.pages())?.filter((url) => url.endsWith('/loop')), { timeout: 30_000 })
      .toEqual([]);
  });

  it('is refused where it could load pages past the worker, with the command that starts it right', async () => {
    const wanted = ['--enable-automation', ...trafficSwitches('127.0.0.1')];
    const switches = [
      ...wanted.filter((word) => word !== '--disable-quic' && !word.startsWith('--disable-features')),
      '--host-resolver-rules=MAP *.test 127.0.0.1',
    ];
    started = await startBrowserElsewhere({ switches });
    const { message, next = '' } = await failure(connectTo(started.url).ready());
    expect(message).toMatch(/it lacks --host-resolver-rules, --disable-features, --disable-quic$/);
    for (const word of wanted) expect(next).toContain(word);
    await started.kill();
    started = await startBrowserElsewhere({ switches: trafficSwitches('127.0.0.1') });
    const silent = await failure(connectTo(started.url).ready());
    expect(silent.message).toMatch(
      /^the browser at http:\/\/127\.0\.0\.1:\d+ does not say how it was started$/,
    );
    expect(silent.next).toContain('--enable-automation');
  });

  it('that cannot be reached is named without its secrets', async () => {
    const { port } = canary.address() as AddressInfo;
    const name = `127.0.0.1:${port}`;
    for (const url of [
      `ws://${name}/TOPSECRET?token=TOPSECRET`,
      `http://user:TOPSECRET@${name}/?token=TOPSECRET`,
      `ws://127.0.0.1:1/TOPSECRET?token=TOPSECRET`,
      `http://127.0.0.1:1/?token=TOPSECRET`,
    ]) {
      const { code, message, next } = await failure(connectTo(url).ready());
      expect(code).toBe('no-browser');
      expect(message).toMatch(/^cannot connect to the browser at (?:ws|http):\/\/127\.0\.0\.1:\d+: \S/);
      expect(next).toContain('WEBFARER_BROWSER');
      expect(`${message}${next}`).not.toMatch(/TOPSECRET|user/);
    }
    const { show } = sessionOf(connectTo('ws://127.0.0.1:1/TOPSECRET'), {}, () => undefined);
    const answer = await show('http://a.test/');
    expect(answer).toMatchObject({ ok: false, reason: 'render-crash' });
    expect(JSON.stringify(answer)).not.toContain('TOPSECRET');
  });
});
