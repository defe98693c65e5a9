import {
  createServer,
  type IncomingMessage,
  request as ask,
  type Server,
  type ServerResponse,
} from 'node:http';
import { type AddressInfo, connect } from 'node:net';

/** What a server was asked, with everything that came along. */
export interface SeenRequest {
  host: string;
  path: string;
  authorization: string | undefined;
  proxyAuthorization: string | undefined;
  key: string | undefined;
}

/** A site that asks for a name and password, and leads to others that must not get them; and a proxy before both. */
export interface GuardedSite {
  /** `http://127.0.0.2:port` */
  readonly origin: string;
  readonly proxyPort: number;
  readonly seen: SeenRequest[];
  /** Proxy-Authorization headers that the proxy itself was sent. */
  readonly atProxy: string[];
  stop(): Promise<void>;
}

const own = '127.0.0.2';
const other = '127.0.0.3';

export async function startGuardedSite(): Promise<GuardedSite> {
  const seen: SeenRequest[] = [];
  const atProxy: string[] = [];
  const site = createServer((request, response) => {
    const { headers, url: path = '' } = request;
    const host = headers.host ?? '';
    const { authorization } = headers;
    const key = headers['x-key'] as string | undefined;
    seen.push({ host, path, authorization, proxyAuthorization: headers['proxy-authorization'], key });
    answer(response, host, path, authorization !== undefined);
  });
  /** The same host on another port is another origin. */
  const neighbour = createServer((request, response) => {
    const { headers, url: path = '' } = request;
    const { host = '', authorization } = headers;
    const key = headers['x-key'] as string | undefined;
    seen.push({ host, path, authorization, proxyAuthorization: headers['proxy-authorization'], key });
    response.setHeader('content-type', 'text/html');
    response.end('<p>neighbour</p>');
  });
  const port = await listen(site, '0.0.0.0');
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

  function answer(response: ServerResponse, host: string, path: string, known: boolean): void {
    if (path === '/robots.txt') return void response.writeHead(404).end();
    if (path === '/away')
      return void response.writeHead(302, { location: `http://${other}:${port}/landed` }).end();
    response.setHeader('content-type', 'text/html');
    if (!host.startsWith(own)) return void response.end('<p>elsewhere</p>');
    if (!known)
      return void response.writeHead(401, { 'www-authenticate': 'Basic' }).end('<p>who are you</p>');
    const links = ['/a', '/b', '/away', `http://${other}:${port}/x`, `http://${own}:${neighbourPort}/n`];
    response.end(links.map((to) => `<a href="${to}">x</a>`).join(''));
  }

  return {
    origin: `http://${own}:${port}`,
    proxyPort,
    seen,
    atProxy,
    async stop() {
      for (const server of [site, neighbour, proxy]) {
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
