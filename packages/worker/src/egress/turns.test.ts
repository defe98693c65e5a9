import type { NetConnectOpts, Socket } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { systemClock, type Url } from '@webfarer/protocol';
import type { FetchRequest, TurnPolicy } from '../fetch/fetch.ts';
import { nameServer } from './name-server.fixture.ts';
import { asked, okAnswer, type RawServer, rawServer, testEgress, until } from './servers.fixture.ts';

/** Public addresses, which the cap holds for, and where on this machine they are played. */
const played = vi.hoisted(
  () =>
    new Map([
      ['93.184.215.14', '127.0.0.1'],
      ['93.184.215.15', '127.0.0.2'],
    ]),
);
const [farm, other] = [...played.keys()] as [string, string];

vi.mock(import('node:net'), async (original) => {
  const net = await original();
  const connect = (options: NetConnectOpts): Socket => {
    const asked = 'host' in options ? (options.host ?? '') : '';
    const host = played.get(asked);
    if (host === undefined) return net.connect(options);
    const socket = net.connect({ ...options, host } as NetConnectOpts);
    return Object.defineProperty(socket, 'remoteAddress', { value: asked });
  };
  return { ...net, connect: connect as typeof net.connect };
});

interface HeldServer extends RawServer {
  /** Requests that arrived and have no answer yet, oldest first, by Host header. */
  open: () => string[];
  /** The most that were open at once. */
  peak: () => number;
  /** All that arrived, in order. */
  seen: string[];
  /** Closes the last connection that a request for the name came on. */
  close(name: string): void;
  /** Answers the oldest open request, or breaks its connection. */
  end(how?: 'answer' | 'break'): void;
}

/** A server that answers only when told to. */
async function heldServer(address = '127.0.0.1'): Promise<HeldServer> {
  const open: { name: string; socket: Socket }[] = [];
  const seen: string[] = [];
  const sockets = new Map<string, Socket>();
  let peak = 0;
  const server = await rawServer((socket, head) => {
    const name = /^host: ([^.:]*)/im.exec(head)?.[1] ?? '';
    seen.push(name);
    sockets.set(name, socket);
    open.push({ name, socket });
    peak = Math.max(peak, open.length);
    socket.once('close', () => {
      const at = open.findIndex((one) => one.socket === socket);
      if (at >= 0) open.splice(at, 1);
    });
  }, address);
  return {
    ...server,
    open: () => open.map(({ name }) => name),
    peak: () => peak,
    seen,
    close: (name) => void sockets.get(name)?.destroy(),
    end(how = 'answer') {
      const socket = open.shift()?.socket;
      if (how === 'answer') socket?.write(okAnswer('x'));
      else socket?.destroy();
    },
  };
}

const clock = systemClock();

const turn = (most: number): TurnPolicy => ({ most, endsOn: [], mayBegin: () => true });

/** Every name below `farm.test` is on one address, every other name on another. */
async function farmEgress() {
  const dns = await nameServer((name) => [name.endsWith('farm.test') ? farm : other]);
  return testEgress({ clock, dns: [dns.address], keepAliveMs: 60_000 });
}

const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `h${i}`);

describe('requests to one address', () => {
  it('are capped whatever their host names, and all of them are answered in order', async () => {
    const server = await heldServer();
    const egress = await farmEgress();
    const pending = names(50).map((name) =>
      egress.fetch(asked(`http://${name}.farm.test:${server.port}/`, { turn: turn(4), allowPrivate: [] })),
    );
    for (let ended = 0; ended < 50; ended += 1) {
      await until(() => server.open().length >= Math.min(4, 50 - ended));
      server.end();
    }
    const answers = await Promise.all(pending);
    expect(answers.filter((answer) => answer.ok)).toHaveLength(50);
    expect(server.peak()).toBe(4);
    expect(new Set(server.seen).size).toBe(50);
  });

  it('wait first come, first served', async () => {
    const server = await heldServer();
    const egress = await farmEgress();
    const pending: Promise<unknown>[] = [];
    for (const name of names(6)) {
      // One name server question after the other, so that the order is the order of asking.
      await egress.reach(asked(`http://${name}.farm.test:${server.port}/`, { allowPrivate: [] }));
      pending.push(
        egress.fetch(asked(`http://${name}.farm.test:${server.port}/`, { turn: turn(1), allowPrivate: [] })),
      );
    }
    for (let n = 0; n < 6; n += 1) {
      await until(() => server.open().length === 1);
      server.end();
    }
    await Promise.all(pending);
    expect(server.seen).toEqual(names(6));
  });

  it('do not hold up another address', async () => {
    const server = await heldServer();
    const egress = await farmEgress();
    const first = names(3).map((name) =>
      egress.fetch(asked(`http://${name}.farm.test:${server.port}/`, { turn: turn(1), allowPrivate: [] })),
    );
    await until(() => server.open().length === 1);
    const { port } = await rawServer((socket) => socket.write(okAnswer('other')), '127.0.0.2');
    const answer = await egress.fetch(asked(`http://a.test:${port}/`, { turn: turn(1), allowPrivate: [] }));
    expect(answer).toMatchObject({ ok: true, ip: other });
    expect(server.seen).toHaveLength(1);
    for (let n = 0; n < 3; n += 1) {
      await until(() => server.open().length === 1);
      server.end();
    }
    await Promise.all(first);
  });

  it('are capped on idle connections too, and one that closes during the wait is replaced', async () => {
    const server = await heldServer();
    const egress = await farmEgress();
    const ask = (name: string) =>
      egress.fetch(asked(`http://${name}.farm.test:${server.port}/`, { turn: turn(2), allowPrivate: [] }));
    for (const name of names(6)) {
      const first = ask(name);
      await until(() => server.open().length === 1);
      server.end();
      await first;
    }
    const pending = names(6).map(ask);
    await until(() => server.open().length >= 2);
    const waiting = names(6).find((name) => !server.open().includes(name)) as string;
    server.close(waiting);
    // A round trip to the same server, so that the egress has seen the end of that connection.
    await egress.reach(asked(`http://x.farm.test:${server.port}/`, { allowPrivate: [] }));
    for (let ended = 0; ended < 6; ended += 1) {
      await until(() => server.open().length >= Math.min(2, 6 - ended));
      server.end();
    }
    expect((await Promise.all(pending)).every((answer) => answer.ok)).toBe(true);
    expect(server.peak()).toBe(2);
    // One for each name, one to replace the closed one, and the round trip.
    expect(server.connections()).toBe(8);
  });

  it('are not capped where the job allows the address as private', async () => {
    const server = await heldServer();
    const egress = testEgress();
    const pending = names(20).map((name) => egress.fetch(asked(`${server.base}/${name}`, { turn: turn(1) })));
    await until(() => server.open().length === 20);
    for (let n = 0; n < 20; n += 1) server.end();
    await Promise.all(pending);
  });
});

