import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Mark = 'new' | 'changed' | 'same' | 'gone';

/** A shop whose products change between two days, and which knows itself what became of each. */
export interface ChangingShop {
  origin: string;
  /** Requests for pages so far, and how many of them were answered 304. */
  asked: { pages: number; notModified: number };
  /** Answers no page after this many more, until it is released; resolves when one more was asked for. */
  holdAfter(pages: number): Promise<void>;
  release(): void;
  /** What its stock becomes overnight. */
  turn(): void;
  /** `sku price`, one for each product that is for sale now. */
  stock(): string[];
  /** `mark sku`, by what was for sale on both days. */
  truth(): string[];
  stop(): Promise<void>;
}

interface Product {
  price: number;
  /** Which page it is on: one of its own, or a list with others. */
  page: string;
}

const perList = 8;

/**
 * Half of the products have a page of their own, half stand on lists of eight. Overnight some change their price, some
 * are sold out but keep their page, some pages are gone, some products are new, and some move to another list. Pages
 * have an ETag; those of every third product have none, so they are sent whole though nothing changed.
 */
export async function startChangingShop(products: number): Promise<ChangingShop> {
  const own = products / 2;
  const firstDay = new Map<string, Product>();
  for (let n = 0; n < own; n++) firstDay.set(`s${n}`, { price: n + 1, page: `/p/s${n}` });
  for (let n = own; n < products; n++)
    firstDay.set(`s${n}`, { price: n + 1, page: `/list/${Math.floor((n - own) / perList)}` });
  let [before, now] = [new Map<string, Product>(), firstDay];
  const soldOut = new Set<string>();
  const asked = { pages: 0, notModified: 0 };
  const hold = { at: Infinity, reached: () => {} };
  const pagesOf = (stock: Map<string, Product>) => [...new Set([...stock.values()].map(({ page }) => page))];

  function bodyOf(path: string): string | undefined {
    if (path === '/') return [...pagesOf(now), ...soldOut].map((page) => `<a href="${page}">x</a>`).join('');
    const here = [...now].filter(([, { page }]) => page === path);
    if (here.length === 0) return soldOut.has(path) ? '<p>sold out' : undefined;
    return here
      .map(([sku, { price }]) => `<div data-sku="${sku}" data-price="${price}">${sku}</div>`)
      .join('');
  }

  const server = createServer(({ url = '/', headers }, response) => {
    if (url === '/robots.txt') return void response.writeHead(404).end();
    const body = bodyOf(url);
    asked.pages++;
    if (asked.pages > hold.at) return hold.reached();
    if (body === undefined) return void response.writeHead(404).end();
    const isPlain = Number(/^\/p\/s(\d+)$/.exec(url)?.[1] ?? 1) % 3 === 0;
    const etag = `"${createHash('sha1').update(body).digest('hex')}"`;
    if (!isPlain && headers['if-none-match'] === etag) {
      asked.notModified++;
      return void response.writeHead(304, { etag }).end();
    }
    response.writeHead(200, { 'content-type': 'text/html', ...(isPlain ? {} : { etag }) }).end(body);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));

  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    holdAfter(pages) {
      hold.at = asked.pages + pages;
      return new Promise((reached) => Object.assign(hold, { reached }));
    },
    release: () => void (hold.at = Infinity),
    turn() {
      before = now;
      now = new Map([...before].map(([sku, product]) => [sku, { ...product }]));
      Object.assign(asked, { pages: 0, notModified: 0 });
      for (const [n, [sku, product]] of [...now].entries()) {
        if (n % 7 === 1) product.price += 1_000;
        else if (n % 11 === 2) now.delete(sku);
        else if (n % 13 === 3 && product.page.startsWith('/list/')) product.page = '/list/moved';
        // Its page stays and says so.
        if (n % 22 === 2 && product.page.startsWith('/p/')) soldOut.add(product.page);
      }
      for (let n = 0; n < own / 5; n++)
        now.set(`n${n}`, { price: n, page: n % 2 ? '/list/new' : `/p/n${n}` });
    },
    stock: () => Array.from(now, ([sku, { price }]) => `${sku} ${price}`).toSorted(),
    truth() {
      const mark = (sku: string): Mark => {
        const [was, is] = [before.get(sku), now.get(sku)];
        if (!was) return 'new';
        return !is ? 'gone' : was.price === is.price ? 'same' : 'changed';
      };
      return [...new Set([...before.keys(), ...now.keys()])].map((sku) => `${mark(sku)} ${sku}`).toSorted();
    },
    stop: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
