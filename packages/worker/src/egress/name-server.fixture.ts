import { createSocket } from 'node:dgram';
import { closeAfterwards } from './servers.fixture.ts';

export interface NameServer {
  /** `127.0.0.1:12345` */
  address: string;
  /** Questions so far: `4 a.test`. */
  asked: string[];
  stop(): Promise<void>;
}

/** Addresses of a name (any family), 'nxdomain', 'servfail', or 'silence'. */
export type Zone = (name: string) => string[] | 'nxdomain' | 'servfail' | 'silence';

/** One that ends with the test. */
export async function nameServer(zone: Zone, ttlSeconds?: number): Promise<NameServer> {
  const server = await startNameServer(zone, ttlSeconds);
  closeAfterwards(() => server.stop());
  return server;
}

/** A name server on UDP that answers A and AAAA questions by a function. */
export async function startNameServer(zone: Zone, ttlSeconds = 60): Promise<NameServer> {
  const socket = createSocket('udp4');
  const asked: string[] = [];
  socket.on('message', (question, peer) => {
    const { name, end } = nameAt(question, 12);
    const family = question.readUInt16BE(end) === 28 ? 6 : 4;
    asked.push(`${family} ${name}`);
    const found = zone(name);
    if (found === 'silence') return;
    socket.send(answerTo(question.subarray(0, end + 4), found, family, ttlSeconds), peer.port, peer.address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  let open = true;
  const stop = async (): Promise<void> => {
    if (!open) return;
    open = false;
    await new Promise<void>((resolve) => socket.close(() => resolve()));
  };
  return { address: `127.0.0.1:${socket.address().port}`, asked, stop };
}

function nameAt(message: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = [];
  let at = start;
  for (let length = message[at] as number; length > 0; length = message[at] as number) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length).toLowerCase());
    at += 1 + length;
  }
  return { name: labels.join('.'), end: at + 1 };
}

function answerTo(
  question: Buffer,
  found: string[] | 'nxdomain' | 'servfail',
  family: 4 | 6,
  ttl: number,
): Buffer {
  const reply = Buffer.from(question);
  const records =
    typeof found === 'string' ? [] : found.filter((text) => text.includes(':') === (family === 6));
  reply.writeUInt16BE(0x8180 | (found === 'nxdomain' ? 3 : found === 'servfail' ? 2 : 0), 2);
  reply.writeUInt16BE(1, 4);
  reply.writeUInt16BE(records.length, 6);
  reply.writeUInt32BE(0, 8);
  return Buffer.concat([reply, ...records.map((text) => recordOf(text, family, ttl))]);
}

function recordOf(address: string, family: 4 | 6, ttl: number): Buffer {
  const bytes = family === 4 ? address.split('.').map(Number) : v6Bytes(address);
  const head = Buffer.from([0xc0, 12, 0, family === 4 ? 1 : 28, 0, 1, 0, 0, 0, 0, 0, bytes.length]);
  head.writeUInt32BE(ttl, 6);
  return Buffer.concat([head, Buffer.from(bytes)]);
}

function v6Bytes(address: string): number[] {
  const [head = '', tail] = address.split('::');
  const groups = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((g) => Number.parseInt(g, 16));
  const [left, right] = [groups(head), groups(tail ?? '')];
  const all = [...left, ...Array<number>(8 - left.length - right.length).fill(0), ...right];
  return all.flatMap((group) => [group >> 8, group & 255]);
}
