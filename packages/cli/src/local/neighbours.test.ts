import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type CrawlOptions, crawl } from '../library.ts';

const gapMs = 40;
/** Node's timers may fire up to a millisecond early, and the server sees a request later than it was sent. */
const slackMs = 2;

let home: string;
let server: Server;
let origin: string;
let arrivals: number[];

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'webfarer-neighbours-'));
  arrivals = [];
  server = createServer(({ url = '' }, response) => {
    arrivals.push(performance.now());
    const links = [1, 2, 3, 4, 5].map((n) => `<a href="/${n}">${n}</a>`).join(' ');
    response.writeHead(url === '/robots.txt' ? 404 : 200, { 'content-type': 'text/html' });
    response.end(url === '/' ? links : 'page');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(home, { recursive: true, force: true });
});

const options = (name: string, changes: Partial<CrawlOptions> = {}): CrawlOptions => ({
  name,
  folder: join(home, `${name}.crawl`),
  hostLedger: join(home, 'state', 'hosts.db'),
  seeds: [`${origin}/`],
  politeness: { gap: `${gapMs}ms`, slowFactor: 0 },
  fetch: { allowPrivate: [origin] },
  limits: { minFree: '1MB' },
  ...changes,
});

it('two crawls of one host keep its gap between them, and both finish', async () => {
  const ended = await Promise.all([crawl(options('red')), crawl(options('blue'))]);
  expect(ended.map(({ state, balance }) => [state, balance.done])).toEqual([
    ['finished', 6],
    ['finished', 6],
  ]);
  expect(arrivals).toHaveLength(14);
  const gaps = arrivals.slice(1).map((at, i) => at - (arrivals[i] as number));
  expect(Math.min(...gaps)).toBeGreaterThan(gapMs - slackMs);
});

it('a ledger that cannot be opened is said once, and the crawl goes on by itself', async () => {
  writeFileSync(join(home, 'state'), 'a file where a folder should be');
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
  const { state, balance } = await crawl(options('red'));
  expect([state, balance.done]).toEqual(['finished', 6]);
  const ours = warned.mock.calls.filter(([text]) => String(text).includes('takes no turns'));
  expect(ours).toHaveLength(1);
  warned.mockRestore();
});
