import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crawl } from 'webfarer';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  killBrowsersElsewhere,
  type StartedBrowser,
  startBrowserElsewhere,
} from '../../packages/worker/src/browser/browser-elsewhere.fixture.ts';
import { findBrowser } from '../../packages/worker/src/browser/find-browser.ts';

const products = Array.from({ length: 8 }, (_, n) => `/p/${n}`);
/** An address that the crawl may not reach, and that its pages try. */
const closed = '127.0.0.9';

let folder: string;
let server: Server;
let port: number;
/** By the address that was asked. */
let seen: { host: string; path: string }[];
/** What a request of a page waits for. */
let before: (path: string) => Promise<void>;
let browser: StartedBrowser | undefined;

const page = (
  title: string,
) => `<!doctype html><link rel=icon href="data:,"><title>${title}</title><main></main>
  <script>
    new Image().src = 'http://${closed}:${port}/canary';
    fetch('/api' + location.pathname).then((answer) => answer.text()).then((html) => {
      document.querySelector('main').innerHTML = html;
    });
  </script>`;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-elsewhere-'));
  seen = [];
  before = () => Promise.resolve();
  server = createServer((request, response) => {
    const path = request.url ?? '';
    seen.push({ host: request.socket.localAddress ?? '', path });
    const answer = (type: string, body: string) =>
      response.writeHead(200, { 'content-type': type }).end(body);
    if (path === '/robots.txt') response.writeHead(404).end();
    else if (path === '/api/')
      answer('text/html', products.map((to) => `<a href="${to}">${to}</a>`).join(' '));
    else if (path.startsWith('/api/')) void before(path).then(() => answer('text/html', `<h1>${path}</h1>`));
    else answer('text/html', page(path));
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  port = (server.address() as AddressInfo).port;
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await killBrowsersElsewhere();
  browser = undefined;
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

const run = (titles: string[]) =>
  crawl({
    name: 'shop',
    folder: join(folder, 'shop.crawl'),
    seeds: [`http://127.0.0.1:${port}/`],
    contact: 'https://lab.test/crawler',
    politeness: { gap: '1ms', slowFactor: 0 },
    limits: { minFree: '1MB' },
    fetch: { allowPrivate: ['127.0.0.1/32'] },
    render: 'always',
    async onPage(shown, { follow }) {
      titles.push((await shown.$())('h1').text());
      follow(shown.links);
    },
  });

describe.skipIf(findBrowser() === undefined)('a crawl with a browser elsewhere', () => {
  it('loses nothing when that is killed and started again, and nothing passes the crawler by', async () => {
    browser = await startBrowserElsewhere();
    const at = browser.port;
    vi.stubEnv('WEBFARER_BROWSER', browser.url);
    let kills = 0;
    before = async (path) => {
      if (path !== '/api/p/3' || kills++ > 0) return;
      await browser?.kill();
      browser = await startBrowserElsewhere({ port: at });
    };
    const titles: string[] = [];
    const { balance } = await run(titles);
    expect(balance).toMatchObject({ done: 9, failed: 0, refused: 0 });
    expect(titles.toSorted()).toEqual(['', ...products.map((path) => `/api${path}`)]);
    expect(kills).toBe(2);
    const pages = seen.filter(({ path }) => path === '/' || path.startsWith('/p/')).map(({ path }) => path);
    expect(pages.toSorted()).toEqual(['/', ...products]);
    expect(seen.filter(({ host }) => host === closed)).toEqual([]);
  });

  it('does not begin where that cannot be reached, and says what to do', async () => {
    vi.stubEnv('WEBFARER_BROWSER', 'ws://127.0.0.1:1/?token=TOPSECRET');
    const error = await run([]).then(
      () => expect.fail('it ran'),
      (caught: Error & { next?: string }) => caught,
    );
    expect(error.message).toMatch(/^cannot connect to the browser at ws:\/\/127\.0\.0\.1:1: .*ECONNREFUSED/);
    expect(error.next).toContain('correct WEBFARER_BROWSER');
    expect(JSON.stringify([error.message, error.next])).not.toContain('TOPSECRET');
    expect(seen).toEqual([]);
  });
});
