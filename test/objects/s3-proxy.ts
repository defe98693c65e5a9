import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What happens to requests on their way to an S3 server, from now on. */
export type S3Trouble =
  | { kind: 'none' }
  /** Answered 500 or 503 without being passed on. */
  | { kind: 'errors'; share: number }
  /** Carried out, and the reply never comes: the connection is reset. */
  | { kind: 'lost-replies'; share: number }
  /** The reply ends in the middle. */
  | { kind: 'truncated'; share: number }
  /** Only half of the request arrives. */
  | { kind: 'cut-requests'; share: number }
  /** Nothing is passed on and nothing answered. */
  | { kind: 'silent' }
  /** Each request waits this long. */
  | { kind: 'slow'; ms: number };

export interface S3Proxy {
  endpoint: string;
  set(trouble: S3Trouble): void;
  /** Requests that were spoiled so far. */
  readonly spoiled: number;
  stop(): Promise<void>;
}

/** Between the product and a real S3 server. Passes everything on as it is, so signatures stay valid. */
export async function startS3Proxy(to: { port: number; random: () => number }): Promise<S3Proxy> {
  let trouble: S3Trouble = { kind: 'none' };
  let spoiled = 0;
  const server = createServer((asked, answer) => {
    void serve(asked, answer).catch(() => asked.socket.destroy());
  });

  /** Whether this request is one of those that are struck. */
  function strikes(kind: S3Trouble['kind']): boolean {
    if (trouble.kind !== kind) return false;
    if ('share' in trouble && to.random() >= trouble.share) return false;
    spoiled++;
    return true;
  }

  async function serve(asked: IncomingMessage, answer: ServerResponse): Promise<void> {
    if (strikes('silent')) return;
    if (strikes('errors')) {
      asked.resume();
      const status = to.random() < 0.5 ? 500 : 503;
      const code = status === 500 ? 'InternalError' : 'SlowDown';
      answer.writeHead(status, { 'content-type': 'application/xml' });
      return void answer.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`);
    }
    if (trouble.kind === 'slow') {
      spoiled++;
      const { ms } = trouble;
      await new Promise((done) => setTimeout(done, ms));
    }
    const body = await wholeOf(asked);
    const cut = body.length > 1 && strikes('cut-requests');
    const reply = await passOn(asked, cut ? body.subarray(0, body.length >> 1) : body);
    if (cut || !reply || strikes('lost-replies')) return void asked.socket.resetAndDestroy();
    answer.writeHead(reply.status, reply.headers);
    if (reply.body.length > 1 && strikes('truncated')) {
      answer.write(reply.body.subarray(0, reply.body.length >> 1), () => asked.socket.resetAndDestroy());
    } else answer.end(asked.method === 'HEAD' ? undefined : reply.body);
  }

  /** Undefined: the server did not take it. */
  async function passOn(asked: IncomingMessage, body: Buffer): Promise<Reply | undefined> {
    const { method, url, rawHeaders } = asked;
    const headers: Record<string, string> = {};
    for (let n = 0; n < rawHeaders.length; n += 2) headers[rawHeaders[n] ?? ''] = rawHeaders[n + 1] ?? '';
    const found = await new Promise<IncomingMessage | undefined>((done) => {
      const sent = request({ host: '127.0.0.1', port: to.port, method, path: url, headers }, done);
      sent.once('error', () => done(undefined));
      const stated = Number(headers['content-length'] ?? headers['Content-Length'] ?? body.length);
      if (body.length < stated) sent.write(body, () => sent.destroy());
      else sent.end(body);
    });
    const whole = found && (await wholeOf(found).catch(() => undefined));
    return found && whole && { status: found.statusCode ?? 500, headers: found.headers, body: whole };
  }

  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    set(next) {
      trouble = next;
    },
    get spoiled() {
      return spoiled;
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

interface Reply {
  status: number;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

async function wholeOf(message: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of message) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}
