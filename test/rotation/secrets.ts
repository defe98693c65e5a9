import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { aclRules } from '../../packages/coordinator/src/redis/refusals/rights.ts';
import { makeCertificates, signCertificate } from '../fake-web/certificates.ts';
import type { RedisServers } from '../redis/servers.ts';

const user = 'crawler';
const names = ['127.0.0.1'];

/** The secrets of a network, where its processes find them, and the next ones. */
export interface Secrets {
  passwordFile: string;
  /** Of the coordinators, which follow it. */
  tokenFile: string;
  certFile: string;
  keyFile: string;
  /** What everybody trusts; it stays. */
  caFile: string;
  workerTokenFile(worker: number): string;
  /** SHA-256 of the certificate that the file holds. */
  fingerprint(): string;
  /** The store takes only a new password; the file has the old one. `keepsOld`: it takes the old one besides. */
  newPassword(how: { keepsOld: boolean }): Promise<void>;
  writePassword(): void;
  forgetOldPassword(): Promise<void>;
  /** Ends every connection that has signed in. Answers how many there were. */
  killConnections(): Promise<number>;
  newToken(): void;
  writeToken(file: string): void;
  readonly token: string;
  writeCertificate(): Promise<void>;
}

/** Makes a password that the servers accept, a worker token, and an authority with a first certificate. */
export async function makeSecrets(under: string, servers: RedisServers): Promise<Secrets> {
  const folder = join(under, 'secrets');
  mkdirSync(folder, { recursive: true });
  const path = (name: string) => join(folder, name);
  const [certFile, keyFile] = [path('port.pem'), path('port.key')];
  const { caFile } = await makeCertificates(folder, names);
  let certificates = 0;
  let [password, before, token] = [secret(), '', secret()];
  const setUser = async (...rules: string[]): Promise<void> => {
    for (const node of servers.nodes) await node.ask('ACL', 'SETUSER', user, ...rules);
  };
  const secrets: Secrets = {
    passwordFile: path('password'),
    tokenFile: path('worker.token'),
    certFile,
    keyFile,
    caFile,
    workerTokenFile: (worker) => path(`worker-${worker}.token`),
    fingerprint: () => new X509Certificate(readFileSync(certFile)).fingerprint256,
    async newPassword({ keepsOld }) {
      [before, password] = [password, secret()];
      await setUser(...(keepsOld ? [] : ['resetpass']), `>${password}`);
    },
    writePassword: () => writeSecret(path('password'), `${user}:${password}`),
    forgetOldPassword: () => setUser(`<${before}`),
    async killConnections() {
      const killed = await Promise.all(servers.nodes.map((node) => node.ask('CLIENT', 'KILL', 'USER', user)));
      return killed.reduce<number>((sum, count) => sum + Number(count), 0);
    },
    newToken() {
      token = secret();
    },
    writeToken: (file) => writeSecret(file, token),
    get token() {
      return token;
    },
    async writeCertificate() {
      const name = `port-${++certificates}`;
      await signCertificate(folder, names, name);
      copyFileSync(path(`${name}.key`), keyFile);
      copyFileSync(path(`${name}.pem`), certFile);
    },
  };
  await setUser('on', `>${password}`, ...aclRules());
  secrets.writePassword();
  secrets.writeToken(secrets.tokenFile);
  await secrets.writeCertificate();
  return secrets;
}

const secret = (): string => randomBytes(20).toString('hex');

function writeSecret(file: string, text: string): void {
  writeFileSync(file, `${text}\n`, { mode: 0o600 });
}
