import type { Socket } from 'node:net';
import { parseAddress } from './address.ts';
import { FetchFault } from './failures.ts';
import type { Target } from './target.ts';

/** A proxy by its URL: `socks5://user:secret@127.0.0.1:9050`, `http://proxy:3128`, `https://proxy:443`. */
export interface Proxy {
  kind: 'socks5' | 'http' | 'https';
  host: string;
  port: number;
  user?: string;
  password?: string;
}

const shape = /^(socks5h?|https?):\/\/(?:([^:@/]*)(?::([^@/]*))?@)?(\[[^\]]+\]|[^:/]+)(?::(\d{1,5}))?\/?$/i;

export function parseProxy(text: string): Proxy | undefined {
  const match = shape.exec(text);
  // A stray % in user or password could not be decoded below.
  if (!match || /%(?![0-9a-f]{2})/i.test(text)) return undefined;
  const [, scheme, user, password, host, port] = match as unknown as [
    string,
    string,
    string?,
    string?,
    string?,
    string?,
  ];
  const kind = scheme.toLowerCase().startsWith('socks5')
    ? 'socks5'
    : (scheme.toLowerCase() as 'http' | 'https');
  const standard = { socks5: 1080, http: 80, https: 443 }[kind];
  return {
    kind,
    host: (host as string).replace(/^\[|\]$/g, ''),
    port: port === undefined ? standard : Number(port),
    ...(user === undefined || user === '' ? {} : { user: decodeURIComponent(user) }),
    ...(password === undefined ? {} : { password: decodeURIComponent(password) }),
  };
}

export function proxyAuthorization(proxy: Proxy): string | undefined {
  if (proxy.user === undefined) return undefined;
  return `Basic ${Buffer.from(`${proxy.user}:${proxy.password ?? ''}`).toString('base64')}`;
}

/** Asks an HTTP proxy for a tunnel to the target. */
export async function openTunnel(socket: Socket, proxy: Proxy, target: Target): Promise<void> {
  const host = target.host.includes(':') ? `[${target.host}]` : target.host;
  const authorization = proxyAuthorization(proxy);
  socket.write(
    `CONNECT ${host}:${target.port} HTTP/1.1\r\nHost: ${host}:${target.port}\r\n` +
      `${authorization ? `Proxy-Authorization: ${authorization}\r\n` : ''}\r\n`,
  );
  const head = await readUntil(socket, headLength);
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(head.toString('latin1'))?.[1];
  if (status === undefined) throw new FetchFault('protocol-error', 'the proxy does not speak HTTP');
  if (!status.startsWith('2'))
    throw new FetchFault('proxy-failed', `the proxy answered ${status} to CONNECT`);
}

function headLength(data: Buffer): number | undefined {
  const end = data.indexOf('\r\n\r\n');
  if (end >= 0) return end + 4;
  if (data.length > 16_384) throw new FetchFault('headers-too-large', 'the proxy sends too many headers');
  return undefined;
}

const socksReplies = [
  'succeeded',
  'general failure',
  'not allowed',
  'network unreachable',
  'host unreachable',
  'connection refused',
  'TTL expired',
  'command not supported',
  'address type not supported',
];

/** SOCKS5 (RFC 1928, 1929). The name goes to the proxy unresolved, as onion services need it. */
export async function openSocks5(socket: Socket, proxy: Proxy, target: Target): Promise<void> {
  socket.write(Buffer.from(proxy.user === undefined ? [5, 1, 0] : [5, 2, 0, 2]));
  const choice = await readUntil(socket, (data) => (data.length >= 2 ? 2 : undefined));
  if (choice[0] !== 5) throw new FetchFault('protocol-error', 'the proxy does not speak SOCKS5');
  if (choice[1] === 2) await authenticate(socket, proxy);
  else if (choice[1] !== 0)
    throw new FetchFault('proxy-failed', 'the proxy accepts none of the offered authentication methods');
  const port = Buffer.alloc(2);
  port.writeUInt16BE(target.port);
  socket.write(Buffer.concat([Buffer.from([5, 1, 0]), socksAddress(target.host), port]));
  const reply = await readUntil(socket, socksReplyLength);
  const code = reply[1] as number;
  if (code !== 0)
    throw new FetchFault(
      code === 5 ? 'connect-refused' : 'unreachable',
      `proxy: ${socksReplies[code] ?? code}`,
    );
}

async function authenticate(socket: Socket, proxy: Proxy): Promise<void> {
  const user = Buffer.from(proxy.user ?? '').subarray(0, 255);
  const password = Buffer.from(proxy.password ?? '').subarray(0, 255);
  socket.write(
    Buffer.concat([Buffer.from([1, user.length]), user, Buffer.from([password.length]), password]),
  );
  const answer = await readUntil(socket, (data) => (data.length >= 2 ? 2 : undefined));
  if (answer[1] !== 0) throw new FetchFault('proxy-failed', 'the proxy refused the login');
}

function socksAddress(host: string): Buffer {
  const literal = parseAddress(host);
  if (!literal) {
    const name = Buffer.from(host, 'latin1').subarray(0, 255);
    return Buffer.concat([Buffer.from([3, name.length]), name]);
  }
  const size = literal.family === 4 ? 4 : 16;
  const bytes = Buffer.from(literal.value.toString(16).padStart(size * 2, '0'), 'hex');
  return Buffer.concat([Buffer.from([literal.family === 4 ? 1 : 4]), bytes]);
}

function socksReplyLength(data: Buffer): number | undefined {
  if (data.length < 5) return undefined;
  const sizes: Record<number, number> = { 1: 4, 3: (data[4] as number) + 1, 4: 16 };
  const length = 6 + (sizes[data[3] as number] ?? 4);
  return data.length >= length ? length : undefined;
}

/** Reads until `complete` names a length; what came after it goes back into the socket. */
function readUntil(socket: Socket, complete: (data: Buffer) => number | undefined): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let data: Buffer = Buffer.alloc(0);
    const settle = (act: () => void): void => {
      socket.off('data', onData).off('error', onError).off('close', onClose);
      socket.pause();
      act();
    };
    const onError = (error: Error): void => settle(() => reject(error));
    const onClose = (): void =>
      settle(() => reject(new FetchFault('connection-reset', 'the proxy closed the connection')));
    const onData = (chunk: Buffer): void => {
      data = Buffer.concat([data, chunk]);
      try {
        const length = complete(data);
        if (length === undefined) return;
        settle(() => {
          if (data.length > length) socket.unshift(data.subarray(length));
          resolve(data.subarray(0, length));
        });
      } catch (error) {
        settle(() => reject(error as Error));
      }
    };
    socket.on('data', onData).on('error', onError).on('close', onClose);
    socket.resume();
  });
}
