import { once } from 'node:events';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { header } from '../fetch/fetch.ts';
import { asked, okAnswer, rawServer, testEgress, until, webServer } from './servers.fixture.ts';

describe('an answer', () => {
  it('comes with raw headers: order, case and repeats kept', async () => {
    const { base } = await rawServer((socket) => {
      const headers = ['X-b: 1', 'x-A: 2', 'Set-Cookie: a=1', 'Set-Cookie: b=\xe9', 'Content-Length: 2'];
      socket.write(`HTTP/1.1 200 Fine\r\n${headers.join('\r\n')}\r\n\r\nhi`, 'latin1');
    });
    const answer = await testEgress().fetch(asked(base));
    if (!answer.ok) throw new Error(answer.detail);
    expect(answer.status).toBe(200);
    expect(answer.statusText).toBe('Fine');
    expect(answer.headers).toEqual([
      ['X-b', '1'],
      ['x-A', '2'],
      ['Set-Cookie', 'a=1'],
      ['Set-Cookie', 'b=\xe9'],
      ['Content-Length', '2'],
    ]);
    expect(header(answer, 'X-A')).toBe('2');
    expect(answer.body.toString()).toBe('hi');
    expect(answer.ip).toBe('127.0.0.1');
    expect(answer.truncated).toBeUndefined();
    expect(answer.firstByteMs).toBeLessThanOrEqual(answer.durationMs);
  });

  it('is a redirect where the server redirects', async () => {
    const seen: string[] = [];
    const base = await webServer((request, response) => {
      seen.push(request.url ?? '');
      response.writeHead(302, { location: '/next' }).end();
    });
    const answer = await testEgress().fetch(asked(`${base}/first`));
    expect(answer.ok && answer.status).toBe(302);
    expect(seen).toEqual(['/first']);
  });

  it('has the request head exactly as it was sent', async () => {
    const heads: string[] = [];
    const { base } = await rawServer((socket, head) => {
      heads.push(head);
      socket.write(head.startsWith('HEAD') ? 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n' : okAnswer('x'));
    });
    const egress = testEgress();
    const headers: [string, string][] = [
      ['User-Agent', 'Webfarer/1'],
      ['Accept', '*/*'],
      ['accept-language', 'de;q=0.5'],
      ['Connection', 'close'],
      ['X-Odd', 'caf\u00e9'],
      ['Cookie', 'a=1'],
      ['Content-Type', 'x/y'],
    ];
    for (const method of ['GET', 'HEAD', 'GET'] as const) {
      const answer = await egress.fetch(asked(`${base}/a%20b?c=d`, { method, headers }));
      if (!answer.ok) throw new Error(answer.detail);
      expect(answer.requestHead).toBe(heads.at(-1));
    }
    expect(heads).toHaveLength(3);
    expect(heads[0]).toContain('X-Odd: caf\u00e9');
  });

  it('to HEAD, 204 and 304 has no body, whatever the length says', async () => {
    const { base } = await rawServer((socket, head) => {
      const status = head.startsWith('HEAD') ? '200 OK' : (/\/(\d+)/.exec(head)?.[1] ?? '');
      socket.write(`HTTP/1.1 ${status}\r\nContent-Length: 500\r\n\r\n`);
    });
    const egress = testEgress();
    for (const [path, method] of [
      ['/x', 'HEAD'] as const,
      ['/204', 'GET'] as const,
      ['/304', 'GET'] as const,
    ]) {
      const answer = await egress.fetch(asked(base + path, { method }));
      expect(answer).toMatchObject({ ok: true, body: Buffer.alloc(0) });
      expect(answer).not.toHaveProperty('truncated');
    }
  });

  it('that nobody wants is not read', async () => {
    let sent = 0;
    const base = await webServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'video/mp4' });
      const pump = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536))) sent += 65_536;
      };
      response.on('drain', pump);
      pump();
    });
    const answer = await testEgress().fetch(
      asked(base, { maxBytes: 1e9, wanted: (head) => header(head, 'Content-Type') !== 'video/mp4' }),
    );
    expect(answer).toMatchObject({ ok: true, unread: true, body: Buffer.alloc(0) });
    expect(sent).toBeLessThan(50_000_000);
  });
});

