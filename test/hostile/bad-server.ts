import type { Socket } from 'node:net';

/** A server that means harm, and how a crawl must end with it. */
export interface BadServer {
  name: string;
  /** Reasons that are right for its first page. */
  expects: readonly string[];
  /** Path of the page that is asked for. */
  path?: string;
  /** The attack is on robots.txt: no page may be asked for unless `pagesAllowed`. */
  onRobots?: boolean;
  pagesAllowed?: boolean;
  /** Paths that must not be asked for. */
  forbidden?: RegExp;
  /** What its robots.txt says when it is not the attack; 404 by default. */
  robots?: string;
  secure?: boolean;
  /** Makes what is costly to make, so that no other server waits for it later. */
  prepare?: () => unknown;
  /** Called for every connection before a byte is read; true when nothing else shall happen. */
  greet?: (socket: Socket) => boolean;
  /** Called for every request that the attack is meant for. */
  answer: (socket: Socket, path: string, host: string) => void;
}

const phrases: Record<number, string> = { 200: 'OK', 302: 'Found', 404: 'Not Found' };

/** A whole, valid answer; headers may be anything. */
export function reply(
  socket: Socket,
  body: string | Buffer,
  more: { status?: number; headers?: string[]; type?: string } = {},
): void {
  const { status = 200, headers = [], type = 'text/html' } = more;
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(body);
  const lines = [
    `HTTP/1.1 ${status} ${phrases[status] ?? 'Status'}`,
    `Content-Type: ${type}`,
    ...headers,
    `Content-Length: ${bytes.length}`,
  ];
  socket.write(`${lines.join('\r\n')}\r\n\r\n`, 'latin1');
  socket.write(bytes);
}

/** Writes without end, as fast as the other side reads. */
export function flood(socket: Socket, head: string, piece: string | Buffer): void {
  const bytes = Buffer.isBuffer(piece) ? piece : Buffer.from(piece, 'latin1');
  const many =
    bytes.length > 4_096 ? bytes : Buffer.concat(Array<Buffer>(Math.ceil(8_192 / bytes.length)).fill(bytes));
  const go = (): void => {
    // A little at a time, so that one attack does not starve the others in this process.
    for (let n = 0; n < 8 && socket.writable; n++) if (!socket.write(many)) return;
    if (socket.writable) setImmediate(go);
  };
  socket.on('drain', go);
  if (head !== '') socket.write(head, 'latin1');
  go();
}

/** Sends a little now and then, for ever. */
export function drip(socket: Socket, head: string, piece: string, everyMs = 100): void {
  if (head !== '') socket.write(head, 'latin1');
  const timer = setInterval(() => {
    if (socket.writable) socket.write(piece, 'latin1');
    else clearInterval(timer);
  }, everyMs);
  socket.on('close', () => clearInterval(timer));
}

export const headOf = (...lines: string[]): string => `${['HTTP/1.1 200 OK', ...lines].join('\r\n')}\r\n\r\n`;
export const htmlHead = (...lines: string[]): string => headOf('Content-Type: text/html', ...lines);

/** Made when first asked for, then kept. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
