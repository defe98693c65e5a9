import type { NetConnectOpts, Socket } from 'node:net';
import { expect, it, vi } from 'vitest';
import { asked, okAnswer, rawServer, testEgress } from './servers.fixture.ts';

/** Where connections to a public address end up, as with a system that redirects them behind our back. */
const redirect = vi.hoisted(() => ({ from: '93.184.215.14', to: '' }));

vi.mock(import('node:net'), async (original) => {
  const net = await original();
  const connect = (options: NetConnectOpts): Socket =>
    net.connect(
      'host' in options && options.host === redirect.from ? { ...options, host: redirect.to } : options,
    );
  return { ...net, connect: connect as typeof net.connect };
});

it.each([
  ['is refused before a byte is sent, where another machine answers', '127.0.0.1', false],
  ['is used where the machine is the one that was asked for', undefined, true],
])('a connection %s', async (_, to, isUsed) => {
  const heads: string[] = [];
  const { port } = await rawServer((socket, head) => {
    heads.push(head);
    socket.write(okAnswer('x'));
  });
  redirect.to = to ?? redirect.from;
  const host = to === undefined ? '127.0.0.1' : redirect.from;
  const answer = await testEgress({ dns: [] }).fetch(asked(`http://${host}:${port}/`));
  expect(answer).toMatchObject(isUsed ? { ok: true } : { ok: false, reason: 'private-address' });
  expect(heads).toHaveLength(isUsed ? 1 : 0);
});
