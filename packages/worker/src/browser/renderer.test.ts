import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { connect, Server } from 'node:net';
import { afterAll, describe, expect, it } from 'vitest';
import { systemClock, type Url } from '@webfarer/protocol';
import type { BrowserAnswer, BrowserRequest } from '../egress/browser-proxy.ts';
import { findBrowser } from './find-browser.ts';
import { createRenderer } from './renderer.ts';
import type { Renderer, RenderRequest } from './rendering.ts';

const executablePath = findBrowser();
const rendererFor = (pagesPerBrowser: number): Renderer | undefined =>
  executablePath === undefined
    ? undefined
    : createRenderer({
        clock: systemClock(),
        place: { kind: 'program', path: executablePath },
        mostPages: 2,
        pagesPerBrowser,
        memory: { process: 2 ** 30, tree: 2 ** 32 },
      });
const renderer = rendererFor(4);
afterAll(() => renderer?.close());

const hasProcesses = process.platform === 'linux';

/** Browsers that this process has started, some of them by a script that waits for its browser. */
function browsers(): number[] {
  return startedBy('self').map((pid) => startedBy(String(pid))[0] ?? pid);
}

function startedBy(process: string): number[] {
  return readdirSync(`/proc/${process}/task`)
    .flatMap((task) => readFileSync(`/proc/${process}/task/${task}/children`, 'latin1').split(' '))
    .filter(Boolean)
    .map(Number)
    .filter((pid) => {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
      return command.includes('--remote-debugging-pipe') && !command.includes('--type=');
    });
}

/** On which this process listens. */
function listeningPorts(): number[] {
  const handles = (process as unknown as { _getActiveHandles(): unknown[] })._getActiveHandles();
  return handles.flatMap((one) => {
    const address = one instanceof Server ? one.address() : undefined;
    return address && typeof address === 'object' ? [address.port] : [];
  });
}

/** What another program is told that found the port. */
async function asStranger(port: number): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  let got = '';
  socket.on('data', (piece: Buffer) => (got += piece.toString('latin1'))).on('error', () => undefined);
  socket.write('GET http://a.test/stranger HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n');
  await once(socket, 'close');
  return got;
}

/** What the pages of a made-up web are answered, by URL. */
type Web = Record<string, string | { type: string; body: string } | undefined>;

function answerOf(content: Web[string]): BrowserAnswer | undefined {
  if (content === undefined) return undefined;
  const { type, body } = typeof content === 'string' ? { type: 'text/html', body: content } : content;
  return {
    status: 200,
    statusText: 'OK',
    headers: [['Content-Type', type]],
    body: Buffer.from(body),
    cut: false,
  };
}

function open(
  web: Web,
  before: (request: BrowserRequest) => Promise<unknown> = () => Promise.resolve(),
  by = renderer,
) {
  const asked: BrowserRequest[] = [];
  const refused: string[] = [];
  const session = by?.open({
    userAgent: 'webfarer/0 (+https://lab.test)',
    state: undefined,
    async load(request) {
      asked.push(request);
      await before(request);
      return answerOf(web[request.url]);
    },
    refused: (url, what) => void refused.push(`${what} ${url}`),
  });
  async function show(url: string, changes: Partial<RenderRequest> = {}) {
    const main = answerOf(web[url]) as BrowserAnswer;
    const signal = new AbortController().signal;
    const begins = (): void => undefined;
    const usual = {
      timeoutMs: 30_000,
      quietMs: 200,
      steps: [],
      act: undefined,
      pictures: [],
      signal,
      begins,
    };
    const request = { url: url as Url, main, ...usual, ...changes };
    return await session?.render(request);
  }
  return { show, asked, refused, urls: () => asked.map(({ url }) => url), close: () => session?.close() };
}

