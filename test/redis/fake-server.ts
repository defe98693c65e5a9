import { createServer, type Socket } from 'node:net';
import type { Command } from '../../packages/coordinator/src/redis/wire/resp.ts';

/** What a server of our own making says, for what a real one never does. */
export interface FakeAnswers {
  /** Sections of INFO. */
  server?: string;
  replication?: string;
  /** Answers anything else, as it is written on the wire; undefined: an unknown command. */
  other?(command: Command): string | undefined;
}

export interface FakeServer {
  port: number;
  stop(): void;
}

export async function fakeServer({
  server = '',
  replication = 'role:master\r\n',
  other,
}: FakeAnswers): Promise<FakeServer> {
  const sections: Record<string, string> = { server, replication, cluster: 'cluster_enabled:0\r\n' };
  const answer = (command: string[]): string => {
    const [name = '', first = ''] = command;
    if (name.toUpperCase() === 'INFO') return bulk(sections[first.toLowerCase()] ?? '');
    return other?.(command) ?? `-ERR unknown command '${name}'\r\n`;
  };
  const sockets = new Set<Socket>();
  const listener = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    // A pipeline arrives in one piece here: it is short and comes over the loopback.
    socket.on('data', (chunk) => socket.write(commandsIn(chunk.toString()).map(answer).join('')));
  });
  await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done));
  return {
    port: (listener.address() as { port: number }).port,
    stop() {
      listener.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}

export const bulk = (text: string): string => `$${Buffer.byteLength(text)}\r\n${text}\r\n`;
export const list = (parts: readonly string[]): string => `*${parts.length}\r\n${parts.join('')}`;

function commandsIn(text: string): string[][] {
  const words = text.split('\r\n');
  const commands: string[][] = [];
  for (let at = 0; words[at]?.startsWith('*'); ) {
    const count = Number(words[at]?.slice(1));
    commands.push(Array.from({ length: count }, (_, n) => words[at + 2 + n * 2] ?? ''));
    at += 1 + count * 2;
  }
  return commands;
}
