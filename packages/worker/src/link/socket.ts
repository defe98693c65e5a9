import { WebSocket } from 'ws';

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
  status?: number;
}

export interface DialOptions {
  url: string;
  token: string;
  maxBytes: number;
  patienceMs: number;
}

export function dial({ url, token, maxBytes, patienceMs }: DialOptions, events: SocketEvents): Socket {
  const ws = new WebSocket(url, {
    headers: { authorization: `Bearer ${token}` },
    perMessageDeflate: false,
    maxPayload: maxBytes,
    handshakeTimeout: patienceMs,
    followRedirects: false,
  });
  let cause = '';
  let status: number | undefined;
  ws.on('unexpected-response', (request, response) => {
    status = response.statusCode ?? 0;
    cause = `answered ${status}`;
    response.resume();
    request.destroy();
    ws.terminate();
  });
  ws.on('error', (error) => {
    cause ||= error.message;
  });
  ws.on('open', () => events.opened());
  ws.on('message', (data: Buffer, isBinary) => {
    events.alive();
    if (!isBinary) events.message(data.toString());
  });
  ws.on('ping', () => events.alive());
  ws.on('close', (code, reason) => {
    const said = reason.toString();
    events.closed({ code, reason: said || cause || `closed (${code})`, ...(status ? { status } : {}) });
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
