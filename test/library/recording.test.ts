import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crawl } from 'webfarer';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findBrowser } from '../../packages/worker/src/browser/find-browser.ts';

/** A search with a text, a choice, a date, a button in a shadow tree, and more results where the page is scrolled. */
const search = `<!doctype html><link rel=icon href="data:,"><title>Search</title>
  <style>main { height: 3000px }</style>
  <form><label>Words <input name=q></label>
    <select name=kind><option value=all>All<option value=tool>Tools</select><input type=date name=since><button>Go</button></form>
  <x-options></x-options><main></main><script>
    const said = new Set();
    const show = (text) => {
      if (said.has(text)) return;
      said.add(text);
      document.querySelector('main').insertAdjacentHTML('beforeend', '<a href="/p/' + text + '">' + text + '</a> ');
    };
    customElements.define('x-options', class extends HTMLElement {
      connectedCallback() {
        this.attachShadow({ mode: 'open' }).innerHTML = '<button class=more>More</button>';
        this.shadowRoot.firstChild.onclick = () => show('more');
      }
    });
    const form = document.forms[0];
    form.onsubmit = (event) => {
      event.preventDefault();
      show([form.q.value, form.kind.value, form.since.value.length].join('-'));
    };
    form.q.onkeydown = ({ key, shiftKey }) => {
      if (key === 'Enter' && shiftKey) show('shifted');
    };
    onscroll = () => scrollY === 1500 && show('scrolled');
  </script>`;

/** Written after the published schema of the Recorder's exports. */
const recorded = (page: string) => ({
  title: 'Search for tools',
  steps: [
    {
      type: 'setViewport',
      width: 1280,
      height: 720,
      deviceScaleFactor: 1,
      isMobile: false,
      hasTouch: false,
      isLandscape: false,
    },
    {
      type: 'navigate',
      url: page,
      assertedEvents: [{ type: 'navigation', url: page, title: 'Search' }],
    },
    {
      type: 'click',
      target: 'main',
      selectors: [['aria/Words'], ['input[name="q"]'], ['xpath///html/body/form/label/input']],
      offsetY: 9,
      offsetX: 60,
    },
    { type: 'keyDown', target: 'main', key: 'Shift' },
    { type: 'change', value: 'Saw', selectors: [['aria/Words'], ['input[name="q"]']], target: 'main' },
    {
      type: 'change',
      value: 'tool',
      selectors: [['select'], ['xpath///html/body/form/select']],
      target: 'main',
    },
    { type: 'change', value: '2026-01-31', selectors: [['input:nth-of-type(1)[type=date]']], target: 'main' },
    { type: 'click', target: 'main', selectors: [['x-options', 'button.more'], ['pierce/button.more']] },
    { type: 'click', target: 'main', selectors: [['input[name="q"]']], offsetY: 9, offsetX: 60 },
    { type: 'keyDown', target: 'main', key: 'Enter' },
    { type: 'keyUp', target: 'main', key: 'Enter' },
    { type: 'scroll', target: 'main', x: 0, y: 1500 },
    { type: 'waitForElement', target: 'main', selectors: [['text/scrolled']], timeout: 5_000 },
  ],
});

let folder: string;
let server: Server;
let log: string[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-recording-'));
  log = [];
  server = createServer(({ url = '' }, response) => {
    if (url === '/robots.txt') return void response.writeHead(404).end();
    log.push(url);
    response
      .writeHead(200, { 'content-type': 'text/html' })
      .end(url.startsWith('/p/') ? `<p>${url}` : search);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

describe.skipIf(findBrowser() === undefined)('a recording', () => {
  it('is played on its page in the crawl, and on no other', async () => {
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const recording = join(folder, 'search.json');
    writeFileSync(recording, JSON.stringify(recorded(`${origin}/search#form`)));
    const result = await crawl({
      name: 'search',
      folder: join(folder, 'search.crawl'),
      seeds: [`${origin}/search`, `${origin}/other`],
      contact: 'https://lab.test/crawler',
      politeness: { gap: '1ms', slowFactor: 0 },
      limits: { minFree: '1MB' },
      fetch: { allowPrivate: ['127.0.0.0/8'], retries: { count: 0 } },
      render: 'auto',
      steps: [{ recording }],
    });
    expect(log.toSorted()).toEqual(['/other', '/p/Saw-tool-10', '/p/more', '/p/scrolled', '/search']);
    expect(result.balance).toMatchObject({ done: 5, failed: 0 });
    const stored = readFileSync(join(folder, 'search.crawl', 'crawl.json'), 'utf8');
    expect(stored).toContain('"press": "Enter"');
    expect(stored).not.toContain('search.json');
  });
});
