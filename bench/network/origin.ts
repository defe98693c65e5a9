import { type AddressInfo, createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { hostAddress } from '../broad/site.ts';
import { pageHtml, pagePath, type PlainWeb, type WebLook } from './web.ts';

/**
 * All hosts of a plain web in one process. Answers are prepared before the first request. It judges the pauses by its
 * own clock. Prints its port when it is ready, and what it has seen so far for every line it is sent.
 */
const web = JSON.parse(process.argv[2] ?? '{}') as PlainWeb;

interface Host {
  pages: number;
  answering: number;
  /** When the last bytes were handed over, and when this process could take note that they were. */
  handedAtMs: number;
  endedAtMs: number;
}

const answers = new Map(
  Array.from({ length: web.pagesPerHost }, (_, page) => [pagePath(page), answerOf(pageHtml(web, page))]),
);
const notFound = Buffer.from(
  'HTTP/1.1 404 Not Found\r\ncontent-type: text/plain\r\ncontent-length: 0\r\n\r\n',
);
const hosts: Host[] = Array.from({ length: web.hosts }, () => ({
  pages: 0,
  answering: 0,
  handedAtMs: Number.NEGATIVE_INFINITY,
  endedAtMs: Number.NEGATIVE_INFINITY,
}));
const seen = { pages: 0, answeringMs: 0, answers: 0, gapViolations: 0 };
let idleMs = 0;
let shortestGapMs = Number.POSITIVE_INFINITY;
let shortestSinceHandedMs = Number.POSITIVE_INFINITY;
let longestNoteMs = 0;

function answerOf(html: string): Buffer {
  const body = gzipSync(html);
  const head = `HTTP/1.1 200 OK\r\ncontent-type: text/html; charset=utf-8\r\ncontent-encoding: gzip\r\ncontent-length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}

/** One request at a time on a connection, its head in one piece: that is how the crawler asks. */
function serve(socket: Socket, host: Host): void {
  socket.setNoDelay(true);
  socket.on('error', () => {});
  socket.on('data', (head: Buffer) => {
    const startedAtMs = performance.now();
    begin(host, startedAtMs);
    const page = answers.get(head.toString('latin1', 4, head.indexOf(32, 4)));
    setTimeout(() => {
      host.handedAtMs = performance.now();
      socket.write(page ?? notFound);
      end(host, startedAtMs, page !== undefined);
    }, web.latencyMs);
  });
}

function begin(host: Host, nowMs: number): void {
  const gapMs = host.answering > 0 ? 0 : nowMs - host.endedAtMs;
  const sinceHandedMs = host.answering > 0 ? 0 : nowMs - host.handedAtMs;
  host.answering++;
  shortestGapMs = Math.min(shortestGapMs, gapMs);
  shortestSinceHandedMs = Math.min(shortestSinceHandedMs, sinceHandedMs);
  if (gapMs < web.gapMs) seen.gapViolations++;
  if (Number.isFinite(gapMs)) idleMs += Math.max(0, gapMs - web.gapMs);
}

function end(host: Host, startedAtMs: number, isPage: boolean): void {
  host.answering--;
  host.endedAtMs = performance.now();
  longestNoteMs = Math.max(longestNoteMs, host.endedAtMs - host.handedAtMs);
  seen.answeringMs += host.endedAtMs - startedAtMs;
  seen.answers++;
  if (!isPage) return;
  host.pages++;
  seen.pages++;
}

function listen(number: number, port: number): Promise<number> {
  const server = createServer((socket) => serve(socket, hosts[number] as Host));
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, hostAddress(number), () => resolve((server.address() as AddressInfo).port));
  });
}

/** How long it could have been asked again by now and is not. */
function idleNow({ answering, endedAtMs }: Host, nowMs: number): number {
  return answering > 0 || !Number.isFinite(endedAtMs) ? 0 : Math.max(0, nowMs - endedAtMs - web.gapMs);
}

function look(): WebLook {
  const { user, system } = process.cpuUsage();
  const atMs = performance.now();
  return {
    atMs,
    idleMs: hosts.reduce((sum, host) => sum + idleNow(host, atMs), idleMs),
    cpuMs: (user + system) / 1_000,
    ...seen,
    fewestPages: Math.min(...hosts.map(({ pages }) => pages)),
    shortestGapMs: rounded(shortestGapMs),
    shortestSinceHandedMs: rounded(shortestSinceHandedMs),
    longestNoteMs: Math.round(longestNoteMs * 10) / 10,
  };
}

function rounded(ms: number): number | null {
  return Number.isFinite(ms) ? Math.round(ms * 10) / 10 : null;
}

const port = await listen(0, 0);
for (let number = 1; number < web.hosts; number++) await listen(number, port);
console.log(JSON.stringify({ port, pageBytesSent: answers.get('/')?.length ?? 0 }));
process.stdin.on('data', () => console.log(JSON.stringify(look())));
process.stdin.once('end', () => process.exit(0));
