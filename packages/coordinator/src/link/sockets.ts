import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { linkCloses } from '@webfarer/protocol/link';
import { frameStream } from '@webfarer/protocol/node';
import { type WebSocket, WebSocketServer } from 'ws';

/** A worker's end of a socket, as much of it as is needed here. */
export interface Socket {
  /** `sent` is called when the system has taken it, or never will. */
  send(text: string, sent: () => void): void;
  ping(): void;
  /** Says why and waits for the other side to agree. */
  close(code: number, reason: string): void;
  /** At once. */
  terminate(): void;
  /** Nothing more is read; the other side notices when its buffers are full. */
  pause(): void;
  resume(): void;
  /** Bytes that were sent and not yet taken by the system. */
  readonly unread: number;
  readonly open: boolean;
}

export interface SocketEvents {
  /** `undefined`: it was no text. */
  message(text: string | undefined, bytes: number): void;
  /** Any sign of life. */
  alive(): void;
  closed(code: number, reason: string): void;
}

export interface Sockets {
  accept(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    opened: (socket: Socket) => SocketEvents,
  ): void;
}

/** Compression is off: it would let a small frame become a large one, and costs more than a local network does. */
export function openSockets(maxBytes: number): Sockets {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: maxBytes,
  });
  return {
    accept(request, socket, head, opened) {
      server.handleUpgrade(request, socket, head, (ws) => join(ws, opened));
    },
  };
}

function join(ws: WebSocket, opened: (socket: Socket) => SocketEvents): void {
  // Errors (an oversized frame, bytes that are no frame, a reset) are followed by `close`.
  ws.on('error', () => undefined);
  const events = opened({
    send: (text, sent) => ws.send(text, () => sent()),
    ping: () => ws.ping(undefined, undefined, () => undefined),
    close: (code, reason) => ws.close(code, shortened(reason)),
    terminate: () => ws.terminate(),
    pause: () => ws.pause(),
    resume: () => ws.resume(),
    get unread() {
      return ws.bufferedAmount;
    },
    get open() {
      return ws.readyState === ws.OPEN;
    },
  });
  ws.on('message', (data: Buffer, isBinary) => {
    events.alive();
    events.message(isBinary ? undefined : data.toString(), data.length);
  });
  ws.on('ping', () => events.alive());
  ws.on('pong', () => events.alive());
  ws.on('close', (code, reason) => events.closed(code, reason.toString()));
}

/**
 * A stream that nobody but a process of ours can write to, such as a pipe to a child. That it is closed says that the
 * process is gone: there is nothing to ask for a sign of life.
 */
export function streamSocket(
  stream: Duplex,
  maxBytes: number,
  opened: (socket: Socket) => SocketEvents,
): void {
  const frames = frameStream(
    stream,
    { maxBytes },
    {
      frame: (text, bytes) => events.message(text, bytes),
      closed: (reason) => events.closed(linkCloses.bye, reason),
    },
  );
  const events = opened({
    send: (text, sent) => frames.send(text, sent),
    ping: () => events.alive(),
    close: () => frames.end(),
    terminate: () => frames.destroy(),
    pause: () => frames.pause(),
    resume: () => frames.resume(),
    get unread() {
      return frames.unread;
    },
    get open() {
      return frames.open;
    },
  });
}

/** A reason has room for 123 bytes. */
function shortened(reason: string): string {
  return Buffer.from(reason)
    .subarray(0, 120)
    .toString()
    .replace(/\ufffd+$/, '');
}

/**
 * Turns a request away that is not to become a socket, and closes the connection: the server no longer watches it, so that
 * a client that keeps its end open would hold it for ever.
 */
export function turnAway(socket: Duplex, status: string, sentence: string): void {
  const body = `${JSON.stringify({ message: sentence })}\n`;
  socket.on('error', () => undefined);
  socket.once('finish', () => socket.destroy());
  // What was not read would make the close a reset, which may overtake the answer.
  socket.resume();
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `${status.startsWith('503') ? 'Retry-After: 1\r\n' : ''}Connection: close\r\n\r\n${body}`,
  );
}
