import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
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
    secured('expired', dated(folder, names('tls-expired'), ['20200101', '20210101'])),
    secured('not-yet-valid', dated(folder, names('tls-not-yet-valid'), ['20900101', '20910101'])),
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

/** Signed by nobody but itself, and valid between two dates (`YYYYMMDD`). */
function dated(folder: string, name: string, [from, to]: [string, string]): SecureContextOptions {
  const path = (end: string): string => join(folder, `${from}.${end}`);
  const run = (...args: string[]): unknown => execFileSync('openssl', args, { stdio: 'ignore' });
  const key = ['-newkey', 'rsa:2048', '-nodes', '-keyout', path('key')];
  run('req', '-new', ...key, '-subj', `/CN=${name}`, '-out', path('csr'));
  writeFileSync(path('index'), '');
  const authority = `database=${path('index')}\nnew_certs_dir=${folder}\nrand_serial=yes\ndefault_md=sha256\npolicy=p`;
  writeFileSync(path('cnf'), `[ca]\ndefault_ca=d\n[d]\n${authority}\n[p]\ncommonName=supplied\n`);
  const dates = ['-startdate', `${from}000000Z`, '-enddate', `${to}000000Z`];
  const files = ['-config', path('cnf'), '-keyfile', path('key'), '-in', path('csr'), '-out', path('pem')];
  run('ca', '-batch', '-selfsign', '-notext', ...dates, ...files);
  return { key: readFileSync(path('key')), cert: readFileSync(path('pem')) };
}
