import { request } from 'node:http';
import { systemClock } from '@webfarer/protocol';
import { route } from '@webfarer/protocol/api';
import { expect, it, vi } from 'vitest';
import { z } from 'zod';
import { appOf } from '../api/http/app.fixture.ts';
import { openHttpServer } from '../api/http/http-server.ts';
import { memoryHome } from './home.fixture.ts';
import { createLogTails } from './log-tail.ts';
import { createPageGates } from './page-gate.ts';
import { type MemoryResults, memoryResults } from './memory-results.fixture.ts';
import { checkToken, type LogLine, readLog } from './read-log.ts';

const clock = systemClock();
const { signal } = new AbortController();

function log(
  results: MemoryResults,
  given: { after?: string; waitMs?: number; limit?: number } = {},
  home = memoryHome(results),
) {
  const { after, waitMs = 0, limit = Number.POSITIVE_INFINITY } = given;
  const tails = createLogTails(clock);
  const gate = createPageGates().of('reader');
  return readLog({ home, kinds: ['record'], filter: {}, after, waitMs, limit, tails, gate, clock, signal });
}

async function all(lines: AsyncIterable<LogLine>): Promise<LogLine[]> {
  const found: LogLine[] = [];
  for await (const line of lines) found.push(line);
  return found;
}
const urls = (lines: LogLine[]) => lines.flatMap((line) => (line.kind === 'bookmark' ? [] : [line.url]));

it('answers what is there, with a token behind each outcome, then a bookmark', async () => {
  const results = memoryResults();
  for (let n = 0; n < 500; n++) results.settle(n % 3);
  const whole = await all(log(results));
  expect(whole.at(-1)).toMatchObject({ kind: 'bookmark', more: false, over: false, state: 'running' });
  expect(new Set(urls(whole)).size).toBe(500);
  for (const at of [0, 3, 499]) {
    const rest = await all(log(results, { after: String(whole[at]?.token) }));
    expect([...urls(whole.slice(0, at + 1)), ...urls(rest)].toSorted()).toEqual(urls(whole).toSorted());
  }
  const page = await all(log(results, { limit: 7 }));
  expect(page).toHaveLength(8);
  expect(page.at(-1)).toMatchObject({ kind: 'bookmark', more: true, token: page.at(-2)?.token });
});

it('waits for the first outcome, and no longer than it was told to or than the crawl runs', async () => {
  const results = memoryResults();
  const home = memoryHome(results);
  const [{ token } = { token: '' }] = await all(log(results));
  const coming = all(log(results, { after: String(token), waitMs: 60_000 }, home));
  const url = results.settle(1);
  expect(urls(await coming)).toEqual([url]);
  const quiet = await all(log(results, { after: String(token), waitMs: 20 }, home));
  expect(urls(quiet)).toEqual([url]);
  const end = String(quiet.at(-1)?.token);
  expect(await all(log(results, { after: end, waitMs: 20 }, home))).toMatchObject([
    { over: false, token: end },
  ]);
  const ending = all(log(results, { after: end, waitMs: 60_000 }, home));
  home.is = 'finished';
  expect(await ending).toMatchObject([{ kind: 'bookmark', over: true, state: 'finished' }]);
});

it('refuses a token of a crawl that was replaced', async () => {
  const results = memoryResults();
  results.settle(0);
  const [line] = await all(log(results));
  await checkToken(memoryHome(results), String(line?.token));
  results.replace();
  await expect(checkToken(memoryHome(results), String(line?.token))).rejects.toMatchObject({
    code: 'cursor-stale',
  });
});

it('reads no further for a client that does not read', async () => {
  const results = memoryResults();
  const many = 200_000;
  results.settleMany(1, many);
  const app = appOf({
    routes: {
      read: route({
        method: 'GET',
        path: '/log',
        scope: 'public',
        family: 'f',
        summary: 'Read',
        answer: { kind: 'ndjson', item: z.unknown() },
      }),
    },
    handlers: () => ({ read: () => log(results) }),
    failed: () => undefined,
  });
  const server = await openHttpServer({
    listen: { host: '127.0.0.1', port: 0 },
    app,
    tls: undefined,
    upgrades: {},
  });
  try {
    const asked = request({ port: server.address.port, path: '/log' });
    asked.on('error', () => undefined);
    asked.on('response', (answer) => answer.pause());
    asked.end();
    await vi.waitFor(() => expect(results.asked).toBeGreaterThan(1));
    let before = -1;
    await vi.waitFor(
      () => {
        const now = results.asked;
        const isStill = now === before;
        before = now;
        expect(isStill).toBe(true);
      },
      { timeout: 20_000, interval: 300 },
    );
    // A page has 200: what was read fits into the buffers between two sockets.
    expect(results.asked * 200).toBeLessThan(many / 2);
    asked.destroy();
  } finally {
    await server.stop();
  }
});
