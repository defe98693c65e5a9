import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Certificates {
  key: Buffer;
  cert: Buffer;
  /** PEM file of the authority to trust. */
  caFile: string;
}

/** An authority of our own and a certificate for the given names and addresses, made with the openssl command. */
export async function makeCertificates(folder: string, names: string[]): Promise<Certificates> {
  const path = (name: string) => join(folder, name);
  const newKey = '-x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650'.split(' ');
  const [caKey, caFile] = [path('ca.key'), path('ca.pem')];
  await run('openssl', [
    'req',
    ...newKey,
    '-subj',
    '/CN=Fake Web Authority',
    '-keyout',
    caKey,
    '-out',
    caFile,
  ]);
  const config = path('server.cnf');
  await writeFile(config, configFor(names));
  const signed = ['-subj', '/CN=fake web', '-config', config, '-CA', caFile, '-CAkey', caKey];
  await run('openssl', [
    'req',
    ...newKey,
    ...signed,
    '-keyout',
    path('server.key'),
    '-out',
    path('server.pem'),
  ]);
  const [serverKey, cert] = await Promise.all([readFile(path('server.key')), readFile(path('server.pem'))]);
  return { key: serverKey, cert, caFile };
}

function configFor(names: string[]): string {
  const alternatives = names.map((name) => `${isIP(name) ? 'IP' : 'DNS'}:${name}`).join(',');
  const extensions = `basicConstraints=CA:FALSE\nsubjectAltName=${alternatives}\n`;
  return `[req]\ndistinguished_name=dn\nx509_extensions=ext\n[dn]\n[ext]\n${extensions}`;
}
