import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeCertificates } from './certificates.ts';
import { serveConnection } from './connection.ts';
import { createDns } from './dns.ts';
import { addresses, type WebSize } from './hosts.ts';
import { createListeners } from './listeners.ts';
import { notFound } from './reply.ts';
import type { Answer } from './reply.ts';
import type { RequestHead } from './request-head.ts';
import { createRequestLog } from './request-log.ts';
import { createWeb, type Web } from './web.ts';

export interface ProcessOptions {
  size: WebSize;
  seed: number;
  /** Default: free ones. */
  httpPort?: number;
  httpsPort?: number;
  dnsPort?: number;
  hugeBytes?: number;
  /** A response that nobody reads for this long is closed; default 35 s. */
  longestFetchMs?: number;
}

export interface Started {
  httpPort: number;
  httpsPort: number;
  dnsPort: number;
  caFile: string;
}

export interface Stats {
  requests: number;
  dnsQuestions: number;
  connections: number;
  /** CPU time of the server's process so far. */
  cpuMs: number;
  rssBytes: number;
}

/** The whole fake web in this process. */
export interface WebProcess {
  readonly web: Web;
  readonly started: Started;
  vanish(): Promise<void>;
  return(): Promise<void>;
  dumpLog(file: string): void;
  clearLog(): void;
  /** Clears the log and lets pages that answer differently the second time begin anew. */
  reset(): void;
  /** The web a while later, on the same ports. */
  turn(epoch: number): void;
  stats(): Stats;
  stop(): Promise<void>;
}

export async function openWeb(options: ProcessOptions): Promise<WebProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'fake-web-'));
  const names = secureNames(options);
  const certificates = await makeCertificates(folder, names);
  const log = createRequestLog();
  const asked = new Map<string, number>();
  let web = createWeb(options);
  const listeners = createListeners({
    addresses,
    certificates,
    serve: (scheme, socket) => serveConnection(socket, connectionOptions(scheme)),
  });
  const dns = createDns((name) => {
    const host = web.hostNamed(name);
    return host === undefined || host.class === 'no-name' ? undefined : host.address;
  });
  const connectionOptions = (scheme: 'http' | 'https') => ({
    scheme,
    log,
    longestFetchMs: options.longestFetchMs ?? 35_000,
    answer: (_: string, head: RequestHead) => answerFor(web, scheme, head, asked),
  });
  const ports = await openSomewhere(options, (http, https) => listeners.open({ http, https }));
  web = createWeb({ ...options, ...ports });
  const dnsPort = await tryPorts(
    options.dnsPort,
    (port) => dns.start(port),
    () => dns.stop(),
  );
  return {
    web,
    started: { ...ports, dnsPort, caFile: certificates.caFile },
    async vanish() {
      await Promise.all([listeners.close(), dns.stop()]);
    },
    async return() {
      await Promise.all([
        listeners.open({ http: ports.httpPort, https: ports.httpsPort }),
        dns.start(dnsPort),
      ]);
    },
    dumpLog: (file) => log.dump(file),
    clearLog: () => log.clear(),
    reset() {
      log.clear();
      asked.clear();
    },
    turn(epoch) {
      web = createWeb({ ...options, ...ports, epoch });
    },
    stats: () => statsOf(log.size(), dns.asked(), listeners.connections()),
    async stop() {
      await Promise.all([listeners.close(), dns.stop()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function answerFor(
  web: Web,
  scheme: 'http' | 'https',
  head: RequestHead,
  asked: Map<string, number>,
): Answer {
  const host = web.hostNamed(head.host);
  if (host === undefined) return notFound(head.path, 421);
  if (head.method !== 'GET' && head.method !== 'HEAD') return notFound(head.path, 405);
  const before = (): number => {
    const key = `${host.index} ${head.path}`;
    const count = asked.get(key) ?? 0;
    asked.set(key, count + 1);
    return count;
  };
  const path = head.path.startsWith('http://') ? head.path.replace(/^http:\/\/[^/]*/, '') : head.path;
  const found = web.answer({ scheme, host, path, acceptEncoding: head.acceptEncoding, before });
  return found.status === 200 && isFresh(head, found) ? notModified(found) : found;
}

/** An ETag that fits; the date counts only where no ETag was sent (RFC 9110, 13.2.2). */
function isFresh({ ifNoneMatch, ifModifiedSince }: RequestHead, { head }: Answer): boolean {
  if (ifNoneMatch !== '') return head.includes(`ETag: ${ifNoneMatch}\r\n`);
  return ifModifiedSince !== '' && head.includes(`Last-Modified: ${ifModifiedSince}\r\n`);
}

function notModified({ head }: Answer): Answer {
  return { status: 304, head, body: Buffer.alloc(0) };
}

function secureNames(options: ProcessOptions): string[] {
  const web = createWeb(options);
  const names: string[] = [];
  for (let index = 0; index < web.hosts; index++) {
    const host = web.host(index);
    if (host.class === 'secure') names.push(host.name);
  }
  return names;
}

/** Below the range from which the system takes ports for outgoing connections. */
function somePort(): number {
  return 12_000 + Math.floor(Math.random() * 8_000) * 2;
}

async function openSomewhere(
  options: ProcessOptions,
  open: (http: number, https: number) => Promise<void>,
): Promise<{ httpPort: number; httpsPort: number }> {
  const httpPort = await tryPorts(options.httpPort, (port) => open(port, options.httpsPort ?? port + 1));
  return { httpPort, httpsPort: options.httpsPort ?? httpPort + 1 };
}

/** A wanted port must be free; otherwise some are tried until one is. */
async function tryPorts(
  wanted: number | undefined,
  open: (port: number) => Promise<void>,
  undo: () => Promise<void> = () => Promise.resolve(),
): Promise<number> {
  for (let tries = 1; ; tries++) {
    const port = wanted ?? somePort();
    try {
      await open(port);
      return port;
    } catch (error) {
      await undo();
      if (wanted !== undefined || tries === 50) throw error;
    }
  }
}

function statsOf(requests: number, dnsQuestions: number, connections: number): Stats {
  const cpu = process.cpuUsage();
  return {
    requests,
    dnsQuestions,
    connections,
    cpuMs: (cpu.user + cpu.system) / 1_000,
    rssBytes: process.memoryUsage.rss(),
  };
}
