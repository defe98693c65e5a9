import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openApiServer } from '../api-server.fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'webfarer-console-'));
let server: Awaited<ReturnType<typeof openApiServer>>;

beforeAll(async () => {
  mkdirSync(join(folder, 'assets'));
  writeFileSync(join(folder, 'index.html.br'), brotliCompressSync('<!doctype html>the page'));
  writeFileSync(join(folder, 'assets/main-1a2b.js.br'), brotliCompressSync('code()'));
  server = await openApiServer({ consoleFolder: folder });
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(server.server.url + path, { headers, redirect: 'manual' });

it('serves the page at the addresses of its screens, without a token', async () => {
  for (const path of ['/', '/network', '/crawls/shop', '/crawls/shop/hosts', '/crawls/a%2Fb?x=1']) {
    const answer = await get(path);
    expect([answer.status, await answer.text()]).toEqual([200, '<!doctype html>the page']);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('cache-control')).toBe('no-cache');
  }
});

it('allows files of its own origin, and nothing inline', async () => {
  for (const path of ['/', '/assets/main-1a2b.js']) {
    const policy = (await get(path)).headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain("require-trusted-types-for 'script'; trusted-types 'none'");
    expect(policy).not.toMatch(/unsafe|nonce|data:|https?:|\*/);
  }
});

it('lets browsers keep files whose names change with what is in them', async () => {
  const answer = await get('/assets/main-1a2b.js');
  expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
  const page = await get('/');
  const again = await get('/', { 'if-none-match': page.headers.get('etag') ?? '' });
  expect([again.status, await again.text()]).toEqual([304, '']);
});

it('answers in the encoding that a client can read', async () => {
  const encodingOf = async (accepted: string) =>
    (await get('/', { 'accept-encoding': accepted })).headers.get('content-encoding');
  expect(await Promise.all(['gzip, br', 'gzip', 'br;q=0, gzip', 'identity'].map(encodingOf))).toEqual([
    'br',
    'gzip',
    'gzip',
    null,
  ]);
  const { gunzipped } = await raw('gzip');
  expect(gunzipped).toBe('<!doctype html>the page');
});

/** The bytes as they are sent. */
async function raw(encoding: string): Promise<{ gunzipped: string }> {
  const { openConsoleFiles } = await import('./console-files.ts');
  const answer = openConsoleFiles(folder).answer('/', () => encoding);
  return { gunzipped: gunzipSync(Buffer.from(await (answer as Response).arrayBuffer())).toString() };
}

it('shows the page to a browser that follows a link from elsewhere, and nothing of the API', async () => {
  const elsewhere = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' };
  expect((await get('/', elsewhere)).status).toBe(200);
  expect((await get('/v1/version', elsewhere)).status).toBe(403);
});

it('leaves every path of the API and every other name alone', async () => {
  for (const path of [
    '/v1/crawls',
    '/v1/nothing',
    '/health/x',
    '/assets/none.js',
    '/etc/passwd',
    '/crawls/a/b',
    '/..%2f..%2fx',
  ]) {
    const answer = await get(path);
    expect(answer.headers.get('content-type'), path).toBe('application/problem+json; charset=utf-8');
    expect(answer.headers.get('cache-control'), path).toBe('no-store');
  }
  expect((await fetch(`${server.server.url}/`, { method: 'POST' })).status).toBe(404);
});

it('says what to do where the console is not built', async () => {
  const { openConsoleFiles } = await import('./console-files.ts');
  const answer = openConsoleFiles(join(folder, 'none')).answer('/', () => undefined);
  expect(answer?.status).toBe(404);
  expect(await answer?.text()).toContain('npm run build');
});
