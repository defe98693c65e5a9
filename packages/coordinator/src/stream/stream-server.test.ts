import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@webfarer/protocol';
import { streamCloses } from '@webfarer/protocol/api';
import { afterEach, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { StreamLimits } from './limits.ts';
import { createPageGates } from './page-gate.ts';
import { createStreamServer } from './stream-server.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean();
});

async function open(limits: Partial<StreamLimits>) {
  const server = createStreamServer({
    id: 'c',
    clock: systemClock(),
    gates: createPageGates(),
    topics: { open: () => expect.unreachable() },
    credentials: ({ headers }) => headers.authorization,
    authenticate: (header) =>
      header.startsWith('Bearer good-') ? { id: header.slice('Bearer good-'.length), team: 't' } : undefined,
    authorize: () => Promise.resolve(),
    confinedTo: () => undefined,
    failed: () => undefined,
    limits,
  });
  const http = createServer();
  http.on('upgrade', (request, socket, head) => server.handleUpgrade(request, socket, head));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  cleanups.push(async () => {
    await server.stop();
    http.close();
  });
  const { port } = http.address() as AddressInfo;
  /** Answers the close code of each socket as it comes. */
  const dial = async (token?: string) => {
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const socket = new WebSocket(`ws://127.0.0.1:${port}`, { headers });
    const seen: { code: number | undefined; refused: string | undefined } = {
      code: undefined,
      refused: undefined,
    };
    socket.on('close', (code) => (seen.code = code));
    socket.on('error', ({ message }) => (seen.refused = message));
    await new Promise((resolve) => socket.once('open', resolve).once('error', resolve));
    cleanups.push(() => socket.terminate());
    return seen;
  };
  return { server, dial };
}

it('keeps a place for those with a token, however many come without one', async () => {
  const { server, dial } = await open({ sockets: 20, unknownSockets: 5 });
  const strangers: Awaited<ReturnType<typeof dial>>[] = [];
  for (let n = 0; n < 30; n++) strangers.push(await dial());
  await expect.poll(() => strangers.filter(({ code }) => code !== undefined).length).toBe(25);
  expect(server.sockets).toBeLessThanOrEqual(5);
  const viewer = await dial('good-a');
  expect(viewer).toEqual({ code: undefined, refused: undefined });
});

it('takes a place from the token that has most where another has none', async () => {
  const { server, dial } = await open({ sockets: 6 });
  const greedy: Awaited<ReturnType<typeof dial>>[] = [];
  for (let n = 0; n < 8; n++) greedy.push(await dial('good-greedy'));
  expect(greedy.filter(({ refused }) => refused?.includes('503'))).toHaveLength(2);
  expect((await dial('good-modest')).refused).toBeUndefined();
  await expect.poll(() => greedy.filter(({ code }) => code === streamCloses.slow).length).toBe(1);
  // A stranger, and a token that is not accepted, take nobody's place.
  expect((await dial()).refused).toContain('503');
  expect((await dial('bad')).refused).toContain('503');
  expect(server.sockets).toBe(6);
});
