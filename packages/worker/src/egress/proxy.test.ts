import { describe, expect, it } from 'vitest';
import { nameServer } from './name-server.fixture.ts';
import { parseProxy } from './proxy.ts';
import { proxyServer, socksServer } from './proxies.fixture.ts';
import { asked, okAnswer, rawServer, tcpServer, testEgress } from './servers.fixture.ts';

describe('an HTTP proxy', () => {
  it('is asked for the whole URL, and its password stays out of the record', async () => {
    const proxy = await proxyServer(0);
    const egress = testEgress({ dns: [] });
    for (let i = 0; i < 2; i += 1) {
      const answer = await egress.fetch(
        asked('http://a.test:81/x?y', { proxy: proxy.url, allowPrivate: [] }),
      );
      if (!answer.ok) throw new Error(answer.detail);
      expect(answer.body.toString()).toBe('http://a.test:81/x?y');
      expect(answer.requestHead).not.toMatch(/proxy/i);
      expect(proxy.heads[i]).toContain('host: a.test:81\r\n');
      const sent = (proxy.heads[i] as string).replace(/proxy-authorization: .*\r\n/i, '');
      expect(sent).toBe(answer.requestHead);
    }
  });

  it('that does not let us in is an obstacle', async () => {
    const proxy = await proxyServer(0);
    const answer = await testEgress({ dns: [] }).fetch(
      asked('https://a.test/', { proxy: `http://127.0.0.1:${proxy.port}`, allowPrivate: [] }),
    );
    expect(answer).toMatchObject({ ok: false, reason: 'proxy-failed' });
  });
});

describe('a SOCKS5 proxy', () => {
  it('looks the name up itself and carries the request unchanged', async () => {
    const heads: string[] = [];
    const { port } = await rawServer((socket, head) => {
      heads.push(head);
      socket.write(okAnswer('hidden'));
    });
    const proxy = await socksServer(port);
    const egress = testEgress({ dns: [] });
    for (let i = 0; i < 2; i += 1) {
      const answer = await egress.fetch(asked('http://abc.onion/x', { proxy: proxy.url, allowPrivate: [] }));
      if (!answer.ok) throw new Error(answer.detail);
      expect(answer.body.toString()).toBe('hidden');
      expect(answer.requestHead).toBe(heads[i]);
    }
    expect(proxy.asked).toEqual(['abc.onion:80']);
  });

  it('reports what it is told', async () => {
    const proxy = await socksServer(1);
    const egress = testEgress({ dns: [] });
    const refused = asked('http://refused.test/', { proxy: proxy.url, allowPrivate: [] });
    expect(await egress.fetch(refused)).toMatchObject({ ok: false, reason: 'connect-refused' });
    const noLogin = { proxy: `socks5://127.0.0.1:${proxy.port}`, allowPrivate: [] };
    expect(await egress.fetch(asked('http://a.test/', noLogin))).toMatchObject({ reason: 'proxy-failed' });
  });
});

describe('any proxy', () => {
  it('does not lead to places the guard can see to be private', async () => {
    const proxy = await socksServer(1);
    const egress = testEgress({ dns: [] });
    for (const url of [
      'http://127.0.0.1/',
      'http://[::1]/',
      'http://localhost/',
      'http://169.254.169.254/',
    ]) {
      const answer = await egress.fetch(asked(url, { proxy: proxy.url, allowPrivate: [] }));
      expect([url, answer]).toMatchObject([url, { ok: false, reason: 'private-address', contacted: false }]);
    }
    expect(proxy.asked).toEqual([]);
  });

  it('that is silent, closes or talks nonsense ends in an error in time', async () => {
    const silent = await tcpServer(() => {});
    const closing = await tcpServer((socket) => socket.once('data', () => socket.end()));
    const nonsense = await tcpServer((socket) => void socket.write('SSH-2.0-x\r\n\r\n'));
    const egress = testEgress({ dns: [], connectTimeoutMs: 200 });
    for (const scheme of ['socks5', 'http']) {
      const end = async (port: number): Promise<unknown> =>
        egress.fetch(asked('https://a.test/', { proxy: `${scheme}://127.0.0.1:${port}`, allowPrivate: [] }));
      expect(await end(silent.port)).toMatchObject({ ok: false, reason: 'connect-timeout' });
      expect(await end(closing.port)).toMatchObject({ ok: false, reason: 'connection-reset' });
      expect(await end(nonsense.port)).toMatchObject({ ok: false, reason: 'protocol-error' });
    }
    const odd = asked('http://a.test/', { proxy: 'gopher://x', allowPrivate: [] });
    expect(await egress.fetch(odd)).toMatchObject({ ok: false, contacted: false });
  });

  it('is found by its name over IPv6 too', async () => {
    const { address } = await nameServer(() => ['::1']);
    const proxy = await proxyServer(0, '::1');
    const via = `http://u:p%40w@p.test:${proxy.port}`;
    const answer = await testEgress({ dns: [address] }).fetch(
      asked('http://a.test/x', { proxy: via, allowPrivate: [] }),
    );
    expect(answer).toMatchObject({ ok: true, status: 200 });
  });

  it('is named by its URL', () => {
    expect(parseProxy('socks5h://[::1]:9050')).toEqual({ kind: 'socks5', host: '::1', port: 9050 });
    expect(parseProxy('https://p.example')).toEqual({ kind: 'https', host: 'p.example', port: 443 });
    expect(parseProxy('http://u@p.example:8080/')).toEqual({
      kind: 'http',
      host: 'p.example',
      port: 8080,
      user: 'u',
    });
    for (const bad of ['', 'p.example:80', 'ftp://p.example', 'http://', 'http://p/path'])
      expect([bad, parseProxy(bad)]).toEqual([bad, undefined]);
  });
});
