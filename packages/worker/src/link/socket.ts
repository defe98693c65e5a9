import { Socket as StreamSocket } from 'node:net';
import type { Duplex } from 'node:stream';
import { linkCloses } from '@webfarer/protocol/link';
import { frameStream } from '@webfarer/protocol/node';
import { WebSocket } from 'ws';
import { linkAddress } from './address.ts';

/** Our end of a socket to a coordinator. */
export interface Socket {
  /** `sent` is called when the system has taken it, or never will. */
  send(text: string, sent: () => void): void;
  close(code: number, reason: string): void;
  terminate(): void;
  readonly open: boolean;
}

export interface SocketEvents {
  opened(): void;
  message(text: string): void;
  /** Any sign of life. */
  alive(): void;
  /** Called once. `status`: what it was answered instead of becoming a socket. */
  closed(end: SocketEnd): void;
}

export interface SocketEnd {
  code: number;
  reason: string;
  /** Whether there was a connection at all. */
  opened: boolean;
  status?: number;
}

export interface DialOptions {
  /** Of the coordinator. */
  url: string;
  maxBytes: number;
  patienceMs: number;
}

/** Opens a way to a coordinator. */
export type Dial = (options: DialOptions, events: SocketEvents) => Socket;

/** Over WebSocket. The token goes with the request that opens it, and is asked for again each time: tokens are rotated. */
export function dialWebSocket(token: () => string): Dial {
  return (options, events) => openWebSocket({ ...options, token: token() }, events);
}

/** The stream that the process which started this one left open under that number. */
export function parentStream(fd: number): Duplex {
  return new StreamSocket({ fd, readable: true, writable: true });
}

/** The process that started this one, over the stream it holds the other end of. */
export function dialParent(stream: Duplex): Dial {
  return ({ maxBytes }, events) => {
    const frames = frameStream(
      stream,
      { maxBytes },
      {
        frame(text) {
          events.alive();
          events.message(text);
        },
        closed: (reason) => events.closed({ code: linkCloses.bye, reason, opened: true }),
      },
    );
    queueMicrotask(events.opened);
    return {
      send: (text, sent) => frames.send(text, sent),
      close: () => frames.end(),
      terminate: () => frames.destroy(),
      get open() {
        return frames.open;
      },
    };
  };
}

function openWebSocket(
  { url, token, maxBytes, patienceMs }: DialOptions & { token: string },
  events: SocketEvents,
): Socket {
  const ws = new WebSocket(linkAddress(url), {
    headers: { authorization: `Bearer ${token}` },
    perMessageDeflate: false,
    maxPayload: maxBytes,
    handshakeTimeout: patienceMs,
    followRedirects: false,
  });
  let cause = '';
  let status: number | undefined;
  let opened = false;
  ws.on('unexpected-response', (request, response) => {
    status = response.statusCode ?? 0;
    cause = status === 503 ? 'it is starting up or has too many workers (503)' : `it answered ${status}`;
    response.resume();
    request.destroy();
    ws.terminate();
  });
  ws.on('error', (error) => {
    cause ||= connectWords(error, patienceMs);
  });
  ws.on('open', () => {
    opened = true;
    events.opened();
  });
  ws.on('message', (data: Buffer, isBinary) => {
    events.alive();
    if (!isBinary) events.message(data.toString());
  });
  ws.on('ping', () => events.alive());
  ws.on('close', (code, reason) => {
    const said = reason.toString();
    events.closed({
      code,
      reason: said || cause || `closed (${code})`,
      opened,
      ...(status ? { status } : {}),
    });
  });
  return {
    send: (text, sent) => ws.send(text, () => sent()),
    close: (code, reason) => ws.close(code, reason),
    terminate: () => ws.terminate(),
    get open() {
      return ws.readyState === ws.OPEN;
    },
  };
}

const connectFaults: Readonly<Record<string, string>> = {
  ENOTFOUND: 'no such host (DNS)',
  EAI_AGAIN: 'the DNS servers do not respond',
  ECONNREFUSED: 'connection refused; no coordinator listens there',
  ECONNRESET: 'the connection was reset',
  EHOSTUNREACH: 'no route to the host',
  ENETUNREACH: 'no route to the network',
  ETIMEDOUT: 'no answer',
};

const NO_TLS = 'TLS failed because the port does not speak TLS; does the coordinator use http:// there?';

/** Why there is no connection, for a person. */
export function connectWords(error: Error & { code?: string }, patienceMs: number): string {
  const { code = '', message } = error;
  const known = connectFaults[code];
  if (known !== undefined) return known;
  if (/handshake has timed out/.test(message)) return `no response within ${patienceMs} ms`;
  if (/EPROTO|WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG/.test(`${code} ${message}`)) return NO_TLS;
  if (/CERT|SIGNATURE|TLS|SSL/.test(code)) return `TLS failed: ${message}`;
  if (/^Parse Error|socket hang up/.test(message)) return `no coordinator responds there: ${message}`;
  return message || code || 'no connection';
}
