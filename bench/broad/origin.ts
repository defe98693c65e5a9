import { readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { hostAddress, pageAt, pageHtml, type Site } from './site.ts';

/** What the origin is told on its command line. */
export interface OriginTask extends Site {
  /** PEM files; plain HTTP without. */
  tls?: { key: string; cert: string };
}

/**
 * The servers of all hosts, in a process of their own: bodies are compressed before the first request and
 * sent from memory. Prints its port when it is ready; every host listens on the same one.
 */
const task = JSON.parse(process.argv[2] ?? '{}') as OriginTask;
const bodies: Buffer[][] = [];

const answer: RequestListener = (request, response) => {
  const host = hosts.get(request.socket.localAddress ?? '') ?? 0;
  const page = pageAt(request.url ?? '', task);
  const body = page < 0 ? undefined : bodies[host]?.[page];
  if (!body) {
    response.writeHead(404, { 'content-type': 'text/plain', 'content-length': 10 });
    return void response.end('not found\n');
  }
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-encoding': 'gzip',
    'content-length': body.length,
  });
  response.end(body);
};

const hosts = new Map(Array.from({ length: task.hosts }, (_, host) => [hostAddress(host), host]));

function listen(address: string, port: number): Promise<number> {
  const server = task.tls
    ? createTlsServer({ key: readFileSync(task.tls.key), cert: readFileSync(task.tls.cert) }, answer)
    : createServer(answer);
  server.keepAliveTimeout = 60_000;
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, () => resolve((server.address() as AddressInfo).port));
  });
}

const port = await listen(hostAddress(0), 0);
for (let host = 1; host < task.hosts; host++) await listen(hostAddress(host), port);
const origin = (host: number) => `${task.tls ? 'https' : 'http'}://${hostAddress(host)}:${port}`;
let plainBytes = 0;
for (let host = 0; host < task.hosts; host++) {
  bodies.push(
    Array.from({ length: task.pagesPerHost }, (_, page) => {
      const html = pageHtml(task, origin, host, page);
      plainBytes += html.length;
      return gzipSync(html, { level: 6 });
    }),
  );
}
console.log(JSON.stringify({ port, meanBytes: Math.round(plainBytes / (task.hosts * task.pagesPerHost)) }));
process.stdin.resume();
process.stdin.once('end', () => process.exit(0));
