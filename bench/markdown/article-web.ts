import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { hostAddress } from '../broad/site.ts';

export interface ArticleWeb {
  /** Every page once. */
  urls: string[];
  meanBytes: number;
  /** Pages sent since the last call, sorted; robots.txt and the like left out. */
  takeLog(): string[];
  stop(): Promise<void>;
}

/** The pages of the article corpus, dealt out to hosts that each have an address of their own. */
export async function startArticleWeb(
  corpora: string,
  { hosts, copies, every }: { hosts: number; copies: number; every: number },
): Promise<ArticleWeb> {
  const folder = join(corpora, 'article-extraction/html');
  const names = readdirSync(folder).toSorted();
  const bodies = names
    .filter((_, n) => n % every === 0)
    .map((name) => gunzipSync(readFileSync(join(folder, name))))
    // A page that forbids copies has none here; the others take no notice.
    .filter((body) => !/noarchive/i.test(body.toString('latin1')));
  let sent: string[] = [];
  const servers: Server[] = [];
  let port = 0;
  const listener = (host: number) =>
    createServer((request, response) => {
      const page = Number(/^\/p\/(\d+)$/.exec(request.url ?? '')?.[1] ?? -1);
      const body = bodies[page % bodies.length];
      if (page < 0 || body === undefined) return void response.writeHead(404).end();
      sent.push(`${hostAddress(host)}${request.url}`);
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-length': body.length });
      response.end(body);
    });
  for (let host = 0; host < hosts; host++) {
    const server = listener(host);
    // Who computes for seconds between two requests must not meet the closing of the connection.
    server.keepAliveTimeout = 120_000;
    await new Promise<void>((done, failed) => {
      server.once('error', failed).listen(port, hostAddress(host), done);
    });
    ({ port } = server.address() as AddressInfo);
    servers.push(server);
  }
  const count = bodies.length * copies;
  return {
    urls: Array.from({ length: count }, (_, n) => `http://${hostAddress(n % hosts)}:${port}/p/${n}`),
    meanBytes: Math.round(bodies.reduce((sum, { length }) => sum + length, 0) / bodies.length),
    takeLog() {
      const log = sent.toSorted();
      sent = [];
      return log;
    },
    async stop() {
      for (const server of servers) {
        server.closeAllConnections();
        await new Promise((done) => server.close(done));
      }
    },
  };
}
