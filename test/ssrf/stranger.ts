import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a stranger was told at ports of this machine. */
export interface StrangerTold {
  /** Answers that want a pass. */
  refused: number;
  /** First lines of all others. */
  other: string[];
}

const pauseMs = 20;
const patienceMs = 2_000;
/** 127.0.0.1 as the kernel writes it, a port, and the state of a socket that listens. */
const listening = /: 0100007F:([\dA-F]{4}) 00000000:0000 0A /;

/**
 * Another program of the machine: it looks for ports on loopback that were opened after it began, and tries to load
 * something through them as through a proxy, in every way that a proxy has.
 */
export function startStranger(host: string): { stop(): Promise<StrangerTold> } {
  const told: StrangerTold = { refused: 0, other: [] };
  const known = new Set(openPorts());
  const over = new AbortController();
  const lines = [
    `GET http://${host}/stranger HTTP/1.1`,
    `CONNECT ${host}:80 HTTP/1.1`,
    `GET http://${host}/stranger HTTP/1.1\r\nProxy-Authorization: Basic ${btoa('webfarer:webfarer')}`,
    `GET http://${host}/stranger HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket`,
  ];
  async function keepTrying(): Promise<void> {
    for (let n = 0; !over.signal.aborted; n++) {
      for (const port of openPorts().filter((one) => !known.has(one))) {
        const [first = ''] = (await ask(port, lines[n % lines.length] ?? '', host)).split('\r\n', 1);
        if (first.startsWith('HTTP/1.1 407 ')) told.refused += 1;
        else if (first !== '') told.other.push(first);
      }
      await sleep(pauseMs);
    }
  }
  const trying = keepTrying();
  return {
    async stop() {
      over.abort();
      await trying;
      return told;
    },
  };
}

function openPorts(): number[] {
  return readFileSync('/proc/net/tcp', 'latin1')
    .split('\n')
    .flatMap((line) => listening.exec(line)?.[1] ?? [])
    .map((digits) => Number.parseInt(digits, 16));
}

/** What is said first; where a tunnel is opened, what is said inside of it too. */
async function ask(port: number, line: string, host: string): Promise<string> {
  return await new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let got = '';
    const done = (): void => {
      socket.destroy();
      resolve(got);
    };
    socket.setTimeout(patienceMs, done);
    socket.once('error', done).once('close', done);
    socket.on('data', (piece: Buffer) => {
      got += piece.toString('latin1');
      if (!/^HTTP\/1\.1 200 Connection established\r\n\r\n$/.test(got)) return done();
      socket.write(`GET /stranger HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    });
    socket.write(`${line}\r\nHost: ${host}\r\n\r\n`);
  });
}
