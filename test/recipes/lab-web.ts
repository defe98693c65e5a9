import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, request as forward, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Certificates, makeCertificates } from '../fake-web/certificates.ts';

export interface Reply {
  status?: number;
  /** `text/html` where it is left out. */
  type?: string;
  headers?: Record<string, string | string[]>;
  body?: string | Buffer;
}

export interface Asked {
  host: string;
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  /** What was sent with a POST. */
  sent: string;
}

export interface LogLine extends Asked {
  status: number;
  startMs: number;
  /** Taken before the answer is written, so a pause looks longer than the client made it, never shorter. */
  endMs: number;
}

/** What a host answers; a path without an answer is 404. */
export type Site = (asked: Asked) => Reply | undefined | Promise<Reply | undefined>;

/** The web as the recipes see it: every host is answered here, by its own name, over http and https. */
export interface LabWeb {
  /** It is a proxy, so that no address in a recipe has to be replaced. */
  proxy: string;
  /** What makes programs of other makers reach this web, and trust it. */
  env: Record<string, string>;
  log: LogLine[];
  of(...hosts: string[]): LogLine[];
  stop(): Promise<void>;
}

export interface Lab {
  /** The same names can be other sites in another web. */
  startWeb(hosts: Record<string, Site>): Promise<LabWeb>;
  stop(): void;
}

/** `names`: hosts that answer https. */
export async function startLab(names: string[]): Promise<Lab> {
  const folder = mkdtempSync(join(tmpdir(), 'webfarer-lab-web-'));
  const certificates = await makeCertificates(folder, [...new Set(names)]);
  return {
    startWeb: (hosts) => startLabWeb(hosts, certificates),
    stop: () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function startLabWeb(hosts: Record<string, Site>, certificates: Certificates): Promise<LabWeb> {
  const { key, cert, caFile } = certificates;
  const log: LogLine[] = [];
  const sockets = new Set<Socket>();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const startMs = performance.now();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const sent = Buffer.concat(chunks);
    const host = (request.headers.host ?? '').replace(/:(80|443)$/, '');
    const path = (request.url ?? '/').replace(/^http:\/\/[^/]+/, '');
    if (host.startsWith('localhost:')) return passOn(host, path, request, response);
    const asked: Asked = {
      host,
      path,
      method: request.method ?? '',
      headers: request.headers,
      sent: String(sent),
    };
    const site = hosts[host];
    // A name that nobody has: the proxy cannot connect.
    const reply =
      site === undefined ? { status: 502 } : ((await site(asked)) ?? { status: 404, body: 'nothing here' });
    const { status = 200, type = 'text/html; charset=utf-8', headers = {}, body = '' } = reply;
    log.push({ ...asked, status, startMs, endMs: performance.now() });
    response.writeHead(status, { 'content-type': type, ...headers });
    response.end(request.method === 'HEAD' ? undefined : body);
  }

  /** Servers that a recipe starts on its own machine. */
  function passOn(host: string, path: string, request: IncomingMessage, response: ServerResponse): void {
    const [, port = '80'] = host.split(':');
    const { method, headers } = request;
    forward({ host: '127.0.0.1', port: Number(port), path, method, headers }, (found) => {
      response.writeHead(found.statusCode ?? 502, found.headers);
      found.pipe(response);
    })
      .on('error', () => response.writeHead(502).end())
      .end();
  }

  const handle = (request: IncomingMessage, response: ServerResponse): void =>
    void answer(request, response).catch(() => response.destroy());
  const secure = createSecureServer({ key, cert }, handle);
  const server = createServer(handle);
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    const host = (request.url ?? '').replace(/:443$/, '');
    socket.on('error', () => socket.destroy());
    if (hosts[host] === undefined) {
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
      return;
    }
    socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
    secure.emit('connection', socket);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const proxy = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    env: {
      NODE_EXTRA_CA_CERTS: caFile,
      https_proxy: proxy,
      http_proxy: proxy,
      no_proxy: 'localhost,127.0.0.1',
      CURL_CA_BUNDLE: caFile,
    },
    proxy,
    log,
    of: (...hosts) => log.filter(({ host }) => hosts.includes(host)),
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((done) => server.close(done));
    },
  };
}
