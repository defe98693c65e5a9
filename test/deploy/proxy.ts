import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { read } from './files.ts';

export interface Certificates {
  ca: string;
  cert: string;
  key: string;
}

/** A certificate for the host that signs itself; files that every user can read. */
export function makeCertificates(folder: string, host: string): Certificates {
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const subject = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`];
  execFileSync(
    'openssl',
    ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject, '-out', cert, '-keyout', key],
    { stdio: 'ignore' },
  );
  return { ca: cert, cert, key };
}

/** The example as it stands, with these certificates, in a configuration that writes into the folder only. */
export function nginxConfig(folder: string, { cert, key }: Certificates): string {
  const example = read('deploy/nginx/webfarer.conf')
    .replace(/ssl_certificate \S+;/, `ssl_certificate ${cert};`)
    .replace(/ssl_certificate_key \S+;/, `ssl_certificate_key ${key};`);
  const own = join(folder, 'nginx');
  mkdirSync(own, { recursive: true });
  const path = join(own, 'nginx.conf');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `  ${name}_temp_path ${own}/${name};`,
  );
  writeFileSync(
    path,
    [
      `pid ${own}/pid;`,
      'error_log stderr warn;',
      'worker_processes 1;',
      'events {}',
      'http {',
      '  access_log off;',
      ...temporary,
      example,
      '}',
      '',
    ].join('\n'),
  );
  return path;
}

export function startNginx(folder: string, certificates: Certificates): ChildProcess {
  const config = nginxConfig(folder, certificates);
  const words = ['-c', config, '-p', folder, '-g', 'daemon off; user root;'];
  return spawn('nginx', words, { stdio: ['ignore', 'inherit', 'inherit'] });
}
