import { createServer, type IncomingMessage, type RequestListener, STATUS_CODES } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener, type Http2Bindings, type HttpBindings } from '@hono/node-server';
import { WebfarerError } from '@webfarer/protocol';
import { problemOf, problemType } from '@webfarer/protocol/api';
import { jsonLine } from '@webfarer/protocol/crawl';
import { type App, refusal } from './app.ts';
import { isCrossOrigin, securityHeaders } from './browser-guard.ts';
import { type ConnectionLimits, connectionLimits, guardConnections } from './connection-guard.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { turnAway } from '../../link/sockets.ts';
import type { ListenAddress } from './listen-address.ts';
import { readTlsPair, type TlsFiles, type TlsWatchOptions, watchTlsFiles } from './tls-files.ts';

/** Takes over the socket of a request that wants another protocol. */
export type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => void;

export interface HttpServerOptions {
  listen: ListenAddress;
  app: App;
  /** WebSockets, by path. */
  upgrades: Readonly<Record<string, Upgrade>>;
  /** Undefined: without TLS. */
  tls: ServerTls | undefined;
  limits?: Partial<HttpLimits>;
  /** The option that the address comes from, for what is said where it cannot be used. */
  flag?: string;
}

export interface ServerTls extends TlsFiles, Pick<TlsWatchOptions, 'refused' | 'expires' | 'clock'> {
  /** A new certificate is in use for all connections from now on. */
  renewed: () => void;
}

export interface HttpServer {
  /** With the port that was given, where 0 was asked for. */
  readonly address: ListenAddress;
  /** When the certificate in use expires, milliseconds since 1970; undefined: without TLS. */
  certificateExpiresAtMs(): number | undefined;
  stop(): Promise<void>;
}

export interface HttpLimits extends ConnectionLimits {
  maxHeaderSize: number;
  /** For the head of a request, and for all of it: a client that sends no more than a body of 1 MiB needs no longer. */
  headersTimeout: number;
  requestTimeout: number;
  /** How often those two are looked at. */
  connectionsCheckingInterval: number;
  /** A connection on which nothing moves for so long is closed; longer than any answer waits for news. */
  stalledMs: number;
}

const usualLimits: HttpLimits = {
  ...connectionLimits,
  maxHeaderSize: 16_384,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  connectionsCheckingInterval: 2_000,
  stalledMs: 90_000,
};
const tlsLimits = { handshakeTimeout: 10_000, minVersion: 'TLSv1.2' } as const;