describe('connections', () => {
  it('are reused, and given up with their host', async () => {
    const { base, connections } = await rawServer((socket) => socket.write(okAnswer('x')));
    const egress = testEgress();
    for (let i = 0; i < 5; i += 1) expect((await egress.fetch(asked(base))).ok).toBe(true);
    expect(connections()).toBe(1);
    egress.forget('127.0.0.1');
    expect((await egress.fetch(asked(base))).ok).toBe(true);
    expect(connections()).toBe(2);
  });

  it('in use while their host is given up are not kept', async () => {
    const waiting: Socket[] = [];
    const { base, connections } = await rawServer((socket) => void waiting.push(socket));
    const egress = testEgress();
    for (let i = 1; i <= 2; i += 1) {
      const pending = egress.fetch(asked(base));
      await until(() => waiting.length === i);
      egress.forget('127.0.0.1');
      waiting.at(-1)?.write(okAnswer('x'));
      expect((await pending).ok).toBe(true);
    }
    expect(connections()).toBe(2);
  });

  it('closed by the server while idle cost nothing', async () => {
    let requests = 0;
    let closed: Promise<unknown> = Promise.resolve();
    const { base } = await rawServer((socket) => {
      requests += 1;
      closed = once(socket, 'close');
      socket.write(okAnswer('x'), () => socket.end());
    });
    const egress = testEgress();
    for (let i = 0; i < 10; i += 1) {
      expect(await egress.fetch(asked(`${base}/${i}`))).toMatchObject({ ok: true, status: 200 });
      await closed;
    }
    expect(requests).toBe(10);
  });

  it('closed on a request are reported, and the request is not sent twice', async () => {
    let requests = 0;
    const { base } = await rawServer((socket, head) => {
      requests += 1;
      if (head.includes('/last')) socket.destroy();
      else socket.write(okAnswer('x'));
    });
    const egress = testEgress();
    expect((await egress.fetch(asked(`${base}/first`))).ok).toBe(true);
    expect(await egress.fetch(asked(`${base}/last`))).toMatchObject({
      reason: 'connection-reset',
      contacted: true,
    });
    expect(requests).toBe(2);
  });

  it('carry one answer per request: bytes nobody asked for are not taken for the next', async () => {
    const { base } = await rawServer((socket, head) => {
      socket.write(head.includes('/first') ? okAnswer('one') + okAnswer('smuggled') : okAnswer('two'));
    });
    const egress = testEgress();
    const bodies: string[] = [];
    for (const path of ['/first', '/second']) {
      const answer = await egress.fetch(asked(base + path));
      if (answer.ok) bodies.push(answer.body.toString());
    }
    expect(bodies).toEqual(['one', 'two']);
  });

  it('opened under a wide allow-list do not serve a narrow one', async () => {
    const { base, connections } = await rawServer((socket) => socket.write(okAnswer('x')));
    const egress = testEgress();
    expect((await egress.fetch(asked(base))).ok).toBe(true);
    const refused = { ok: false, reason: 'private-address', contacted: false };
    expect(await egress.fetch(asked(base, { allowPrivate: [] }))).toMatchObject(refused);
    expect(connections()).toBe(1);
  });

  it('serve many requests at once', async () => {
    const base = await webServer((request, response) => response.end(request.url));
    const egress = testEgress();
    const paths = Array.from({ length: 200 }, (_, i) => `/${i}`);
    const answers = await Promise.all(paths.map((path) => egress.fetch(asked(base + path))));
    expect(answers.map((answer) => answer.ok && answer.body.toString())).toEqual(paths);
  });
});

describe('a caller', () => {
  it('who aborts gets an answer at once, and the connection is closed', async () => {
    const sockets: Socket[] = [];
    const { base } = await rawServer((socket) => void sockets.push(socket));
    const egress = testEgress();
    const abort = new AbortController();
    const pending = egress.fetch(asked(base, { signal: abort.signal, timeoutMs: 60_000 }));
    await until(() => sockets.length === 1);
    const closed = once(sockets[0] as Socket, 'close');
    abort.abort();
    expect(await pending).toMatchObject({ ok: false, contacted: true });
    await closed;
    expect(await egress.fetch(asked(base, { signal: abort.signal }))).toMatchObject({
      ok: false,
      contacted: false,
    });
  });

  it('can ask whether a place is there without sending a request', async () => {
    let requests = 0;
    const { base, connections } = await rawServer(() => {
      requests += 1;
    });
    const egress = testEgress();
    expect(await egress.reach(asked(base))).toEqual({ ok: true, ip: '127.0.0.1' });
    expect(connections()).toBe(1);
    expect(requests).toBe(0);
    expect(await egress.reach(asked('http://127.0.0.1:9'))).toMatchObject({ ok: false, reason: 'port' });
    expect(await egress.reach(asked(base, { allowPrivate: [] }))).toMatchObject({
      reason: 'private-address',
    });
  });
});
