import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import {
  type AddressInfo,
  createServer as createTcpServer,
  type Server as TcpServer,
  type Socket,
} from 'node:net';
import { systemClock, type Url } from '@webfarer/protocol';
import { afterEach, describe, expect, it } from 'vitest';
import { createFetch, type Egress, type EgressOptions } from './egress.ts';
import { type FetchRequest, header } from './fetch.ts';

const loopback = ['127.0.0.0/8', '::1/128'];
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

function egress(options: Partial<EgressOptions> = {}): Egress {
  const made = createFetch({ clock: systemClock(), ...options });
  closers.push(() => made.close());
  return made;
}

function asked(url: string, more: Partial<FetchRequest> = {}): FetchRequest {
  return {
    url: url as Url,
    method: 'GET',
    headers: [['User-Agent', 'webfarer-test']],
    timeoutMs: 5_000,
    maxBytes: 1_000_000,
    maxDecodedBytes: 10_000_000,
    allowPrivate: loopback,
    signal: new AbortController().signal,
    ...more,
  };
}

function portOf(server: Server | TcpServer): number {
  return (server.address() as AddressInfo).port;
}

async function rawServer(
  serve: (socket: Socket, head: string) => void,
  host = '127.0.0.1',
): Promise<TcpServer> {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    let seen = '';
    socket.on('data', (chunk) => {
      seen += chunk.toString('latin1');
      let end = seen.indexOf('\r\n\r\n');
      while (end >= 0) {
        const head = seen.slice(0, end + 4);
        seen = seen.slice(end + 4);
        serve(socket, head);
        end = seen.indexOf('\r\n\r\n');
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return server;
}

async function webServer(serve: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(serve as never);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${portOf(server)}`;
}

const ok = (body: string, more = ''): string =>
  `HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${more}\r\n${body}`;

describe('an answer', () => {
  it('comes with raw headers, order, case and repeats kept', async () => {
    const server = await rawServer((socket) => {
      socket.write(
        'HTTP/1.1 200 Fine\r\nX-b: 1\r\nx-A: 2\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nContent-Length: 2\r\n\r\nhi',
      );
    });
    const answer = await egress().fetch(asked(`http://127.0.0.1:${portOf(server)}/`));
    if (!answer.ok) throw new Error(answer.detail);
    expect(answer.status).toBe(200);
    expect(answer.statusText).toBe('Fine');
    expect(answer.headers.map(([name]) => name)).toEqual([
      'X-b',
      'x-A',
      'Set-Cookie',
      'Set-Cookie',
      'Content-Length',
    ]);
    expect(header(answer, 'X-A')).toBe('2');
    expect(answer.body.toString()).toBe('hi');
    expect(answer.ip).toBe('127.0.0.1');
    expect(answer.truncated).toBeUndefined();
    expect(answer.firstByteMs).toBeLessThanOrEqual(answer.durationMs);
  });

  it('is a redirect when the server redirects', async () => {
    const seen: string[] = [];
    const base = await webServer((request, response) => {
      seen.push(request.url ?? '');
      response.writeHead(302, { location: '/next' }).end();
    });
    const answer = await egress().fetch(asked(`${base}/first`));
    expect(answer.ok && answer.status).toBe(302);
    expect(seen).toEqual(['/first']);
  });

  it('has the request head exactly as it was sent', async () => {
    const heads: string[] = [];
    const server = await rawServer((socket, head) => {
      heads.push(head);
      socket.write(head.startsWith('HEAD') ? 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n' : ok('x'));
    });
    const fetch = egress();
    const headers: [string, string][] = [
      ['User-Agent', 'Webfarer/1'],
      ['Accept', '*/*'],
      ['accept-language', 'de;q=0.5'],
      ['Connection', 'close'],
      ['X-Odd', 'caf\u00e9'],
    ];
    for (const method of ['GET', 'HEAD', 'GET'] as const) {
      const answer = await fetch.fetch(
        asked(`http://127.0.0.1:${portOf(server)}/a%20b?c=d`, { method, headers }),
      );
      if (!answer.ok) throw new Error(answer.detail);
      expect(answer.requestHead).toBe(heads.at(-1));
    }
    expect(heads).toHaveLength(3);
    expect(heads[0]).toContain('X-Odd: caf\u00e9');
  });
});

describe('connections', () => {
  it('are reused, and forgotten with their host', async () => {
    const sockets = new Set<Socket>();
    const server = await rawServer((socket) => {
      sockets.add(socket);
      socket.write(ok('x'));
    });
    const fetch = egress();
    const url = `http://127.0.0.1:${portOf(server)}/`;
    for (let i = 0; i < 5; i += 1) expect((await fetch.fetch(asked(url))).ok).toBe(true);
    expect(sockets.size).toBe(1);
    fetch.forget('127.0.0.1');
    expect((await fetch.fetch(asked(url))).ok).toBe(true);
    expect(sockets.size).toBe(2);
  });

  it('closed by the server while idle cost nothing', async () => {
    let requests = 0;
    let closed: Promise<unknown> = Promise.resolve();
    const server = await rawServer((socket) => {
      requests += 1;
      closed = once(socket, 'close');
      socket.write(ok('x'), () => socket.end());
    });
    const fetch = egress();
    for (let i = 0; i < 10; i += 1) {
      const answer = await fetch.fetch(asked(`http://127.0.0.1:${portOf(server)}/${i}`));
      expect(answer).toMatchObject({ ok: true, status: 200 });
      await closed;
    }
    expect(requests).toBe(10);
  });

  it('opened under a wide allow-list do not serve a narrow one', async () => {
    const base = await webServer((_request, response) => response.end('x'));
    const fetch = egress();
    expect((await fetch.fetch(asked(base))).ok).toBe(true);
    expect(await fetch.fetch(asked(base, { allowPrivate: [] }))).toMatchObject({
      ok: false,
      reason: 'private-address',
      contacted: false,
    });
  });
});
