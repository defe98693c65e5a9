import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { parseHead, type RequestHead } from './request-head.ts';
import { monotonicNs, type RequestLog } from './request-log.ts';
import type { Answer } from './reply.ts';

export interface ConnectionOptions {
  scheme: 'http' | 'https';
  log: RequestLog;
  answer: (scheme: 'http' | 'https', head: RequestHead) => Answer;
  /** A response that nobody reads for this long is closed. */
  longestFetchMs: number;
}

interface Pending {
  number: number;
  status: number;
  /** When bytes of the answer were last handed over; the start while there were none. */
  lastNs: number;
  retryAfterMs: number | undefined;
}

const filler = Buffer.alloc(65_536, 'lorem ipsum dolor sit amet \n');

/**
 * One keep-alive connection: HTTP/1.1 by hand, because node:http spends most of a core on what this web
 * never uses. Requests are answered one after the other, in order.
 */
export function serveConnection(socket: Socket, options: ConnectionOptions): void {
  const { log, scheme } = options;
  const peerPort = socket.remotePort ?? 0;
  let received: Buffer = Buffer.alloc(0);
  let pending: Pending | undefined;
  let closing = false;

  socket.setNoDelay(true);
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    received = received.length === 0 ? chunk : Buffer.concat([received, chunk]);
    if (pending === undefined) next();
  });
  socket.on('end', () => {
    closing = true;
    // No client closes its half and still reads: one that does so mid-answer was killed or gave up.
    if (pending === undefined) socket.end();
    else socket.destroy();
  });
  socket.on('close', () => {
    if (pending === undefined) return;
    const cut = vanishing.has(socket) ? 'server' : 'client';
    log.end(pending.number, pending.lastNs, { ...resultOf(pending), cut });
    pending = undefined;
  });

  function next(): void {
    while (pending === undefined && received.length > 0 && !closing) {
      const startNs = monotonicNs();
      const head = parseHead(received);
      if (head === undefined) return;
      if (head === 'bad') return void socket.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n');
      received = received.subarray(head.end);
      begin(head, startNs);
    }
  }

  function begin(head: RequestHead, startNs: number): void {
    const { host, path, method, headers } = head;
    const number = log.begin({ startNs, scheme, host, path, method, peerPort, headers });
    const found = options.answer(scheme, head);
    const retryAfter = /^Retry-After: (\d+)/m.exec(found.status >= 400 ? found.head : '');
    pending = {
      number,
      status: 0,
      lastNs: startNs,
      retryAfterMs: retryAfter === null ? undefined : Number(retryAfter[1]) * 1_000,
    };
    closing ||= head.close;
    if (found.delayMs === undefined) send(found, head);
    else setTimeout(() => !socket.destroyed && send(found, head), found.delayMs);
  }

  function send(found: Answer, head: RequestHead): void {
    if (pending === undefined) return;
    pending.status = found.status;
    const bodiless = head.method === 'HEAD' || found.status === 304;
    const length = Math.max(found.body.length, found.padTo ?? 0);
    const start = responseHead(found, length, closing);
    if (bodiless) return finish(Buffer.from(start, 'latin1'));
    if (found.chunked) return finish(chunked(start, found.body));
    if (length === found.body.length) return finish(joined(start, found.body));
    socket.write(joined(start, found.body));
    pad(length - found.body.length);
  }

  function finish(bytes: Buffer): void {
    if (pending === undefined) return;
    // Taken before the write: the client may read the bytes before the write call returns.
    log.end(pending.number, monotonicNs(), resultOf(pending));
    pending = undefined;
    socket.write(bytes);
    if (closing) socket.end();
    else if (received.length > 0) next();
  }

  /** Streams filler from one shared buffer, as fast as it is read and no faster. */
  function pad(left: number): void {
    let rest = left;
    let timer: NodeJS.Timeout | undefined;
    const more = (): void => {
      clearTimeout(timer);
      while (pending !== undefined && !socket.destroyed) {
        pending.lastNs = monotonicNs();
        if (rest <= filler.length) return finish(filler.subarray(0, rest));
        rest -= filler.length;
        if (socket.write(filler)) continue;
        timer = setTimeout(() => {
          vanishing.add(socket);
          socket.destroy();
        }, options.longestFetchMs);
        socket.once('drain', more);
        return;
      }
    };
    socket.once('close', () => clearTimeout(timer));
    more();
  }
}

/** Sockets the server itself is about to end: what they were doing was cut by the web. */
export const vanishing = new WeakSet<Socket>();

function resultOf(pending: Pending) {
  const { status, retryAfterMs } = pending;
  return retryAfterMs === undefined ? { status } : { status, retryAfterMs };
}

function responseHead(found: Answer, length: number, closing: boolean): string {
  const coding = found.chunked ? 'Transfer-Encoding: chunked\r\n' : `Content-Length: ${length}\r\n`;
  const close = closing ? 'Connection: close\r\n' : '';
  return `HTTP/1.1 ${found.status} ${STATUS_CODES[found.status] ?? ''}\r\nServer: fake-web\r\n${found.head}${coding}${close}\r\n`;
}

function joined(head: string, body: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(head.length + body.length);
  bytes.write(head, 0, 'latin1');
  body.copy(bytes, head.length);
  return bytes;
}

/** Two chunks, so that joining them is tried. */
function chunked(head: string, body: Buffer): Buffer {
  const half = Math.ceil(body.length / 2);
  const parts = [body.subarray(0, half), body.subarray(half)].filter((part) => part.length > 0);
  const framed = parts.flatMap((part) => [
    Buffer.from(`${part.length.toString(16)}\r\n`),
    part,
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([Buffer.from(head, 'latin1'), ...framed, Buffer.from('0\r\n\r\n')]);
}
