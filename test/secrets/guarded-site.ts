import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as ask,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { makeCertificates } from '../fake-web/certificates.ts';

/** What a server was asked, with everything that came along. */
export interface SeenRequest {
  /** `http://host:port` */
  origin: string;
  path: string;
  headers: IncomingHttpHeaders;
}

/** A site that asks for credentials, and leads to others that must not get them; and a proxy before both. */
export interface GuardedSite {
  /** `http://127.0.0.2:port` */
  readonly origin: string;
  /** The same site by https, which also redirects to the one above. */
  readonly secureOrigin: string;
  /** PEM file of the authority to trust. */
  readonly caFile: string;
  readonly proxyPort: number;
  readonly seen: SeenRequest[];
  /** Proxy-Authorization headers that the proxy itself was sent. */
  readonly atProxy: string[];
  stop(): Promise<void>;
}

const own = '127.0.0.2';
const other = '127.0.0.3';

export async function startGuardedSite(folder: string): Promise<GuardedSite> {
  const seen: SeenRequest[] = [];
  const atProxy: string[] = [];
  const note = ({ headers, url: path = '' }: IncomingMessage, scheme: string) => {
    const origin = `${scheme}://${headers.host}`;
    seen.push({ origin, path, headers });
    return { origin, path, known: headers.authorization !== undefined };
  };
  const site = createServer((request, response) => answer(response, note(request, 'http')));
  const { key, cert, caFile } = await makeCertificates(folder, [own]);
  const secure = createSecureServer({ key, cert }, (request, response) =>
    answer(response, note(request, 'https')),
  );
  /** The same host on another port is another origin. */
  const neighbour = createServer((request, response) => {
    note(request, 'http');
    response.writeHead(200, { 'content-type': 'text/html' }).end('<p>neighbour</p>');
  });
  const port = await listen(site, '0.0.0.0');
  const securePort = await listen(secure, '0.0.0.0');
  const neighbourPort = await listen(neighbour, '0.0.0.0');
  const proxy = createServer((request, response) => pass(request, response));
  proxy.on('connect', (request, socket, head) => {
    atProxy.push(request.headers['proxy-authorization'] ?? '');
    const [host, to] = (request.url ?? '').split(':');
    const onward = connect(Number(to), host, () => {
      socket.write('HTTP/1.1 200 Connected\r\n\r\n');
      onward.write(head);
      onward.pipe(socket).pipe(onward);
    });
    for (const end of [onward, socket])
      end.on('error', () => [onward, socket].forEach((one) => one.destroy()));
  });
  const proxyPort = await listen(proxy, '127.0.0.1');

  function pass(request: IncomingMessage, response: ServerResponse): void {
    atProxy.push(request.headers['proxy-authorization'] ?? '');
    const { 'proxy-authorization': _own, ...headers } = request.headers;
    const onward = ask(request.url ?? '', { headers, method: request.method }, (answered) => {
      response.writeHead(answered.statusCode ?? 502, answered.headers);
      answered.pipe(response);
    });
    onward.on('error', () => response.destroy());
    onward.end();
  }

  /** To another host, another port, and down from https. */
  const redirects: Record<string, string> = {
    '/to-host': `http://${other}:${port}/landed`,
    '/to-port': `http://${own}:${neighbourPort}/landed`,
    '/to-plain': `http://${own}:${port}/landed`,
  };

  function answer(
    response: ServerResponse,
    { origin, path, known }: { origin: string; path: string; known: boolean },
  ): void {
    if (path === '/robots.txt') return void response.writeHead(404).end();
    const location = redirects[path];
    if (location !== undefined) return void response.writeHead(307, { location }).end();
    response.setHeader('content-type', 'text/html');
    if (!origin.includes(own)) return void response.end('<p>elsewhere</p>');
    if (!known)
      return void response.writeHead(401, { 'www-authenticate': 'Basic' }).end('<p>who are you</p>');
    const away = [`http://${other}:${port}/x`, `http://${own}:${neighbourPort}/n`];
    const links = ['/a', '/b', ...Object.keys(redirects), ...away];
    response.end(links.map((to) => `<a href="${to}">x</a>`).join(''));
  }

  return {
    origin: `http://${own}:${port}`,
    secureOrigin: `https://${own}:${securePort}`,
    caFile,
    proxyPort,
    seen,
    atProxy,
    async stop() {
      for (const server of [site, secure, neighbour, proxy]) {
        server.closeAllConnections();
        await new Promise<void>((resolve) => server.close(() => resolve()));
      }
    },
  };
}

async function listen(server: Server, host: string): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return (server.address() as AddressInfo).port;
}
