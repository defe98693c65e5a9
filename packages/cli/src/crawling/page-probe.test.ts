import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock, type Url } from '@webfarer/protocol';
import { resolveJob } from '@webfarer/protocol/job';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fakeWorld } from '../fake-crawl.fixture.ts';
import { probePage } from './page-probe.ts';
import { runCli } from '../program.ts';

let server: Server;
let origin: string;
const asked: string[] = [];

const page = `<title>A\x1b[2J page</title><meta name="robots" content="noarchive">
<a href="/in">inside</a> <a href="https://other.example/">outside</a> <a href="/no" rel="nofollow">unwanted</a>
<a href="/secret/a">closed</a>`;

beforeAll(async () => {
  server = createServer((request, response) => {
    const path = request.url ?? '';
    asked.push(path);
    if (path === '/robots.txt') return response.end('User-agent: *\nDisallow: /secret\n');
    if (path === '/moved') return response.writeHead(301, { location: 'https://other.example/new' }).end();
    response.setHeader('content-type', 'text/html; charset=utf-8');
    response.end(page);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

function probe(path: string) {
  const url = `${origin}${path}` as Url;
  const job = resolveJob({ seeds: [url], politeness: { gap: 0 }, fetch: { allowPrivate: [origin] } });
  return probePage({
    url,
    job,
    seeds: [url],
    userAgent: 'webfarer/0',
    clock: systemClock(),
    signal: new AbortController().signal,
  });
}

test('each link comes with what a crawl would do with it', async () => {
  const { robots, answer, document, links } = await probe('/');
  expect(robots.verdict.allowed).toBe(true);
  expect(answer).toMatchObject({ ok: true, status: 200 });
  expect(document?.signals.noarchive).toBe(true);
  expect(links.map(({ url, in: inside, reason }) => [url, inside, reason])).toEqual([
    [`${origin}/in`, true, undefined],
    ['https://other.example/', false, 'scope'],
    [`${origin}/no`, false, 'nofollow'],
    [`${origin}/secret/a`, true, undefined],
  ]);
  expect(links.map(({ robots: line }) => line)).toEqual([
    undefined,
    undefined,
    undefined,
    expect.stringContaining('line 2 "Disallow: /secret"'),
  ]);
});

test('a page that robots.txt closes is not requested', async () => {
  asked.length = 0;
  const { robots, answer } = await probe('/secret/plan');
  expect(robots.verdict).toMatchObject({ allowed: false, line: 2 });
  expect(answer).toBeUndefined();
  expect(asked).toEqual(['/robots.txt']);
});

test('a redirect is judged, not followed', async () => {
  const { redirect } = await probe('/moved');
  expect(redirect).toMatchObject({ url: 'https://other.example/new', in: false, reason: 'scope' });
});

test('the command prints all that without letting the page touch the terminal', async () => {
  const argv = ['shell', `${origin}/`, '--gap', '1ms'];
  const { context, out } = fakeWorld('/', {}, argv);
  expect(await runCli(argv, context)).toBe(0);
  expect(out()).toContain('robots   allowed: no rule applies');
  expect(out()).toContain('title    A page');
  expect(out()).toMatch(/scope \(scope.stay: site\) +a +https:\/\/other.example\/ +outside/);
  expect(out()).toMatch(/in scope, but robots.txt line 2 "Disallow: \/secret".* a +http.*\/secret\/a/);
  expect(out()).toContain('content-type: text/html; charset=utf-8');
  expect(out()).not.toContain('\x1b');
  const closed = fakeWorld('/', {}, argv);
  expect(await runCli(['shell', `${origin}/secret`], closed.context)).toBe(3);
  expect(closed.out()).toContain(
    'not allowed; the page was not requested: robots.txt line 2 "Disallow: /secret"',
  );
});
