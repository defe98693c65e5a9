import { once } from 'node:events';
import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { oneAtATime } from './one-at-a-time.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean();
});

async function open(listener: RequestListener) {
  const server = createServer(oneAtATime(listener));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(
    () => server.closeAllConnections(),
    () => server.close(),
  );
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.on('error', () => undefined);
  cleanups.push(() => void socket.destroy());
  const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
  return { socket, get };
}

it('begins the answer to a request when the one before it is taken', async () => {
  const begun: { path: string | undefined; response: ServerResponse }[] = [];
  const { socket, get } = await open(({ url }, response) => void begun.push({ path: url, response }));
  const paths = () => begun.map(({ path }) => path);
  let text = '';
  socket.on('data', (chunk) => (text += chunk.toString()));
  socket.write(get('/1') + get('/2') + get('/3'));
  await vi.waitFor(() => expect(paths()).toEqual(['/1']));
  for (const [n, path] of ['/1', '/2', '/3'].entries()) {
    await vi.waitFor(() => expect(paths()).toHaveLength(n + 1));
    begun[n]?.response.end(`answer to ${path}.`);
    await vi.waitFor(() => expect(text).toContain(`answer to ${path}.`));
  }
  expect(paths()).toEqual(['/1', '/2', '/3']);
  // The connection serves on as if nothing had waited.
  socket.write(get('/4'));
  await vi.waitFor(() => expect(paths()).toHaveLength(4));
});

it('answers nothing for a client that has gone', async () => {
  const begun: ServerResponse[] = [];
  const { socket, get } = await open((_request, response) => void begun.push(response));
  socket.write(get('/').repeat(50));
  await vi.waitFor(() => expect(begun).toHaveLength(1));
  const [first] = begun;
  const gone = once(first as ServerResponse, 'close');
  socket.resetAndDestroy();
  await gone;
  await new Promise(setImmediate);
  expect(begun).toHaveLength(1);
});

it('cuts off a client that sends very many requests ahead', async () => {
  let begun = 0;
  const { socket, get } = await open(() => void begun++);
  const closed = once(socket, 'close');
  socket.write(get('/').repeat(500));
  await closed;
  expect(begun).toBe(1);
});
