import { connect, type Socket } from 'node:net';
import { tcpServer } from './servers.fixture.ts';

export interface TestProxy {
  /** With user and password. */
  url: string;
  port: number;
  /** Targets asked for: `host:port`. */
  asked: string[];
  heads: string[];
}

function join(a: Socket, b: Socket): void {
  a.pipe(b).pipe(a);
  a.on('error', () => b.destroy()).on('close', () => b.destroy());
  b.on('error', () => a.destroy()).on('close', () => a.destroy());
}

/** An HTTP proxy that leads every target to one port of this machine; plain requests it answers itself. */
export async function proxyServer(leadsTo: number, host = '127.0.0.1'): Promise<TestProxy> {
  const asked: string[] = [];
  const heads: string[] = [];
  const { port } = await tcpServer((socket) => {
    let data = '';
    const onData = (chunk: Buffer): void => {
      data += chunk.toString('latin1');
      if (!data.includes('\r\n\r\n')) return;
      heads.push(data);
      const [, method, target] = /^(\w+) (\S+)/.exec(data) ?? [];
      asked.push(target ?? '');
      data = '';
      if (!/^proxy-authorization: Basic dTpwQHc=\r$/im.test(heads.at(-1) ?? '')) {
        socket.end('HTTP/1.1 407 Who are you\r\nContent-Length: 0\r\n\r\n');
      } else if (method === 'CONNECT') {
        socket.off('data', onData);
        const onward = connect(leadsTo, '127.0.0.1', () => {
          socket.write('HTTP/1.1 200 Connected\r\nX-Proxy: yes\r\n\r\n');
          join(socket, onward);
        });
      } else socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${target?.length}\r\n\r\n${target}`);
    };
    socket.on('data', onData);
  }, host);
  return { url: `http://u:p%40w@127.0.0.1:${port}`, port, asked, heads };
}

/** A SOCKS5 proxy with a login that leads every target to one port of this machine. */
export async function socksServer(leadsTo: number): Promise<TestProxy> {
  const asked: string[] = [];
  const { port } = await tcpServer((socket) => {
    let step = 0;
    const onData = (data: Buffer): void => {
      step += 1;
      if (step === 1) socket.write(Buffer.from([5, data.includes(2, 2) ? 2 : 255]));
      else if (step === 2)
        socket.write(Buffer.from([1, data.equals(Buffer.from('\x01\x01u\x03p@w', 'latin1')) ? 0 : 1]));
      else {
        const length = data[4] as number;
        const host =
          data[3] === 3 ? data.toString('latin1', 5, 5 + length) : [...data.subarray(4, 8)].join('.');
        const port = data.readUInt16BE(data.length - 2);
        asked.push(`${host}:${port}`);
        socket.off('data', onData);
        if (host === 'refused.test') return void socket.write(Buffer.from([5, 5, 0, 1, 0, 0, 0, 0, 0, 0]));
        const onward = connect(leadsTo, '127.0.0.1', () => {
          socket.write(Buffer.from([5, 0, 0, 1, 127, 0, 0, 1, 0, 80]));
          join(socket, onward);
        });
      }
    };
    socket.on('data', onData);
  });
  return { url: `socks5://u:p%40w@127.0.0.1:${port}`, port, asked, heads: [] };
}
