import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@webfarer/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { WebSocketServer } from 'ws';
import { fakeWorld } from '../fake-crawl.fixture.ts';
import { runCli } from '../program.ts';

let home: string;
const ends: (() => unknown)[] = [];
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'webfarer-never-'));
});
afterEach(() => {
  for (const end of ends.splice(0)) end();
  rmSync(home, { recursive: true, force: true });
});

async function listen(server: Server, port = 0): Promise<number> {
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

async function unusedPort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Answers every attempt to connect with a status. */
const answering = (status: number) =>
  createServer().on('upgrade', (_request, socket) =>
    socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`),
  );

function worker(url: string) {
  const argv = ['worker', url, '--out', join(home, 'worker')];
  const { context, ...world } = fakeWorld(home, {}, argv);
  const exit = runCli(argv, { ...context, token: 'x'.repeat(43), clock: systemClock() });
  return { ...world, exit };
}

it('a worker that is stopped before it ever connected says why', async () => {
  const url = `http://127.0.0.1:${await unusedPort()}`;
  const { out, interrupt, exit } = worker(url);
  await expect.poll(out, { timeout: 30_000 }).toContain('not connected: ');
  expect(out()).toContain('connection refused; no coordinator listens there');
  interrupt();
  expect(await exit).toBe(0);
  expect(out().trimEnd().split('\n').at(-1)).toMatch(
    /stopped without having connected to a coordinator: .*connection refused/,
  );
});

it('TLS on a plain port is named', async () => {
  const port = await listen(createServer());
  const { out, interrupt, exit } = worker(`https://127.0.0.1:${port}`);
  await expect.poll(out, { timeout: 30_000 }).toContain('the port does not speak TLS');
  interrupt();
  await exit;
  expect(out().trimEnd().split('\n').at(-1)).toContain('the port does not speak TLS');
});

it('each change of the reason is told, also back to an earlier one, and no reason twice in a row', async () => {
  const port = await unusedPort();
  const { out, interrupt, exit } = worker(`http://127.0.0.1:${port}`);
  const told = () =>
    out()
      .split('\n')
      .filter((line) => line.includes('not connected: '))
      .map((line) => (line.includes('refused') ? 'refused' : line.includes('(503)') ? 'starting' : line));
  await expect.poll(told, { timeout: 30_000 }).toEqual(['refused']);
  const busy = answering(503);
  await listen(busy, port);
  await expect.poll(told, { timeout: 30_000 }).toEqual(['refused', 'starting']);
  busy.closeAllConnections();
  await new Promise((resolve) => busy.close(resolve));
  await expect.poll(told, { timeout: 30_000 }).toEqual(['refused', 'starting', 'refused']);
  interrupt();
  await exit;
});

it('a rejected token ends the worker with what to do', async () => {
  const port = await listen(answering(401));
  const { err, exit } = worker(`http://127.0.0.1:${port}`);
  expect(await exit).toBe(2);
  expect(err()).toContain('does not accept the token');
  expect(err()).toContain('worker.token');
});

it('an incompatible version ends the worker with what the coordinator said', async () => {
  const server = createServer();
  const sockets = new WebSocketServer({ server });
  sockets.on('connection', (socket) => {
    const message = 'worker 0.1.0 speaks link 1, this coordinator 9.0.0 speaks link 7';
    socket.on('message', () => {
      socket.send(JSON.stringify({ type: 'error', code: 'link-version', message }));
      socket.close(4001, 'version');
    });
  });
  const port = await listen(server);
  const { err, exit } = worker(`http://127.0.0.1:${port}`);
  expect(await exit).toBe(2);
  expect(err()).toContain('this coordinator 9.0.0 speaks link 7');
});
