import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { until } from '../prove/lab.ts';
import { type FaultProxy, startFaultProxy } from './proxy.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

/** An echo behind a proxy, and a client whose received text and fate can be looked at. */
async function echoBehindProxy(): Promise<{ proxy: FaultProxy; client: () => Promise<Client> }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.pipe(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const proxy = await startFaultProxy({ to: { host: '127.0.0.1', port } });
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  cleanups.push(() => proxy.stop());
  return { proxy, client: () => openClient(proxy.port) };
}

interface Client {
  send(text: string): void;
  end(): void;
  readonly text: string;
  /** How it ended: an error's code, `end`, or undefined while it lives. */
  readonly fate: string | undefined;
}

async function openClient(port: number): Promise<Client> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  let fate: string | undefined;
  socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
  socket.on('error', (error: NodeJS.ErrnoException) => (fate ??= error.code));
  socket.on('close', () => (fate ??= 'end'));
  cleanups.push(() => socket.destroy());
  await new Promise<void>((done) => socket.once('connect', done).once('close', () => done()));
  return {
    send: (more) => void socket.write(more),
    end: () => void socket.end(),
    get text() {
      return text;
    },
    get fate() {
      return fate;
    },
  };
}

it('passes everything on in clear weather, and the end of it', async () => {
  const { proxy, client } = await echoBehindProxy();
  const one = await client();
  const long = 'x'.repeat(300_000);
  one.send(long);
  await until('the echo', () => one.text === long, 5_000);
  expect(proxy.connections).toBe(1);
  expect(proxy.passed).toBe(600_000);
  one.end();
  await until('the end', () => one.fate === 'end' && proxy.connections === 0, 5_000);
});

it('resets all connections', async () => {
  const { proxy, client } = await echoBehindProxy();
  const [one, two] = [await client(), await client()];
  one.send('a');
  two.send('b');
  await until('both echoes', () => one.text === 'a' && two.text === 'b', 5_000);
  proxy.drop('reset');
  await until('both resets', () => one.fate === 'ECONNRESET' && two.fate === 'ECONNRESET', 5_000);
  expect((await client()).fate).toBeUndefined();
});

it('cuts a connection in the middle of what is sent', async () => {
  const { proxy, client } = await echoBehindProxy();
  const one = await client();
  one.send('hello');
  await until('the echo', () => one.text === 'hello', 5_000);
  proxy.cutAfter(7);
  one.send('0123456789');
  await until('the reset', () => one.fate === 'ECONNRESET', 5_000);
  expect(one.text.length).toBeLessThan(15);
});

it('is a black hole in which nobody is told anything, and resets what was torn when it heals', async () => {
  const { proxy, client } = await echoBehindProxy();
  const [torn, whole] = [await client(), await client()];
  torn.send('a');
  whole.send('a');
  await until('echoes', () => torn.text === 'a' && whole.text === 'a', 5_000);
  proxy.set({ kind: 'black-hole' });
  torn.send('lost');
  await new Promise((done) => setTimeout(done, 100));
  expect([torn.text, torn.fate]).toEqual(['a', undefined]);
  proxy.heal();
  await until('the reset', () => torn.fate === 'ECONNRESET', 5_000);
  whole.send('b');
  await until('the echo', () => whole.text === 'ab', 5_000);
});

it('is silent one way only when half open', async () => {
  const { proxy, client } = await echoBehindProxy();
  const one = await client();
  one.send('a');
  await until('the echo', () => one.text === 'a', 5_000);
  const before = proxy.passed;
  proxy.set({ kind: 'half-open', silent: 'to-client' });
  one.send('b');
  await until('it to reach the server', () => proxy.passed === before + 1, 5_000);
  expect([one.text, one.fate]).toEqual(['a', undefined]);
});

it('delays and slows down without losing or swapping anything', async () => {
  const { proxy, client } = await echoBehindProxy();
  const one = await client();
  proxy.set({ kind: 'delay', ms: 40, jitterMs: 20 });
  let began = performance.now();
  for (const digit of '0123456789') one.send(digit);
  await until('the echo', () => one.text === '0123456789', 5_000);
  expect(performance.now() - began).toBeGreaterThan(75);
  proxy.set({ kind: 'slow', bytesPerSecond: 10_000 });
  began = performance.now();
  one.send('y'.repeat(2_000));
  await until('the slow echo', () => one.text.length === 2_010, 5_000);
  expect(performance.now() - began).toBeGreaterThan(190);
});

it('refuses new connections', async () => {
  const { proxy, client } = await echoBehindProxy();
  proxy.set({ kind: 'refuse' });
  const one = await client();
  await until('the refusal', () => one.fate === 'ECONNRESET', 5_000);
  proxy.heal();
  const two = await client();
  two.send('a');
  await until('the echo', () => two.text === 'a', 5_000);
});
