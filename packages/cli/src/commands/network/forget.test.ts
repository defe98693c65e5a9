import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@webfarer/protocol';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { fakeWorld } from '../../fake-crawl.fixture.ts';
import { localCrawls } from '../../local/local-crawl.ts';
import { runCli } from '../../program.ts';

let home: string;
let server: Server;
let asked: string[];
let state: string;
/** What a request is answered with after its time, by the last part of its path. */
let answers: Record<string, { status?: number; afterMs?: number }>;

const crawl = () => ({
  id: 'c1',
  name: 'news',
  tags: [],
  state,
  createdAtMs: 0,
  version: 1,
  seeds: [],
  job: {},
});
const forgotten = { pattern: 'a.test', urls: 1, captures: 0, bytes: 0, left: [], complete: true };

/** A coordinator that answers what it is told to, and remembers what it was asked to change. */
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'webfarer-forget-'));
  writeFileSync(join(home, 'operator.token'), `${'x'.repeat(43)}\n`);
  [asked, state, answers] = [[], 'running', {}];
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (piece: Buffer) => void (body += piece.toString()));
    request.on('end', () => {
      const { pathname, search } = new URL(request.url ?? '', 'http://coordinator');
      const what = pathname.split('/').at(-1) ?? '';
      const isDryRun = what === 'forget' && (JSON.parse(body) as { dryRun: boolean }).dryRun;
      if (request.method === 'POST') asked.push(`${what}${isDryRun ? ' dry' : ''}${search}`);
      if (what === 'stop') state = 'stopped';
      const { status = 200, afterMs = 0 } = isDryRun ? {} : (answers[what] ?? {});
      const refused = { code: 'conflict', title: 'refused', status, detail: 'refused', retryable: false };
      const found = what === 'forget' ? forgotten : crawl();
      setTimeout(() => {
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(status === 200 ? found : refused));
      }, afterMs);
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => {
  vi.restoreAllMocks();
  server.closeAllConnections();
  server.close();
  rmSync(home, { recursive: true, force: true });
});

async function forget(...more: string[]) {
  const { port } = server.address() as AddressInfo;
  const at = ['--at', `http://127.0.0.1:${port}`, '--token-file', 'operator.token'];
  const argv = ['forget', 'a.test', 'news', ...at, ...more];
  const world = fakeWorld(home, {}, argv);
  const exit = await runCli(argv, { ...world.context, local: localCrawls, clock: systemClock() });
  return { exit, err: world.err(), asked };
}

test('counting stops nothing', async () => {
  expect(await forget('--dry-run')).toMatchObject({ exit: 0, asked: ['forget dry'] });
});

test('a crawl is stopped to delete from it, and then opened as it was', async () => {
  const steps = (paused: boolean) => ['forget dry', 'stop', 'forget', `resume?paused=${paused}`];
  expect(await forget('--yes')).toMatchObject({ exit: 0, asked: steps(false) });
  [asked, state] = [[], 'paused'];
  expect(await forget('--yes')).toMatchObject({ exit: 0, asked: steps(true) });
  [asked, state] = [[], 'finished'];
  expect(await forget('--yes')).toMatchObject({ exit: 0, asked: ['forget dry', 'forget'] });
});

test('a stop may take longer than other answers', async () => {
  // Other answers are waited for this long, in place of 30 s.
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
    const patience = new AbortController();
    setTimeout(() => patience.abort(), 500);
    return patience.signal;
  });
  answers = { stop: { afterMs: 900 } };
  expect(await forget('--yes')).toMatchObject({
    exit: 0,
    asked: ['forget dry', 'stop', 'forget', 'resume?paused=false'],
  });
});

test('a crawl is opened again where it could not be stopped, or nothing deleted', async () => {
  answers = { stop: { status: 409 } };
  const stopped = await forget('--yes');
  expect(stopped.exit).toBeGreaterThan(0);
  expect(stopped.asked).toEqual(['forget dry', 'stop', 'resume?paused=false']);
  [asked, state, answers] = [[], 'paused', { forget: { status: 409 }, resume: { status: 409 } }];
  const refused = await forget('--yes');
  expect(refused.exit).toBeGreaterThan(0);
  expect(refused.asked).toEqual(['forget dry', 'stop', 'forget', 'resume?paused=true']);
  expect(refused.err).toContain('news was paused before it was stopped, and could not be opened again.');
});