describe.skipIf(executablePath === undefined)('a page in a browser', () => {
  it('is read as its scripts leave it, and asked for once', async () => {
    const web = {
      'https://shop.test/': '<!doctype html><title>a</title><p id=x></p><script src="/app.js"></script>',
      'https://shop.test/app.js': {
        type: 'text/javascript',
        body: `fetch('/data.json').then((answer) => answer.json()).then(({ word }) => {
          document.getElementById('x').innerHTML = '<a href="/next">' + word + '</a>';
        });`,
      },
      'https://shop.test/data.json': { type: 'application/json', body: '{"word":"spanner"}' },
    };
    const { show, urls, asked, close } = open(web);
    const shown = await show('https://shop.test/');
    expect(shown).toMatchObject({ ok: true, restless: false, movedTo: undefined });
    expect(shown?.ok && shown.html).toContain('<a href="/next">spanner</a>');
    expect(shown?.ok && shown.html).toMatch(/^<!DOCTYPE html><html>/);
    expect(urls().filter((url) => !url.endsWith('favicon.ico'))).toEqual([
      'https://shop.test/app.js',
      'https://shop.test/data.json',
    ]);
    const agent = asked[0]?.headers.find(([name]) => name.toLowerCase() === 'user-agent');
    expect(agent?.[1]).toBe('webfarer/0 (+https://lab.test)');
    await close();
  });

  it('is read with its open shadow trees, and says where it sent its reader', async () => {
    const web = {
      'http://a.test/': `<div id=host></div><script>
        document.getElementById('host').attachShadow({ mode: 'open' }).innerHTML = '<a href="/inside">in</a>';
      </script>`,
      'http://a.test/moves': '<script>location.href = "/there"</script>',
      'http://a.test/there': '<p>arrived',
    };
    const { show, close } = open(web);
    const shadow = await show('http://a.test/');
    expect(shadow?.ok && shadow.html).toContain('<a href="/inside">in</a>');
    expect(await show('http://a.test/moves')).toMatchObject({ ok: true, movedTo: 'http://a.test/there' });
    await close();
  });

  it('is read with what stands in its frames, and says which files did not come', async () => {
    const web = {
      'http://a.test/': `<p>outer<iframe src="http://b.test/in/frame"></iframe><iframe src="/stuck"></iframe>
        <img src="/gone.png">`,
      'http://b.test/in/frame': `<title>f</title><p>inner <a href="next">further</a><div id=x></div><script>
        document.getElementById('x').attachShadow({ mode: 'open' }).innerHTML = '<b>deep</b>';
        document.body.append(document.createElement('iframe'));
      </script>`,
      'http://a.test/stuck': '<p>stuck',
    };
    const { show, close } = open(web);
    const shown = await show('http://a.test/');
    if (!shown?.ok) throw new Error('not shown');
    expect(shown.html).toMatch(
      /<section data-frame="http:\/\/b.test\/in\/frame">.*<\/section><\/body><\/html>$/s,
    );
    expect(shown.html).toContain('<a href="http://b.test/in/next">further</a>');
    expect(shown.html).toContain('<b>deep</b>');
    expect(shown.html).toContain('<section data-frame="http://a.test/stuck"><p>stuck</p></section>');
    expect(shown.own).toContain('<iframe src="http://b.test/in/frame"></iframe>');
    expect(shown.own).not.toContain('data-frame');
    expect(shown.errors.join()).toMatch(/Failed to load resource.*http:\/\/a.test\/gone.png/);
    await close();
  });

  it('keeps its proxy to itself while it is shown', async () => {
    const web: Web = {
      'https://a.test/': '<p>x<script>fetch("/held").then(() => document.body.append("done"))</script>',
      'https://a.test/held': 'held',
    };
    const stranger = new Map<number, string>();
    // Of other tests in this process, which may never answer, and not of the browser below.
    const others = new Set(listeningPorts());
    const mine = rendererFor(1);
    const held = async ({ url }: BrowserRequest): Promise<void> => {
      if (!url.endsWith('/held')) return;
      for (const port of listeningPorts()) if (!others.has(port)) stranger.set(port, await asStranger(port));
    };
    const { show, urls, close } = open(web, held, mine);
    const shown = await show('https://a.test/');
    expect(shown?.ok && shown.html).toContain('done');
    expect([...stranger.values()]).toContainEqual(expect.stringMatching(/^HTTP\/1\.1 407 /));
    expect(urls().filter((url) => url.includes('stranger'))).toEqual([]);
    await close();
    await mine?.close();
  });

  it('has pictures of the sizes that were asked for, and none that were not', async () => {
    const tall = (height: number) =>
      `<body style="margin:0;background:red"><p style="height:${height}px;margin:0">x`;
    const web = {
      'http://a.test/': tall(3_000),
      'http://a.test/endless': tall(60_000),
      'http://a.test/moves': '<script>location.href = "/"</script>',
    };
    const { show, close } = open(web);
    const all = await show('http://a.test/', { pictures: ['view', 'fullPage', 'thumbnail', 'pdf'] });
    expect(all?.ok && all.missing).toEqual([]);
    const made = all?.ok ? all.pictures : [];
    expect(made.map(({ kind, mime }) => `${kind} ${mime}`)).toEqual([
      'view image/png',
      'fullPage image/png',
      'thumbnail image/jpeg',
      'pdf application/pdf',
    ]);
    const [view, fullPage, thumbnail, pdf] = made.map(({ bytes }) => bytes);
    expect(view && pngSize(view)).toEqual([1_280, 720]);
    expect(fullPage && pngSize(fullPage)).toEqual([1_280, 3_000]);
    expect(thumbnail?.subarray(0, 3).toString('hex')).toBe('ffd8ff');
    expect(pdf?.subarray(0, 5).toString()).toBe('%PDF-');
    const endless = await show('http://a.test/endless', { pictures: ['fullPage'] });
    expect(endless?.ok && endless.pictures.map(({ bytes }) => pngSize(bytes))).toEqual([[1_280, 16_384]]);
    expect(await show('http://a.test/')).toMatchObject({ ok: true, pictures: [], missing: [] });
    // What another page looks like is no picture of this one.
    const moved = await show('http://a.test/moves', { pictures: ['view'] });
    expect(moved).toMatchObject({ ok: true, movedTo: 'http://a.test/', pictures: [] });
    await close();
  });

  it('that computes without end, asks without end or ends its browser hurts no other', async () => {
    const web = {
      'http://a.test/loop': '<script>setTimeout(() => { for (;;); }, 100)</script><p>x',
      'http://a.test/asks':
        '<p>asks<script>setInterval(() => fetch("/more?" + Math.random()).catch(() => 0), 20)</script>',
      'http://a.test/dialog':
        '<script>for (let i = 0; i < 3; i++) alert(i); open("/asks"); document.title = "after"</script>',
      'http://b.test/': '<p id=x>well</p><script>document.getElementById("x").append(" and good")</script>',
    };
    const bad = open(web);
    const good = open(web);
    const [loop, well] = await Promise.all([
      bad.show('http://a.test/loop', { timeoutMs: 3_000 }),
      good.show('http://b.test/'),
    ]);
    expect(loop).toMatchObject({ ok: false, reason: 'render-timeout' });
    expect(well?.ok && well.html).toContain('well and good');
    const asks = await bad.show('http://a.test/asks', { timeoutMs: 4_000, quietMs: 3_000 });
    expect(asks).toMatchObject({ ok: true, restless: true });
    const dialog = await bad.show('http://a.test/dialog');
    expect(dialog?.ok && dialog.html).toContain('<title>after</title>');
    const again = await good.show('http://b.test/');
    expect(again?.ok && again.html).toContain('well and good');
    await Promise.all([bad.close(), good.close()]);
  });

  it('is shown where the one before was, which is silent then and leaves nothing', async () => {
    const mine = rendererFor(100);
    const web = {
      'http://a.test/': `<p>first<script>
        sessionStorage.setItem('of', 'first');
        window.name = 'first';
        setInterval(() => fetch('/timer'), 900);
        let frames = 0;
        const draw = () => { if (++frames % 40 === 0) fetch('/drawn'); requestAnimationFrame(draw); };
        draw();
      </script>`,
      'http://a.test/second': `<p id=x></p><script>
        document.getElementById('x').textContent =
          [history.length, sessionStorage.length, JSON.stringify(window.name)].join();
      </script>`,
      'http://a.test/timer': 'timer',
      'http://a.test/drawn': 'drawn',
    };
    const { show, urls, close } = open(web, undefined, mine);
    expect(await show('http://a.test/')).toMatchObject({ ok: true, restless: false });
    const before = urls();
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const second = await show('http://a.test/second', { quietMs: 1_000 });
    expect(second?.ok && second.html).toContain('<p id="x">3,0,""</p>');
    expect(urls().slice(before.length)).toEqual([]);
    await close();
    await mine?.close();
  });

  it.skipIf(!hasProcesses)(
    'is shown in a new browser after some, and the old one ends when its pages do',
    async () => {
      const web: Web = {
        'http://a.test/slow':
          '<p>slow<script>fetch("/held").then(() => document.body.append("done"))</script>',
        'http://a.test/held': 'held',
        'http://b.test/': '<p>quick',
      };
      const held = Promise.withResolvers<void>();
      const slow = open(web, async ({ url }) => (url.endsWith('/held') ? await held.promise : undefined));
      const quick = open(web);
      const first = slow.show('http://a.test/slow');
      const seen = new Set<number>();
      for (let n = 0; n < 5; n++) {
        expect(await quick.show('http://b.test/')).toMatchObject({ ok: true });
        for (const pid of browsers()) seen.add(pid);
      }
      expect(seen.size).toBeGreaterThan(1);
      held.resolve();
      const shown = await first;
      expect(shown?.ok && shown.html).toContain('done');
      // It was not shown a second time in the new browser.
      expect(slow.urls().filter((url) => url.endsWith('/held'))).toHaveLength(1);
      await Promise.all([slow.close(), quick.close()]);
    },
    300_000,
  );

  it.skipIf(!hasProcesses)(
    'whose browser is killed while it loads is shown again',
    async () => {
      const web: Web = {
        'http://a.test/': '<p>once<script>fetch("/held").then(() => document.body.append("more"))</script>',
        'http://a.test/held': 'held',
      };
      let kills = 0;
      const { show, close } = open(web, ({ url }) => {
        if (url.endsWith('/held') && kills++ === 0)
          for (const pid of browsers()) process.kill(pid, 'SIGKILL');
        return Promise.resolve();
      });
      // It does not wait for the end of its time.
      const shown = await show('http://a.test/', { timeoutMs: 600_000 });
      expect(shown?.ok && shown.html).toContain('more');
      expect(kills).toBe(2);
      await close();
    },
    300_000,
  );
});

function pngSize(png: Buffer): [number, number] {
  return [png.readUInt32BE(16), png.readUInt32BE(20)];
}
