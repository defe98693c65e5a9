import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { gzipSync } from 'node:zlib';
import { hostAddress, pageAt, pageHtml, type Site } from '../broad/site.ts';
import { mainThreadCpuMs } from '../process-cpu.ts';
import { treeCpuMs } from './tree-cpu.ts';

/** What the origin is told on its command line: the web, and after how many pages it looks at a crawler's CPU time. */
export interface OriginTask extends Site {
  marks: number[];
}

/** One line of stdin: the crawler whose requests begin now. */
export interface Visit {
  /** The user agent it sends. */
  agent: string;
  pid: number;
}

/** One line of stdout: CPU time of a crawler when it asked for its n-th page. */
export interface Mark {
  agent: string;
  page: number;
  cpuMs: number;
  /** Of its main thread alone. */
  mainMs: number;
}

/**
 * A web in a process of its own, with bodies compressed before the first request. It looks at a crawler's CPU time
 * in the request for a page: a look from another process would come late by as much as the machine is busy.
 */
const task = JSON.parse(process.argv[2] ?? '{}') as OriginTask;
const marks = new Set(task.marks);
const visits = new Map<string, { pid: number; pages: number }>();
const bodies: Buffer[][] = [];
const hosts = new Map(Array.from({ length: task.hosts }, (_, host) => [hostAddress(host), host]));

const answer: RequestListener = (request, response) => {
  const host = hosts.get(request.socket.localAddress ?? '') ?? 0;
  const page = pageAt(request.url ?? '', task);
  const body = page < 0 ? undefined : bodies[host]?.[page];
  if (!body) {
    response.writeHead(404, { 'content-type': 'text/plain', 'content-length': 10 });
    return void response.end('not found\n');
  }
  count((request.headers['user-agent'] ?? '').split(' ', 1)[0] ?? '');
  response.writeHead(200, {
    'content-type': 'text/html; charset=utf-8',
    'content-encoding': 'gzip',
    'content-length': body.length,
  });
  response.end(body);
};

function count(agent: string): void {
  const visit = visits.get(agent);
  if (!visit) return;
  visit.pages++;
  if (!marks.has(visit.pages)) return;
  const { pid, pages: page } = visit;
  const mark: Mark = { agent, page, cpuMs: treeCpuMs(pid), mainMs: mainThreadCpuMs(pid) };
  console.log(JSON.stringify(mark));
}

function listen(address: string, port: number): Promise<number> {
  const server = createServer(answer);
  server.keepAliveTimeout = 60_000;
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, () => resolve((server.address() as AddressInfo).port));
  });
}

const port = await listen(hostAddress(0), 0);
for (let host = 1; host < task.hosts; host++) await listen(hostAddress(host), port);
const origin = (host: number) => `http://${hostAddress(host)}:${port}`;
for (let host = 0; host < task.hosts; host++)
  bodies.push(
    Array.from({ length: task.pagesPerHost }, (_, page) => gzipSync(pageHtml(task, origin, host, page))),
  );
console.log(JSON.stringify({ port }));
const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
  const { agent, pid } = JSON.parse(line) as Visit;
  visits.set(agent, { pid, pages: 0 });
});
lines.once('close', () => process.exit(0));
