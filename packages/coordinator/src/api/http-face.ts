import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { type StallCause, WebfarerError } from '@webfarer/protocol';
import { jsonLine } from '@webfarer/protocol/crawl';
import { digestIn, isAmong } from '../tokens/tokens.ts';
import type { ListenAddress } from './listen-address.ts';

export interface HttpFaceOptions {
  listen: ListenAddress;
  /** Digests of the operators' tokens. Undefined: starting up, nobody is accepted yet. */
  operatorTokens: () => readonly string[] | undefined;
  ready: () => Promise<Readiness>;
  status: () => Promise<unknown>;
  /** A worker that wants to be linked. */
  link: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
}

/** Whether a coordinator can acknowledge what workers report, and what its crawl waits for. */
export interface Readiness {
  ready: boolean;
  cause?: StallCause;
  reason?: string;
}

export interface HttpFace {
  /** With the port that was given, where 0 was asked for. */
  readonly address: ListenAddress;
  stop(): Promise<void>;
}

/** A request line and a few headers: nobody sends more, and nobody takes long. */
const limits = { maxHeaderSize: 16_384, headersTimeout: 10_000, requestTimeout: 10_000 };

/**
 * What a coordinator shows on its port: `/health` (the process lives), `/ready` (it can be worked with), `/status`
 * (all it knows, for operators) and `/link` (the way in for workers). Answers no other method than GET.
 */
export async function openHttpFace(options: HttpFaceOptions): Promise<HttpFace> {
  const server = createServer(limits, (request, response) => {
    answer(options, request, response).catch(() => send(response, 500, { error: 'internal' }));
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // From here on the server listens to it no more: a reset that nobody hears of would end the process.
    socket.on('error', () => socket.destroy());
    if (pathOf(request) === '/link') return options.link(request, socket, head);
    socket.end('HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n');
  });
  const { host, port } = options.listen;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(cannotListen(error, options.listen)));
    server.listen({ host, port }, resolve);
  });
  // One that comes later belongs to a single connection; the others go on.
  server.on('error', () => undefined);
  return {
    address: { host, port: (server.address() as AddressInfo).port },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  options: HttpFaceOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method !== 'GET') return send(response, 405, { error: 'only GET is supported' });
  switch (pathOf(request)) {
    case '/health':
      return send(response, 200, { ok: true });
    case '/ready': {
      const readiness = await options.ready();
      return send(response, readiness.ready ? 200 : 503, readiness);
    }
    case '/status':
      if (options.operatorTokens() === undefined)
        return send(response, 503, { error: 'starting up; retry in a few seconds' });
      if (!isOperator(request, options.operatorTokens()))
        return send(response, 401, {
          error:
            'the operator token is needed: Authorization: Bearer, from operator.token in the data folder',
        });
      return send(response, 200, await options.status());
    default:
      return send(response, 404, { error: 'the paths are /health, /ready, /status and /link' });
  }
}

function pathOf({ url = '/' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? '/';
}

function isOperator({ headers }: IncomingMessage, accepted: readonly string[] = []): boolean {
  const digest = digestIn(headers.authorization);
  return digest !== undefined && isAmong(digest, accepted);
}

function send(response: ServerResponse, status: number, body: unknown): void {
  if (response.headersSent) return void response.destroy();
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
  });
  response.end(jsonLine(body));
}

function cannotListen(error: NodeJS.ErrnoException, { host, port }: ListenAddress): Error {
  const where = `${host}:${port}`;
  if (error.code === 'EADDRINUSE')
    return new WebfarerError('usage', `${where} is in use by another program`, {
      next: 'Another coordinator may run there. Choose another port with --listen, or port 0 for any that is free.',
      cause: error,
    });
  if (error.code === 'EADDRNOTAVAIL')
    return new WebfarerError('usage', `${host} is not an address of this machine`, {
      next: 'Use one that is (ip addr lists them), 127.0.0.1, or 0.0.0.0 for all.',
      cause: error,
    });
  if (error.code === 'EACCES')
    return new WebfarerError('usage', `port ${port} is reserved for the system`, {
      next: 'Choose one above 1023 with --listen.',
      cause: error,
    });
  return error;
}
