import { Agent, request } from 'node:http';

/** A request as it goes over the wire; nothing is added but Host, and the length of the body. */
export interface WireRequest {
  method: string;
  /** With its query, as it is written. */
  path: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** The length of the body is not told before. */
  chunked?: boolean;
  /**
   * On a connection of its own, and once more where that ends without an answer: a server that does not read all that is
   * sent cannot be sure that its answer arrives.
   */
  alone?: boolean;
}

export interface WireAnswer {
  /** 0: the connection ended without an answer. */
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

const patienceMs = 60_000;
const mostTries = 5;

export interface Sender {
  send(wire: WireRequest): Promise<WireAnswer>;
  close(): void;
}

/** Sends many requests over a few connections. */
export function openSender(url: string): Sender {
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  return {
    async send(wire) {
      // One that was kept may be closed at this very moment.
      const kept = wire.alone ? undefined : await sendWith(agent, url, wire);
      if (kept && kept.status > 0) return kept;
      for (let tries = 1; ; tries++) {
        const answer = await sendWith(false, url, wire);
        if (answer.status > 0 || tries === mostTries) return answer;
      }
    },
    close: () => agent.destroy(),
  };
}

function sendWith(agent: Agent | false, url: string, wire: WireRequest): Promise<WireAnswer> {
  const { method, path, headers = {}, body, chunked = false } = wire;
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    const length = body === undefined || chunked ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const framing = chunked ? { 'transfer-encoding': 'chunked' } : length;
    const asked = request({ agent, hostname, port, method, path, headers: { ...headers, ...framing } });
    const failed = () => resolve({ status: 0, headers: {}, text: '' });
    asked.setTimeout(patienceMs, () => asked.destroy());
    asked.once('error', failed);
    asked.once('response', (answer) => {
      const pieces: Buffer[] = [];
      answer.on('data', (piece: Buffer) => pieces.push(piece));
      const done = () =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          text: Buffer.concat(pieces).toString(),
        });
      answer.once('end', done).once('error', done);
    });
    asked.end(body);
  });
}

/** Works on all of them, so many at a time, in their order. */
export async function inTurn<T>(all: readonly T[], atOnce: number, work: (one: T) => Promise<void>) {
  const rest = all.values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const one of rest) await work(one);
    }),
  );
}