describe('a request that waits for its address', () => {
  async function oneWaiting(more: Partial<FetchRequest> = {}) {
    const server = await heldServer();
    const egress = await farmEgress();
    const ask = (name: string, options: Partial<FetchRequest> = {}) =>
      egress.fetch(
        asked(`http://${name}.farm.test:${server.port}/`, { turn: turn(1), allowPrivate: [], ...options }),
      );
    const first = ask('first');
    await until(() => server.open().length === 1);
    await egress.reach(asked(`http://second.farm.test:${server.port}/`, { allowPrivate: [] }));
    const second = ask('second', more);
    return { server, ask, first, second };
  }

  it('does not time out, and its time starts when it begins', async () => {
    const { server, first, second, ask } = await oneWaiting({ timeoutMs: 1_000 });
    // Asked later and with more time, of another address: it expires after the waiting one would have.
    const silent = await rawServer(() => {}, '127.0.0.2');
    const expired = await ask('', { timeoutMs: 1_100, url: `http://a.test:${silent.port}/` as Url });
    expect(expired).toMatchObject({ ok: false, reason: 'timeout' });
    const endedAtMs = clock.now();
    server.end();
    await first;
    await until(() => server.open().length === 1);
    server.end();
    const answer = await second;
    expect(answer.ok).toBe(true);
    expect(answer.startedAtMs).toBeGreaterThanOrEqual(endedAtMs);
  });

  it('leaves the queue when it is aborted, and nothing was sent', async () => {
    const abort = new AbortController();
    const { server, first, second, ask } = await oneWaiting({ signal: abort.signal });
    const third = ask('third');
    abort.abort();
    expect(await second).toMatchObject({ ok: false, contacted: false });
    server.end();
    await first;
    await until(() => server.open().length === 1);
    server.end();
    expect((await third).ok).toBe(true);
    expect(server.seen).toEqual(['first', 'third']);
  });

  it('is given up when its caller begins nothing new', async () => {
    const halt = new AbortController();
    const { server, first, second } = await oneWaiting({
      turn: { most: 1, endsOn: [halt.signal], mayBegin: () => true },
    });
    halt.abort();
    expect(await second).toMatchObject({ ok: false, contacted: false, notBegun: true });
    server.end();
    expect((await first).ok).toBe(true);
  });

  it('is not sent when its caller may no longer begin it', async () => {
    const { server, first, second, ask } = await oneWaiting({
      turn: { most: 1, endsOn: [], mayBegin: () => false },
    });
    server.end();
    await first;
    expect(await second).toMatchObject({ ok: false, contacted: false, notBegun: true });
    const third = ask('third');
    await until(() => server.open().length === 1);
    server.end();
    expect((await third).ok).toBe(true);
    expect(server.seen).toEqual(['first', 'third']);
  });
});

describe('a turn is given back', () => {
  it('once, however the request ends', async () => {
    const server = await heldServer();
    const egress = await farmEgress();
    const ask = (name: string, more: Partial<FetchRequest> = {}) =>
      egress.fetch(
        asked(`http://${name}.farm.test:${server.port}/`, { turn: turn(2), allowPrivate: [], ...more }),
      );
    const isOpen = (count: number) => until(() => server.open().length === count);
    // Broken connection.
    const broken = ask('a');
    await isOpen(1);
    server.end('break');
    expect((await broken).ok).toBe(false);
    // Time-out.
    expect(await ask('b', { timeoutMs: 100 })).toMatchObject({ ok: false, reason: 'timeout' });
    await isOpen(0);
    // Abort.
    const abort = new AbortController();
    const aborted = ask('c', { signal: abort.signal });
    await isOpen(1);
    abort.abort();
    await aborted;
    await isOpen(0);
    // Refused connection.
    expect((await ask('d', { url: `http://d.farm.test:9999/` as Url })).ok).toBe(false);
    // A connection of the pool.
    for (let n = 0; n < 2; n += 1) {
      const kept = ask('e');
      await isOpen(1);
      server.end();
      await kept;
    }
    // Two turns are free again, and no more than two.
    const pending = names(6).map((name) => ask(name));
    for (let ended = 0; ended < 6; ended += 1) {
      await isOpen(Math.min(2, 6 - ended));
      server.end();
    }
    expect((await Promise.all(pending)).every((answer) => answer.ok)).toBe(true);
    expect(server.peak()).toBe(2);
  });
});
