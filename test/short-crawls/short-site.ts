import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A host of five pages. */
export async function startShortSite(): Promise<{ seed: string; pages: number; stop(): Promise<void> }> {
  const links = [1, 2, 3, 4].map((page) => `<a href="/p/${page}">Page ${page}</a>`).join(' ');
  const server: Server = createServer(({ url }, response) => {
    if (url === '/robots.txt') return void response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(`<title>${url}</title><p>${'Some words about tides. '.repeat(30)}</p>${links}`);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.62.0.1', resolve);
  });
  return {
    seed: `http://127.62.0.1:${(server.address() as AddressInfo).port}/p/0`,
    pages: 5,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
