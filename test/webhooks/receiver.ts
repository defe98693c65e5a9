import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A message as it arrived, and what it was answered with; undefined: the sender was gone before. */
export interface Got {
  id: string;
  timestamp: string;
  signature: string;
  body: string;
  type: string;
  crawl: string;
  answered: number | undefined;
}

export interface Receiver {
  url: string;
  origin: string;
  got: Got[];
  stop(): Promise<void>;
}

/** Answers with a status, or keeps the sender waiting until it is gone. */
export type Answering = (message: Got, attempt: number) => number | 'hold';

/** A program of an operator. */
export async function startReceiver(host: string, answer: Answering): Promise<Receiver> {
  const got: Got[] = [];
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const body = Buffer.concat(pieces).toString();
    const { type, data } = JSON.parse(body) as { type: string; data: { crawl?: { name: string } } };
    const header = (name: string) => String(request.headers[name]);
    const message: Got = {
      id: header('webhook-id'),
      timestamp: header('webhook-timestamp'),
      signature: header('webhook-signature'),
      body,
      type,
      crawl: data.crawl?.name ?? '',
      answered: undefined,
    };
    got.push(message);
    const status = answer(message, got.filter(({ id }) => id === message.id).length);
    if (status === 'hold') return;
    message.answered = status;
    response.writeHead(status).end();
  }
  // A sender that is killed leaves half a request.
  const server = createServer((request, response) => void take(request, response).catch(() => undefined));
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const origin = `http://${host}:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    url: `${origin}/hook`,
    got,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Standard Webhooks, by another implementation than the one that signs. */
export async function isSigned(
  { id, timestamp, body, signature }: Pick<Got, 'id' | 'timestamp' | 'body' | 'signature'>,
  secret: string,
): Promise<boolean> {
  const raw = Uint8Array.from(atob(secret.slice('whsec_'.length)), (char) => char.charCodeAt(0));
  const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify']);
  const mac = Uint8Array.from(atob(signature.replace(/^v1,/, '')), (char) => char.charCodeAt(0));
  return await crypto.subtle.verify('HMAC', key, mac, new TextEncoder().encode(`${id}.${timestamp}.${body}`));
}
