import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const newKey = '-x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650'.split(' ');

export interface Certificates {
  key: Buffer;
  cert: Buffer;
  /** PEM file of the authority to trust. */
  caFile: string;
}

/** An authority of our own and a certificate for the given names and addresses, made with the openssl command. */
export async function makeCertificates(folder: string, names: string[]): Promise<Certificates> {
  const path = (name: string) => join(folder, name);
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
  return { ...(await signCertificate(folder, names, 'server')), caFile };
}

/** Another certificate of the authority that the function above made in the folder: `NAME.pem` and `NAME.key`. */
export async function signCertificate(
  folder: string,
  names: string[],
  name: string,
): Promise<Pick<Certificates, 'key' | 'cert'>> {
  const path = (file: string) => join(folder, file);
  const config = path(`${name}.cnf`);
  await writeFile(config, configFor(names));
  const [keyFile, certFile] = [path(`${name}.key`), path(`${name}.pem`)];
  const signed = [
    '-subj',
    '/CN=fake web',
    '-config',
    config,
    '-CA',
    path('ca.pem'),
    '-CAkey',
    path('ca.key'),
  ];
  await run('openssl', ['req', ...newKey, ...signed, '-keyout', keyFile, '-out', certFile]);
  const [key, cert] = await Promise.all([readFile(keyFile), readFile(certFile)]);
  return { key, cert };
}

function configFor(names: string[]): string {
  const alternatives = names.map((name) => `${isIP(name) ? 'IP' : 'DNS'}:${name}`).join(',');
  const extensions = `basicConstraints=CA:FALSE\nsubjectAltName=${alternatives}\n`;
  return `[req]\ndistinguished_name=dn\nx509_extensions=ext\n[dn]\n[ext]\n${extensions}`;
}
