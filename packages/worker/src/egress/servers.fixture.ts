import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { type DatedClock, systemClock, type Url } from '@webfarer/protocol';
import { onTestFinished } from 'vitest';
import { createEgress, type Egress, type EgressOptions } from './egress.ts';
import type { FetchRequest, FetchSession } from '../fetch/fetch.ts';

/** What a test opened is closed after it, last first. */
export function closeAfterwards(close: () => unknown): void {
  onTestFinished(async () => void (await close()));
}

export const loopback = ['127.0.0.0/8', '::1/128'];

/** An egress with requests to any host, each without a session around it. */
export interface TestEgress extends Egress {
  fetch: FetchSession['fetch'];
  /** Ends the sessions of a host. */
  forget(host: string): void;
}

export function testEgress(options: Partial<EgressOptions> & { clock?: DatedClock } = {}): TestEgress {
  const egress = createEgress({ clock: systemClock(), ...options });
  closeAfterwards(() => egress.close());
  return { ...egress, fetch: egress.open('').fetch, forget: (host) => egress.open(host).close() };
}

/** A request that may contact this machine. */
export function asked(url: string, more: Partial<FetchRequest> = {}): FetchRequest {
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

export interface RawServer {
  /** `http://127.0.0.1:12345` */
  base: string;
  port: number;
  /** Connections accepted so far. */
  connections: () => number;
}

export async function tcpServer(serve: (socket: Socket) => void, host = '127.0.0.1'): Promise<RawServer> {
  const sockets = new Set<Socket>();
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    serve(socket);
  });
  const port = await listen(server, host);
  closeAfterwards(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return {
    base: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    port,
    connections: () => connections,
  };
}

/** Calls `serve` once for every complete request head; nothing is answered by itself. */
export function rawServer(serve: (socket: Socket, head: string) => void, host?: string): Promise<RawServer> {
  return tcpServer((socket) => {
    let seen = '';
    socket.on('data', (chunk) => {
      seen += chunk.toString('latin1');
      for (let end = seen.indexOf('\r\n\r\n'); end >= 0; end = seen.indexOf('\r\n\r\n')) {
        const head = seen.slice(0, end + 4);
        seen = seen.slice(end + 4);
        serve(socket, head);
      }
    });
  }, host);
}

export async function webServer(serve: RequestListener): Promise<string> {
  const server = createHttpServer(serve);
  const port = await listen(server, '127.0.0.1');
  closeAfterwards(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${port}`;
}

function listen(server: Server, host: string): Promise<number> {
  return new Promise((resolve) => {
    server.listen(0, host, () => resolve((server.address() as AddressInfo).port));
  });
}

export function okAnswer(body: string, headers = ''): string {
  return `HTTP/1.1 200 OK\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${headers}\r\n${body}`;
}

export async function until(condition: () => boolean): Promise<void> {
  const clock = systemClock();
  const deadline = clock.now() + 10_000;
  while (!condition()) {
    if (clock.now() > deadline) throw new Error('waited too long');
    await clock.sleep(5);
  }
}
