import { EventEmitter } from 'node:events';
import type { NetConnectOpts, Socket } from 'node:net';
import { expect, it, vi } from 'vitest';
import { nameServer } from './name-server.fixture.ts';
import { asked, testEgress } from './servers.fixture.ts';

/** What connecting to an address ends in, by its family. */
const faults = vi.hoisted(() => ({ 4: '', 6: '' }));

vi.mock(import('node:net'), async (original) => {
  const net = await original();
  const connect = (options: NetConnectOpts): Socket => {
    const host = 'host' in options ? (options.host ?? '') : '';
    const code = faults[net.isIPv6(host) ? 6 : 4];
    if (code === '') return net.connect(options);
    const socket = Object.assign(new EventEmitter(), { destroy: () => undefined });
    queueMicrotask(() => socket.emit('error', Object.assign(new Error(`connect ${code} ${host}`), { code })));
    return socket as unknown as Socket;
  };
  return { ...net, connect: connect as typeof net.connect };
});

async function failureOf(addresses: string[]) {
  const { address } = await nameServer(() => addresses);
  return await testEgress({ dns: [address] }).fetch(asked('http://a.test:8080/'));
}

it.each(['ENETUNREACH', 'EHOSTUNREACH', 'EADDRNOTAVAIL'])(
  'a host with only IPv6 addresses is named as such where there is no route: %s',
  async (code) => {
    Object.assign(faults, { 4: '', 6: code });
    const answer = await failureOf(['::1']);
    expect(answer).toMatchObject({ ok: false, reason: 'no-ipv6' });
    expect(!answer.ok && answer.detail).toMatch(/^no IPv6 route to ::1 /);
  },
);

it('a server that refuses over IPv6 has a route', async () => {
  Object.assign(faults, { 4: '', 6: 'ECONNREFUSED' });
  expect(await failureOf(['::1'])).toMatchObject({ reason: 'connect-refused' });
});

it('a host with addresses of both kinds is not held up by missing IPv6', async () => {
  Object.assign(faults, { 4: 'EHOSTUNREACH', 6: 'ENETUNREACH' });
  expect(await failureOf(['127.0.0.1', '::1'])).toMatchObject({ reason: 'unreachable' });
});
