import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createSecureContext, TLSSocket } from 'node:tls';

/** What a browser asks for. */
export interface BrowserRequest {
  url: string;
  method: string;
  /** As the browser sent them, without those that concern the way to the proxy. */
  headers: [string, string][];
  body: Buffer;
  /** Aborted when the browser no longer wants the answer. */
  signal: AbortSignal;
}

export interface BrowserAnswer {
  status: number;
  statusText: string;
  headers: [string, string][];
  /** As it came, still content-encoded. */
  body: Buffer;
  /** The body is not all of it: the connection is broken off behind it. */
  cut: boolean;
}

/** Who may use the proxy: one context of a browser. */
export interface ProxyGuest {
  /** Undefined: the browser sees a connection that breaks. Must not reject. */
  answer: (request: BrowserRequest) => Promise<BrowserAnswer | undefined>;
  /** Something that cannot be let through was tried: a WebSocket, or a tunnel for another protocol. */
  refused: (url: string, what: 'websocket' | 'tunnel') => void;
}

/** What a guest shows with each of its connections. */
export interface ProxyPass {
  username: string;
  password: string;
  /** It was shown at least once. */
  isUsed(): boolean;
  /** Breaks the connections of the guest and admits no more of them. */
  revoke(): void;
}

export interface BrowserProxyOptions {
  /** PEM. The browser must trust it for every name. */
  key: string;
  cert: string;
  /** Bytes of the body of one request. */
  maxRequestBytes: number;
  /** An address of this machine, and a port; 0: any. */
  listen: { host: string; port: number };
}

export interface BrowserProxy {
  port: number;
  admit(guest: ProxyGuest): ProxyPass;
  close(): Promise<void>;
}

/** The proxy answers this URL itself, so that a browser can show its pass before it has a page. */
export const passUrl = 'http://pass.webfarer.invalid/';

interface Admitted extends ProxyGuest {
  sockets: Set<Duplex>;
  used: boolean;
}

/**
 * The only way out for a browser: a proxy on this machine that opens no connection itself. It ends the browser's TLS with
 * a certificate of its own, reads whole requests, and passes on what it is answered. So everything that a page loads goes
 * the way that every other request of a worker goes. It takes requests from guests only: any program of the machine can
 * connect to it.
 */
