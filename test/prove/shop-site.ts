import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ListAnswer, listHeader, type ListPlace } from './shop-scraper.ts';

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
  /** Which products a category lists. */
  listed(category: number): string[];
  /** Every page of every list, in a shop whose lists are asked for by POST. */
  lists: ListPlace[];
  /** How a page of a list stands in the log. */
  requestOf(list: ListPlace): string;
  /** What was asked for, in order: the URL, and behind it the body of a POST. */
  log: string[];
  /** Forgets the log. From now on its sitemaps have another order, and lists are asked for by POST or stand in categories. */
  reset(order: SitemapOrder, byPost: boolean): void;
  /** Resolves at the next request after this many more. */
  after(requests: number): Promise<void>;
  stop(): Promise<void>;
}

/** Products on a page of a list. */
const perPage = 3;

const addresses = ['127.0.0.1', '127.0.0.2', '127.0.0.3'];

/**
 * A shop on three hosts. Each category lists products of all of them, and each product is in two categories, so most
 * products are named by a sitemap, by a page of another host and by one of their own, in any order.
 */
export async function startShop({
  products,
  categories,
  productBytes = 0,
}: {
  products: number;
  categories: number;
  /** Added to the page of each product. */
  productBytes?: number;
}): Promise<ShopSite> {
  let order: SitemapOrder = 'none';
  let byPost = false;
  /** Lists that were refused once. */
  const refused = new Set<string>();
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

  const pagesOf = (n: number) => Math.ceil(listed(n).length / perPage);

  /** The first time a list is asked for, the shop is too busy. */
  function answerList(request: IncomingMessage, response: ServerResponse, body: string): void {
    const { method, headers } = request;
    const isAsked = method === 'POST' && headers[listHeader.toLowerCase()] === 'yes';
    if (!isAsked || headers['content-type'] !== 'application/json') return void response.writeHead(400).end();
    const key = (headers.host ?? '') + body;
    if (!refused.has(key)) {
      refused.add(key);
      return void response.writeHead(500).end();
    }
    const { category: n, page } = JSON.parse(body) as ListPlace;
    const some = listed(n).slice((page - 1) * perPage, page * perPage);
    const answered: ListAnswer = { products: some, ...(page < pagesOf(n) ? { next: page + 1 } : {}) };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answered));
  }

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => answerAll(request, response, Buffer.concat(chunks).toString()));
  }

  function answerAll(request: IncomingMessage, response: ServerResponse, sent: string): void {
    const here = `http://${request.headers.host}`;
    const path = request.url ?? '/';
    log.push(here + path + sent);
    for (const { at, tell } of waiting) if (log.length >= at) tell();
    waiting = waiting.filter(({ at }) => log.length < at);
    const [, kind, number] = /^\/(p|category)\/(\d+)$/.exec(path) ?? [];
    const send = (type: string, body: string) => response.writeHead(200, { 'content-type': type }).end(body);
    if (path === '/robots.txt') send('text/plain', order === 'none' ? '' : `Sitemap: ${here}/sitemap.xml\n`);
    else if (path === '/sitemap.xml') send('application/xml', sitemap(here));
    else if (path === '/') send('text/html', links(numbers(categories).map(category)));
    else if (path === '/list') answerList(request, response, sent);
    else if (kind === 'category')
      send(
        'text/html',
        byPost ? `<form action="/list" data-category="${number}">` : links(listed(Number(number))),
      );
    else if (kind === 'p')
      send(
        'text/html',
        `<h1>Product ${number}</h1>${links([category(Number(number) % categories)])}${'x'.repeat(productBytes)}`,
      );
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
    listed,
    lists: numbers(categories).flatMap((n) =>
      numbers(pagesOf(n)).map((page) => ({ category: n, page: page + 1 })),
    ),
    requestOf: ({ category: n, page }) => `${origin(n)}/list${JSON.stringify({ category: n, page })}`,
    log,
    reset(next, posts) {
      order = next;
      byPost = posts;
      refused.clear();
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
