import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the sitemaps of the shop list, and in which order. */
export const sitemapOrders = [
  'none',
  'products first',
  'categories first',
  'mixed',
  'products only',
] as const;
export type SitemapOrder = (typeof sitemapOrders)[number];

export interface ShopSite {
  seeds: string[];
  origins: string[];
  products: string[];
  /** URLs asked for, in order. */
  log: string[];
  /** Forgets the log, and has sitemaps of another order from now on. */
  reset(order: SitemapOrder): void;
  /** Resolves at the next request after this many more. */
  after(requests: number): Promise<void>;
  stop(): Promise<void>;
}

const addresses = ['127.0.0.1', '127.0.0.2', '127.0.0.3'];

/**
 * A shop on three hosts. Each category lists products of all of them, and each product is in two categories, so most
 * products are named by a sitemap, by a page of another host and by one of their own, in any order.
 */
export async function startShop({
  products,
  categories,
}: {
  products: number;
  categories: number;
}): Promise<ShopSite> {
  let order: SitemapOrder = 'none';
  const log: string[] = [];
  let waiting: { at: number; tell: () => void }[] = [];
  const servers: Server[] = [];
  let port = 0;
  const origin = (n: number) => `http://${addresses[n % addresses.length]}:${port}`;
  const product = (n: number) => `${origin(n)}/p/${n}`;
  const category = (n: number) => `${origin(n)}/category/${n}`;
  const numbers = (count: number) => Array.from({ length: count }, (_, n) => n);
  const links = (urls: string[]) => urls.map((url) => `<a href="${url}">${url}</a>`).join('\n');

  /** Product n is in category n and in a later one, far from it in the queue. */
  function listed(n: number): string[] {
    return numbers(products)
      .filter((p) => p % categories === n || (p * 7 + 3) % categories === n)
      .map(product);
  }

  function sitemap(here: string): string {
    const own = (urls: string[]) => urls.filter((url) => url.startsWith(`${here}/`));
    const [some, others] = [own(numbers(products).map(product)), own(numbers(categories).map(category))];
    const mixed = [...some, ...others].toSorted((a, b) => mix(a) - mix(b));
    const lists = {
      none: [],
      'products first': [...some, ...others],
      'categories first': [...others, ...some],
      mixed,
      'products only': some,
    };
    const urls = lists[order].map((url) => `<url><loc>${url}</loc></url>`).join('');
    return `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls}</urlset>`;
  }

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const here = `http://${request.headers.host}`;
    const path = request.url ?? '/';
    log.push(here + path);
    for (const { at, tell } of waiting) if (log.length >= at) tell();
    waiting = waiting.filter(({ at }) => log.length < at);
    const [, kind, number] = /^\/(p|category)\/(\d+)$/.exec(path) ?? [];
    const send = (type: string, body: string) => response.writeHead(200, { 'content-type': type }).end(body);
    if (path === '/robots.txt') send('text/plain', order === 'none' ? '' : `Sitemap: ${here}/sitemap.xml\n`);
    else if (path === '/sitemap.xml') send('application/xml', sitemap(here));
    else if (path === '/') send('text/html', links(numbers(categories).map(category)));
    else if (kind === 'category') send('text/html', links(listed(Number(number))));
    else if (kind === 'p')
      send('text/html', `<h1>Product ${number}</h1>${links([category(Number(number) % categories)])}`);
    else response.writeHead(404).end();
  }

  for (const address of addresses) {
    const server = createServer(answer);
    await new Promise<void>((done, failed) => server.once('error', failed).listen(port, address, done));
    ({ port } = server.address() as AddressInfo);
    servers.push(server);
  }
  return {
    seeds: [`${origin(0)}/`],
    origins: numbers(addresses.length).map(origin),
    products: numbers(products).map(product),
    log,
    reset(next) {
      order = next;
      log.length = 0;
    },
    after: (requests) =>
      new Promise((tell) => {
        waiting.push({ at: log.length + requests, tell });
      }),
    async stop() {
      for (const server of servers) {
        server.closeAllConnections();
        await new Promise((done) => server.close(done));
      }
    },
  };
}

/** The same order every time, and none that the shop knows of. */
function mix(text: string): number {
  let hash = 7;
  for (let i = 0; i < text.length; i++) hash = (hash * 31 + text.charCodeAt(i)) % 1_000_003;
  return hash;
}
