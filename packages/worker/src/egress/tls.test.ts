import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Certificates, makeCertificates } from '../../../../test/fake-web/certificates.ts';
import { nameServer } from './name-server.fixture.ts';
import { proxyServer, socksServer } from './proxies.fixture.ts';
import { asked, closeAfterwards, tcpServer, testEgress } from './servers.fixture.ts';

let folder = '';
let certificates: Certificates;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-tls-'));
  certificates = await makeCertificates(folder, ['right.test', 'also.test']);
});
afterAll(() => rmSync(folder, { recursive: true }));

async function secureServer(): Promise<{ port: number; names: unknown[]; resumed: boolean[] }> {
  const names: unknown[] = [];
  const resumed: boolean[] = [];
  const { key, cert } = certificates;
  const server = createServer({ key, cert }, (request, response) => response.end(request.headers.host));
  server.on('secureConnection', (socket) => {
    names.push(socket.servername);
    resumed.push(socket.isSessionReused());
    expect(socket.alpnProtocol).toBe('http/1.1');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closeAfterwards(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { port: (server.address() as AddressInfo).port, names, resumed };
}

describe('https', () => {
  it('verifies the name against the certificate, and takes a session up again', async () => {
    const { port, names, resumed } = await secureServer();
    const dns = await nameServer(() => ['127.0.0.1']);
    const egress = testEgress({ dns: [dns.address], ca: readFileSync(certificates.caFile, 'utf8') });
    for (let i = 0; i < 2; i += 1) {
      const answer = await egress.fetch(asked(`https://right.test:${port}/`));
      if (!answer.ok) throw new Error(answer.detail);
      expect(answer.body.toString()).toBe(`right.test:${port}`);
      expect(answer.tls).toBe('TLSv1.3');
      egress.forget('right.test');
    }
    expect(names).toEqual(['right.test', 'right.test']);
    expect(resumed).toEqual([false, true]);
    const wrong = await egress.fetch(asked(`https://wrong.test:${port}/`));
    expect(wrong).toMatchObject({ ok: false, reason: 'tls-error', contacted: true });
    const literal = await egress.fetch(asked(`https://127.0.0.1:${port}/`));
    expect(literal).toMatchObject({ ok: false, reason: 'tls-error', contacted: true });
  });

  it('does not trust an authority it was not told of', async () => {
    const { port } = await secureServer();
    const dns = await nameServer(() => ['127.0.0.1']);
    const answer = await testEgress({ dns: [dns.address] }).fetch(asked(`https://right.test:${port}/`));
    expect(answer).toMatchObject({ ok: false, reason: 'tls-error', contacted: true });
  });

  it('tells a plain server and a closed connection apart', async () => {
    const plain = await tcpServer((socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    const closing = await tcpServer((socket) => socket.once('data', () => socket.destroy()));
    const egress = testEgress();
    expect(await egress.fetch(asked(`https://127.0.0.1:${plain.port}/`))).toMatchObject({
      reason: 'tls-error',
    });
    expect(await egress.fetch(asked(`https://127.0.0.1:${closing.port}/`))).toMatchObject({
      reason: 'connection-reset',
    });
  });

  it('goes through proxies, which see the name and nothing else', async () => {
    const { port } = await secureServer();
    const ca = readFileSync(certificates.caFile, 'utf8');
    const egress = testEgress({ ca, dns: [] });
    const http = await proxyServer(port);
    const socks = await socksServer(port);
    for (const proxy of [http, socks]) {
      const answer = await egress.fetch(
        asked('https://right.test/x', { proxy: proxy.url, allowPrivate: [] }),
      );
      if (!answer.ok) throw new Error(answer.detail);
      expect(answer.body.toString()).toBe('right.test');
      expect(answer.ip).toBeUndefined();
      expect(proxy.asked).toEqual(['right.test:443']);
    }
  });
});
