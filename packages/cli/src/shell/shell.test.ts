import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { fakeWorld } from '../fake-crawl.fixture.ts';
import { crawl } from '../library.ts';
import { localCrawls } from '../local/local-crawl.ts';
import { runCli } from '../program.ts';
import { wholeValue } from './run-shell.ts';

let cwd: string;
let server: Server;
let origin: string;
const asked: { path: string; atMs: number }[] = [];
const manyLinks = Array.from({ length: 300 }, (_, n) => `<a href="/n/${n}">number ${n}</a>`).join(' ');
const longTitle = `Long ${'and longer '.repeat(400)}end`;

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'webfarer-shell-'));
  server = createServer(({ url: path = '' }, response) => {
    asked.push({ path, atMs: performance.now() });
    if (path === '/robots.txt') return response.end('User-agent: *\nDisallow: /secret\n');
    response.setHeader('content-type', 'text/html; charset=utf-8');
    if (path === '/two') return response.end('<title>Two</title><h1>Second</h1>');
    response.end(`<title>One</title><h1 class=x>First</h1>${manyLinks}<p title="${longTitle}">p</p>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => void (asked.length = 0));
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(cwd, { recursive: true, force: true });
});

async function shell(lines: string[], ...argv: string[]) {
  const words = ['shell', ...argv];
  const { context, out, err } = fakeWorld(cwd, {}, words);
  const piped = Readable.from([lines.map((line) => `${line}\n`).join('')]);
  const exit = await runCli(words, { ...context, local: localCrawls, piped });
  return { exit, lines: out().split('\n').slice(0, -1), out: out(), err: err() };
}
const paths = () => asked.map(({ path }) => path);

test('piped lines are evaluated, with await, and each value is printed whole', async () => {
  const { exit, lines } = await shell(
    [
      'page.title',
      "$('h1').text()",
      "$('h1')",
      "$('p').attr('title').length",
      "$('p').attr('title')",
      'const total = links.length',
      'total',
      'links.map(({ text }) =>',
      '  text).at(-1)',
      "const second = await fetch('/two')",
      'second.status + total',
      '{ status: page.status }',
      'page.title',
      "$('h1').text()",
      'page.url.split("/").at(-1)',
    ],
    `${origin}/`,
    '--gap',
    '1ms',
  );
  expect(exit).toBe(0);
  expect(lines).toEqual([
    'One',
    'First',
    '<h1 class="x">First</h1>',
    String(longTitle.length),
    longTitle,
    '300',
    'number 299',
    '500',
    '{ status: 200 }',
    'Two',
    'Second',
    'two',
  ]);
  expect(paths()).toEqual(['/robots.txt', '/', '/two']);
});

test('a long list is printed to its end', async () => {
  const { out } = await shell(['links'], `${origin}/`, '--gap', '1ms');
  expect(out.match(/\/n\/\d+/g)).toHaveLength(300);
  expect(out).not.toContain('more item');
  const deep = wholeValue({ a: { b: { c: { d: { e: 'x'.repeat(20_000) } } } } });
  expect(deep).toContain('x'.repeat(20_000));
});

test('robots.txt and the pause hold for every page that is fetched', async () => {
  const gapMs = 300;
  const { exit, err, lines } = await shell(
    ["explain('/secret/x').then(({ robots }) => robots)", "await fetch('/secret/x')", "'not reached'"],
    `${origin}/`,
    '--gap',
    `${gapMs}ms`,
  );
  expect(exit).toBe(3);
  expect(lines).toEqual([expect.stringContaining('Disallow: /secret')]);
  expect(err).toContain('was not requested: robots.txt line 2 "Disallow: /secret"');
  expect(paths()).toEqual(['/robots.txt', '/']);
  await shell(["await fetch('/two')", 'page.status'], `${origin}/`, '--gap', `${gapMs}ms`);
  const times = asked.slice(2).map(({ atMs }) => atMs);
  expect(times).toHaveLength(3);
  for (const [n, atMs] of times.slice(1).entries())
    expect(atMs - (times[n] ?? 0)).toBeGreaterThanOrEqual(gapMs);
});

test('an error ends it with its message and exit code', async () => {
  const { exit, err, lines } = await shell(
    ['page.status', 'nothing.here', 'page.url'],
    `${origin}/`,
    '--gap',
    '1ms',
  );
  expect([exit, lines]).toEqual([2, ['200']]);
  expect(err).toContain('ReferenceError: nothing is not defined');
});

test('nothing piped in: the page is shown', async () => {
  const { exit, out } = await shell([], `${origin}/`, '--gap', '1ms', '--limit', '2');
  expect(exit).toBe(0);
  expect(out).toContain('title    One');
});

test('a saved page is opened from the folder of a crawl, without a request', async () => {
  const folder = join(cwd, 'saved.crawl');
  await crawl({
    name: 'saved',
    seeds: [`${origin}/two`],
    folder,
    politeness: { gap: '1ms', slowFactor: 0 },
    fetch: { allowPrivate: [origin] },
    limits: { minFree: '1MB' },
  });
  asked.length = 0;
  const lines = [
    'page.title',
    "$('h1').text()",
    'page.headers["content-type"]',
    "(await explain('/two')).state",
  ];
  const saved = await shell(lines, folder, `${origin}/two`);
  expect(saved.lines).toEqual(['Two', 'Second', 'text/html; charset=utf-8', 'done']);
  const missing = await shell(["await fetch('/three')"], folder, `${origin}/two`);
  expect(missing.exit).toBe(2);
  expect(missing.err).toContain('holds no body of');
  expect((await shell([], folder, `${origin}/two`)).out).toContain('from ./saved.crawl, nothing requested');
  expect(asked).toEqual([]);
});

test('on a terminal there is a prompt that completes names, awaits values and tells errors in words', async () => {
  const words = ['shell', `${origin}/`, '--gap', '1ms'];
  const { context, out } = fakeWorld(cwd, {}, words);
  const input = new PassThrough();
  const output = new PassThrough();
  let screen = '';
  // Each is typed when the screen shows what the one before has led to. A tab completes only where it comes alone.
  const steps: [shown: string, typed: string][] = [
    ['> ', 'pag'],
    ['pag', '\t'],
    // The cursor stands behind the whole name.
    ['\u001b[7G', '.headings()\r'],
    ["text: 'First'", "fetch('/secret')\r"],
    ['was not requested: robots.txt', '.exit\r'],
  ];
  output.on('data', (piece: Buffer) => {
    screen += piece.toString();
    if (!screen.includes(steps[0]?.[0] ?? '\0')) return;
    const typed = steps.shift()?.[1];
    setImmediate(() => input.write(typed));
  });
  const prompt = { input, output, historyFile: join(cwd, 'history') };
  const exit = await runCli(words, { ...context, local: localCrawls, prompt });
  expect(exit).toBe(0);
  expect(out()).toContain('page · $ · links');
  expect(screen).toContain("text: 'First'");
  expect(screen).not.toMatch(/Promise|run-shell\.ts/);
});