/** The one port of a coordinator: requests go to the app, WebSockets to those who speak them. */
export async function openHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  // The global Request and Response stay as they are: the rest of the process uses them too.
  const answer = (request: Request, { outgoing }: HttpBindings | Http2Bindings) =>
    options.app(request, { cutOff: () => outgoing.socket?.destroySoon() });
  const listener = getRequestListener(answer, {
    overrideGlobalObjects: false,
    hostname: 'localhost',
    errorHandler: () => refusal(new WebfarerError('usage', 'the request is malformed')),
  });
  const limits = { ...usualLimits, ...options.limits };
  const { server, stopWatching, expiresAtMs } = await createListener(
    options.tls,
    limits,
    oneAtATime((request, response) => void listener(request, response)),
  );
  server.timeout = limits.stalledMs;
  guardConnections(server, limits);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === lateCode)
      unlessItHadArrived(socket as Socket, () => answerMalformed(error, socket as Socket));
    else answerMalformed(error, socket as Socket);
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    // From here on the server listens to it no more: a reset that nobody hears of would end the process.
    socket.on('error', () => socket.destroy());
    const upgrade = new Map(Object.entries(options.upgrades)).get(request.url?.split('?', 1)[0] ?? '');
    if (!upgrade) turnAway(socket, '404 Not Found', 'there is no WebSocket at this path');
    else if (isCrossOrigin((name) => headerOf(request, name)))
      turnAway(socket, '403 Forbidden', 'a browser sent the request from another site');
    else upgrade(request, socket, head);
  });
  const { host, port } = options.listen;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(cannotListen(error, options)));
    server.listen({ host, port }, resolve);
  }).catch(async (error: unknown) => {
    await stopWatching();
    throw error;
  });
  // One that comes later belongs to a single connection; the others go on.
  server.on('error', () => undefined);
  return {
    address: { host, port: (server.address() as AddressInfo).port },
    certificateExpiresAtMs: expiresAtMs,
    async stop() {
      await stopWatching();
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

async function createListener(tls: ServerTls | undefined, limits: HttpLimits, listener: RequestListener) {
  if (!tls) {
    const server = createServer(limits, listener);
    return { server, stopWatching: () => Promise.resolve(), expiresAtMs: () => undefined };
  }
  const pair = await readTlsPair(tls);
  let { expiresAtMs } = pair;
  const server = createTlsServer({ ...limits, ...tlsLimits, cert: pair.cert, key: pair.key }, listener);
  const stopWatching = watchTlsFiles(tls, pair, {
    clock: tls.clock,
    changed({ cert, key, ...renewed }) {
      server.setSecureContext({ minVersion: tlsLimits.minVersion, cert, key });
      ({ expiresAtMs } = renewed);
      tls.renewed();
    },
    expires: tls.expires,
    refused: tls.refused,
  });
  return { server, stopWatching, expiresAtMs: () => expiresAtMs };
}

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(', ') : value;
}

/** How long a client may take to close a connection on which it was told that its request is malformed. */
const answeredMs = 2_000;

const lateCode = 'ERR_HTTP_REQUEST_TIMEOUT';

/**
 * Node checks its clock before it reads its sockets: where this process was blocked, a request that arrived long ago counts as
 * late. So it is refused only if one turn of the event loop reads nothing more.
 */
function unlessItHadArrived(socket: Socket, refuse: () => void): void {
  const { bytesRead } = socket;
  setImmediate(() => {
    if (socket.bytesRead === bytesRead) refuse();
  });
}

/** What Node could not read as a request. It is answered like every other refusal, and the connection ends. */
function answerMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET') return void socket.destroy();
  // It was answered. What still comes is let go: a close at once would be a reset, which may overtake the answer.
  if (!socket.writable) return;
  socket.setTimeout(answeredMs, () => socket.destroy());
  const problem = problemOf(
    malformed[error.code ?? ''] ?? new WebfarerError('usage', 'the request is malformed'),
  );
  const body = jsonLine(problem);
  socket.end(
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? 'Refused'}\r\nConnection: close\r\n` +
      `Content-Type: ${problemType}; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      Object.entries(securityHeaders)
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join('') +
      `\r\n${body}`,
  );
}

const malformed: Readonly<Record<string, WebfarerError>> = {
  HPE_HEADER_OVERFLOW: new WebfarerError(
    'head-too-large',
    'the path and headers of the request are too long',
    {
      next: 'Send a shorter query, and fewer headers.',
    },
  ),
  [lateCode]: new WebfarerError('too-slow', 'the request did not arrive in time'),
};

function cannotListen(
  error: NodeJS.ErrnoException,
  { listen: { host, port }, flag = '--listen' }: HttpServerOptions,
): Error {
  const where = `${host}:${port}`;
  if (error.code === 'EADDRINUSE')
    return new WebfarerError('usage', `${where} is in use by another program`, {
      next: `Another process of Webfarer may run there. Choose another port with ${flag}, or port 0 for any that is free.`,
      cause: error,
    });
  if (error.code === 'EADDRNOTAVAIL')
    return new WebfarerError('usage', `${host} is not an address of this machine`, {
      next: 'Use one that is (ip addr lists them), 127.0.0.1, or 0.0.0.0 for all.',
      cause: error,
    });
  if (error.code === 'EACCES')
    return new WebfarerError('usage', `port ${port} is reserved for the system`, {
      next: `Choose one above 1023 with ${flag}.`,
      cause: error,
    });
  return error;
}
