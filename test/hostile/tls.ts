import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createServer, type SecureContextOptions, type Server } from 'node:tls';
import { makeCertificates } from '../fake-web/certificates.ts';
import { type BadServer, drip, flood } from './bad-server.ts';

const refused = ['host-dead'];

const plain = (name: string, greet: NonNullable<BadServer['greet']>): BadServer => ({
  name: `tls-${name}`,
  secure: true,
  onRobots: true,
  expects: refused,
  greet,
  answer: () => {},
});
const always = (act: (socket: Parameters<NonNullable<BadServer['greet']>>[0]) => unknown) => {
  return (socket: Parameters<NonNullable<BadServer['greet']>>[0]): boolean => {
    act(socket);
    return true;
  };
};

/** Servers that are no partner for a secure connection, and certificates nobody should accept. */
export async function tlsServers(folder: string, names: (server: string) => string): Promise<BadServer[]> {
  const { key, cert } = await makeCertificates(folder, [names('tls-untrusted')]);
  const expired = outOfDate(folder, names('tls-expired'));
  const good: SecureContextOptions = { key, cert };
  const chain = Buffer.concat(Array<Buffer>(400).fill(cert));
  return [
    plain('silent', () => true),
    plain(
      'drips',
      always((socket) => drip(socket, '\x16\x03\x03', '\x01')),
    ),
    plain(
      'plain-http',
      always((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')),
    ),
    plain(
      'noise',
      always((socket) => flood(socket, '', '\x16\x03\x01\x40\x00noise')),
    ),
    plain(
      'alert',
      always((socket) => socket.end(Buffer.from([0x15, 3, 3, 0, 2, 2, 40]))),
    ),
    plain(
      'closes',
      always((socket) => socket.end()),
    ),
    plain(
      'resets',
      always((socket) => socket.resetAndDestroy()),
    ),
    secured('untrusted', good),
    secured('wrong-name', good),
    secured('expired', expired),
    secured('long-chain', { key, cert: chain }),
    secured('old', { ...good, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' }),
  ];
}

function secured(name: string, options: SecureContextOptions): BadServer {
  const server: Server = createServer(options, (socket) =>
    socket.on('error', () => {}).end('HTTP/1.1 200 OK\r\n\r\n'),
  );
  server.on('tlsClientError', () => {});
  return plain(name, (socket) => server.emit('connection', socket) || true);
}

/** Signed by nobody and valid until yesterday. */
function outOfDate(folder: string, name: string): SecureContextOptions {
  const [keyFile, certFile] = [join(folder, 'old.key'), join(folder, 'old.pem')];
  const request = join(folder, 'old.csr');
  const run = (...args: string[]): unknown => execFileSync('openssl', args, { stdio: 'ignore' });
  run(
    'req',
    '-new',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-subj',
    `/CN=${name}`,
    '-keyout',
    keyFile,
    '-out',
    request,
  );
  run('x509', '-req', '-in', request, '-signkey', keyFile, '-days', '-1', '-out', certFile);
  return { key: readFileSync(keyFile), cert: readFileSync(certFile) };
}
