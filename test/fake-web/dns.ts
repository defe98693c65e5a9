import { createSocket, type Socket as UdpSocket } from 'node:dgram';
import { createServer, type Server, type Socket } from 'node:net';

export interface DnsServer {
  start(port: number): Promise<void>;
  stop(): Promise<void>;
  /** Questions answered since the start of the process. */
  asked(): number;
}

/** What a name resolves to; undefined: it does not exist. */
export type Resolve = (name: string) => string | undefined;

const typeA = 1;
const typeAny = 255;
const ttlSeconds = 60;

/** A name server for the fake web: A records with a TTL, nothing for AAAA, NXDOMAIN for all other names. */
export function createDns(resolve: Resolve): DnsServer {
  let udp: UdpSocket | undefined;
  let tcp: Server | undefined;
  let count = 0;
  const sockets = new Set<Socket>();
  const reply = (question: Buffer): Buffer | undefined => {
    count++;
    return dnsReply(question, resolve);
  };
  return {
    asked: () => count,
    async start(port) {
      const datagrams = createSocket('udp4');
      udp = datagrams;
      datagrams.on('message', (message, peer) => {
        const found = reply(message);
        if (found !== undefined) datagrams.send(found, peer.port, peer.address);
      });
      await new Promise<void>((done, failed) => {
        datagrams.once('error', failed);
        datagrams.bind(port, '127.0.0.1', () => {
          datagrams.off('error', failed).on('error', () => {});
          done();
        });
      });
      tcp = createServer((socket) => serveTcp(socket, reply, sockets));
      await listen(tcp, port);
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      const [datagrams, streams] = [udp, tcp];
      [udp, tcp] = [undefined, undefined];
      if (datagrams) await new Promise<void>((done) => datagrams.close(() => done()));
      if (streams) await new Promise<void>((done) => streams.close(() => done()));
    },
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((done, failed) => {
    server.once('error', failed);
    server.listen(port, '127.0.0.1', () => done());
  });
}

/** Questions over TCP carry their length in two bytes. */
function serveTcp(
  socket: Socket,
  reply: (question: Buffer) => Buffer | undefined,
  sockets: Set<Socket>,
): void {
  let received: Buffer = Buffer.alloc(0);
  sockets.add(socket);
  socket.on('close', () => sockets.delete(socket));
  socket.on('error', () => socket.destroy());
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
      const end = 2 + received.readUInt16BE(0);
      const found = reply(received.subarray(2, end));
      received = received.subarray(end);
      if (found === undefined) continue;
      const length = Buffer.alloc(2);
      length.writeUInt16BE(found.length);
      socket.write(Buffer.concat([length, found]));
    }
  });
}

/** The answer to one question, or undefined when it is no question. */
export function dnsReply(message: Buffer, resolve: Resolve): Buffer | undefined {
  const question = parseQuestion(message);
  if (question === undefined) return undefined;
  const address = resolve(question.name);
  const wantsA = question.type === typeA || question.type === typeAny;
  const hasAnswer = address !== undefined && wantsA;
  const header = Buffer.alloc(12);
  message.copy(header, 0, 0, 2);
  // Response, authoritative, recursion available; recursion desired is copied from the question.
  header.writeUInt16BE(0x8480 | (message.readUInt16BE(2) & 0x0100) | (address === undefined ? 3 : 0), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(hasAnswer ? 1 : 0, 6);
  header.writeUInt16BE(hasAnswer ? 0 : 1, 8);
  return Buffer.concat([
    header,
    message.subarray(12, question.end),
    hasAnswer ? recordA(address) : recordSoa(),
  ]);
}

function parseQuestion(message: Buffer): { name: string; type: number; end: number } | undefined {
  if (message.length < 17 || (message.readUInt16BE(2) & 0x8000) !== 0 || message.readUInt16BE(4) !== 1) {
    return undefined;
  }
  const labels: string[] = [];
  let at = 12;
  for (;;) {
    const length = message[at];
    if (length === undefined || length > 63) return undefined;
    at++;
    if (length === 0) break;
    labels.push(message.toString('latin1', at, at + length).toLowerCase());
    at += length;
  }
  if (at + 4 > message.length) return undefined;
  return { name: labels.join('.'), type: message.readUInt16BE(at), end: at + 4 };
}

/** Names the question by a pointer to it. */
function recordStart(type: number, length: number): Buffer {
  const start = Buffer.alloc(12);
  start.writeUInt16BE(0xc00c, 0);
  start.writeUInt16BE(type, 2);
  start.writeUInt16BE(1, 4);
  start.writeUInt32BE(ttlSeconds, 6);
  start.writeUInt16BE(length, 10);
  return start;
}

function recordA(address: string): Buffer {
  return Buffer.concat([recordStart(typeA, 4), Buffer.from(address.split('.').map(Number))]);
}

/** Tells how long "no" may be remembered. */
function recordSoa(): Buffer {
  const data = Buffer.alloc(22);
  data.writeUInt32BE(1, 2);
  data.writeUInt32BE(ttlSeconds, 18);
  return Buffer.concat([recordStart(6, data.length), data]);
}