export async function startBrowserProxy(options: BrowserProxyOptions): Promise<BrowserProxy> {
  const { maxRequestBytes } = options;
  const secureContext = createSecureContext({ key: options.key, cert: options.cert });
  const sockets = new Set<Duplex>();
  /** By what they send as `Proxy-Authorization`. */
  const guests = new Map<string, Admitted>();
  /** Whose a tunnel is and what it leads to, by the connection inside it. */
  const tunnels = new WeakMap<Duplex, { guest: Admitted; origin: string }>();
  const guestOf = ({ headers, socket }: IncomingMessage): Admitted | undefined => {
    const guest = guests.get(headers['proxy-authorization'] ?? '');
    if (!guest) return undefined;
    guest.used = true;
    if (guest.sockets.has(socket)) return guest;
    guest.sockets.add(socket);
    socket.once('close', () => guest.sockets.delete(socket));
    return guest;
  };
  const inTunnel = createServer((request, response) => {
    const { guest, origin } = tunnels.get(request.socket) ?? {};
    if (guest)
      void serve({ url: `${origin}${request.url ?? ''}`, request, response, guest, maxRequestBytes });
    else request.socket.destroy();
  });
  const server = createServer((request, response) => {
    const guest = guestOf(request);
    const { url = '' } = request;
    if (!guest) response.writeHead(407, { ...challenge, connection: 'close' }).end();
    else if (url === passUrl) response.writeHead(204).end();
    else void serve({ url, request, response, guest, maxRequestBytes });
  });
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('error', ignore).once('close', () => sockets.delete(socket));
  });
  server.on('connect', (request: IncomingMessage, socket: Duplex) => {
    const authority = request.url ?? '';
    const guest = guestOf(request);
    if (!guest) return void socket.end(passWanted);
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    socket.once('data', (first: Buffer) => {
      socket.pause();
      socket.unshift(first);
      const kind = kindOf(first);
      if (kind === 'other') {
        guest.refused(authority, 'tunnel');
        return void socket.destroy();
      }
      const inner =
        kind === 'tls'
          ? new TLSSocket(socket as Socket, { isServer: true, secureContext, ALPNProtocols: ['http/1.1'] })
          : socket;
      inner.on('error', ignore);
      tunnels.set(inner, { guest, origin: originOf(kind, authority) });
      inTunnel.emit('connection', inner);
      inner.resume();
    });
  });
  for (const each of [server, inTunnel]) {
    each.on('clientError', (_error, socket) => void socket.destroy());
    each.on('upgrade', (request, socket) => {
      const { guest = guestOf(request), origin = '' } = tunnels.get(socket) ?? {};
      if (!guest) return void socket.end(passWanted);
      guest.refused(`${origin}${request.url ?? ''}`, 'websocket');
      socket.end('HTTP/1.1 403 Forbidden\r\nConnection: close\r\nContent-Length: 0\r\n\r\n');
    });
    // A page may take its time between two requests; its whole visit is bounded elsewhere.
    Object.assign(each, { keepAliveTimeout: 60_000, requestTimeout: 0, headersTimeout: 60_000 });
  }
  await listen(server, options.listen);
  return {
    port: (server.address() as AddressInfo).port,
    admit(guest) {
      const [username, password] = [randomBytes(8).toString('hex'), randomBytes(32).toString('hex')];
      const shown = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
      const admitted: Admitted = { ...guest, sockets: new Set(), used: false };
      guests.set(shown, admitted);
      return {
        username,
        password,
        isUsed: () => admitted.used,
        revoke() {
          guests.delete(shown);
          for (const socket of admitted.sockets) socket.destroy();
        },
      };
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

const challenge = { 'proxy-authenticate': 'Basic realm="Webfarer"', 'content-length': '0' };
const passWanted =
  'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="Webfarer"\r\nConnection: close\r\nContent-Length: 0\r\n\r\n';

const ignore = (): void => {};

/** A tunnel begins with a handshake of TLS, or with a request where the browser wants a WebSocket without it. */
function kindOf(first: Buffer): 'tls' | 'http' | 'other' {
  if (first[0] === 0x16) return 'tls';
  return /^[A-Z]{3,10} \//.test(first.subarray(0, 16).toString('latin1')) ? 'http' : 'other';
}

function originOf(kind: 'tls' | 'http', authority: string): string {
  return kind === 'tls'
    ? `https://${authority.replace(/:443$/, '')}`
    : `http://${authority.replace(/:80$/, '')}`;
}

async function listen(server: Server, at: BrowserProxyOptions['listen']): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(at, () => resolve());
  });
}

interface Service {
  url: string;
  request: IncomingMessage;
  response: ServerResponse;
  guest: ProxyGuest;
  maxRequestBytes: number;
}

async function serve({ url, request, response, guest, maxRequestBytes }: Service): Promise<void> {
  const { socket } = request;
  const gone = new AbortController();
  response.once('close', () => gone.abort(new Error('the browser no longer waits')));
  const body = await bodyOf(request, maxRequestBytes);
  const got =
    body &&
    (await guest.answer({
      url,
      method: request.method ?? '',
      headers: sentHeaders(request),
      body,
      signal: gone.signal,
    }));
  if (!got || response.destroyed) return void socket.destroy();
  const { status, statusText, headers, body: content, cut } = got;
  const length = cut ? [] : ['content-length', String(content.length)];
  response.writeHead(status, statusText, [...headers.filter(isPassed).flat(), ...length]);
  if (!cut) return void response.end(content);
  response.write(content, () => socket.destroy());
}

/** Undefined: it was broken off, or is larger than a page may send. */
async function bodyOf(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const piece of request as AsyncIterable<Buffer>) {
      bytes += piece.length;
      if (bytes > maxBytes) return undefined;
      pieces.push(piece);
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(pieces);
}

/** Between two machines only, or made here anew. `alt-svc` would lead the browser past the proxy. */
const ofTheWay = new Set([
  'host',
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy-authorization',
  'transfer-encoding',
  'content-length',
  'upgrade',
  'te',
  'trailer',
  'alt-svc',
]);

function isPassed([name]: [string, string]): boolean {
  return !ofTheWay.has(name.toLowerCase());
}

function sentHeaders({ rawHeaders }: IncomingMessage): [string, string][] {
  const pairs: [string, string][] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2)
    pairs.push([rawHeaders[i] as string, rawHeaders[i + 1] as string]);
  return pairs.filter(isPassed);
}
