import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Many hosts on loopback addresses, each with a chain of pages that goes on until it is told to end. */
export interface EndlessSites {
  seeds: string[];
  hosts: string[];
  /** Every request for a page, in the order of arrival; times by the clock of this process. */
  requests: { host: string; path: string; atMs: number }[];
  /** No page links to another one from now on. */
  end(): void;
  /** Pages that some page linked to and nobody asked for. */
  missing(): string[];
  close(): void;
}

/** Each page links to the next of its host, and every fourth one to the same page of the next host. */
export async function startEndlessSites(count: number): Promise<EndlessSites> {
  const hosts = Array.from({ length: count }, (_, n) => `127.0.0.${n + 2}`);
  const requests: EndlessSites['requests'] = [];
  const linked = new Set<string>();
  const asked = new Set<string>();
  let over = false;
  const answered = new Map<string, { host: string; page: number }[]>();

  /** The same whenever it is asked for: what a page had once, it has for ever. */
  function linksOf(name: string, url: string): { host: string; page: number }[] {
    const before = answered.get(name + url);
    if (before) return before;
    const page = Number(/\d+/.exec(url)?.[0] ?? 0);
    const links = over ? [] : [{ host: name, page: page + 1 }];
    if (!over && page % 4 === 0) {
      const next = hosts[(hosts.indexOf(name) + 1) % count] as string;
      links.push({ host: next, page: page + 100_000 });
    }
    for (const link of links) linked.add(`${link.host}/p${link.page}`);
    answered.set(name + url, links);
    return links;
  }

  const server = createServer(({ url = '', headers: { host = '' } }, answer) => {
    if (url === '/robots.txt') return void answer.writeHead(404).end();
    const name = host.replace(/:\d+$/, '');
    requests.push({ host: name, path: url, atMs: performance.now() });
    asked.add(name + url);
    const links = linksOf(name, url);
    answer.setHeader('content-type', 'text/html');
    answer.end(links.map((link) => `<a href="http://${link.host}:${port}/p${link.page}">on</a>`).join(' '));
  });
  await new Promise<void>((done) => server.listen(0, '0.0.0.0', done));
  const { port } = server.address() as AddressInfo;
  for (const host of hosts) linked.add(`${host}/`);
  return {
    hosts,
    seeds: hosts.map((host) => `http://${host}:${port}/`),
    requests,
    end() {
      over = true;
    },
    missing: () => [...linked].filter((page) => !asked.has(page)),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
