import { createSocket } from 'node:dgram';
import { isIPv4 } from 'node:net';
import { numberOf } from './numbers.ts';

/** Addresses of both families, and perhaps another name in between. */
export interface Zone {
  addresses: string[];
  alias?: string;
}

export interface NameServer {
  asked(): number;
  stop(): Promise<void>;
}

const types = { a: 1, cname: 5, aaaa: 28 };

/** A name server that decides every answer anew; nothing it says may be kept (lifetime 0). */
export async function startNames(
  resolve: (name: string, six: boolean) => Zone | undefined,
): Promise<NameServer> {
  const socket = createSocket('udp4');
  let asked = 0;
  socket.on('message', (question, peer) => {
    asked++;
    const { name, end } = nameAt(question, 12);
    const six = question.readUInt16BE(end) === types.aaaa;
    const reply = replyTo(question.subarray(0, end + 4), resolve(name, six), six);
    socket.send(reply, peer.port, peer.address);
  });
  await new Promise<void>((done, failed) => {
    socket.once('error', failed);
    socket.bind(53, '127.0.0.1', () => done());
  });
  return {
    asked: () => asked,
    stop: () => new Promise((done) => socket.close(() => done())),
  };
}

function nameAt(message: Buffer, start: number): { name: string; end: number } {
  const labels: string[] = [];
  let at = start;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length).toLowerCase());
    at += 1 + length;
  }
  return { name: labels.join('.'), end: at + 1 };
}

function replyTo(question: Buffer, zone: Zone | undefined, six: boolean): Buffer {
  const head = Buffer.from(question);
  const fitting = (zone?.addresses ?? []).filter((address) => isIPv4(address) !== six);
  const alias = zone?.alias;
  head.writeUInt16BE(0x8180 | (zone === undefined ? 3 : 0), 2);
  head.writeUInt16BE(fitting.length + (alias === undefined ? 0 : 1), 6);
  head.writeUInt32BE(0, 8);
  const asked = Buffer.from([0xc0, 12]);
  const owner = alias === undefined ? asked : nameBytes(alias);
  return Buffer.concat([
    head,
    ...(alias === undefined ? [] : [record(asked, types.cname, nameBytes(alias))]),
    ...fitting.map((address) => record(owner, six ? types.aaaa : types.a, addressBytes(address))),
  ]);
}

function record(owner: Buffer, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([owner, fixed, data]);
}

function nameBytes(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)]));
  return Buffer.concat([...labels, Buffer.from([0])]);
}

function addressBytes(address: string): Buffer {
  const { family, value } = numberOf(address);
  return Buffer.from(value.toString(16).padStart(family === 4 ? 8 : 32, '0'), 'hex');
}
