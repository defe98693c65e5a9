import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { guardConnections } from './connection-guard.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean();
});

async function open(idleConnections: number) {
  const held: (() => void)[] = [];
  const server = createServer((request, response) => {
    if (request.url === '/held') held.push(() => response.end('at last'));
    else response.end('hello');
  });
  guardConnections(server, { connections: 1_000, idleConnections });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const dial = async (first = ''): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    cleanups.push(() => socket.destroy());
    await once(socket, 'connect');
    if (first !== '') socket.write(`GET ${first} HTTP/1.1\r\nHost: x\r\n\r\n`);
    return socket;
  };
  const count = () => new Promise<number>((resolve) => server.getConnections((_, n) => resolve(n)));
  return { port, dial, held, count };
}

it('lets the longest idle connection make room, so that a flood of them leaves an honest client its answer', async () => {
  const { port, dial, count } = await open(10);
  const flood: Socket[] = [];
  for (let n = 0; n < 60; n++) {
    flood.push(await dial());
    if (n % 20 === 19) expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('hello');
  }
  await expect
    .poll(() => flood.filter((socket) => socket.closed || socket.destroyed).length)
    .toBeGreaterThan(45);
  await expect.poll(count).toBeLessThanOrEqual(11);
});

it('never ends a connection whose request is being answered', async () => {
  const { dial, held } = await open(3);
  const asking = await dial('/held');
  await expect.poll(() => held.length).toBe(1);
  const idle = await Promise.all(Array.from({ length: 12 }, () => dial()));
  await expect.poll(() => idle.filter((socket) => socket.closed).length).toBeGreaterThanOrEqual(9);
  held[0]?.();
  const [data] = (await once(asking, 'data')) as [Buffer];
  expect(data.toString()).toMatch(/^HTTP\/1.1 200/);
});
