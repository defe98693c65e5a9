import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { type FaultProxy, startFaultProxy } from '../faults/proxy.ts';
import { type NetworkProcess, networkProcess, type Program } from '../network/process.ts';
import { freePorts } from '../redis/server-process.ts';
import type { Secrets } from './secrets.ts';

export interface Answer {
  /** 0: there was none. */
  status: number;
  body: Record<string, unknown>;
}

/** A coordinator that speaks https, signs in at its store by a file, and follows the file of its workers' token. */
export interface SecuredCoordinator {
  process: NetworkProcess;
  /** On a connection of its own. */
  ask(path: string, token?: string): Promise<Answer>;
  operatorToken(): string;
  /** SHA-256 of the certificate that a new connection is shown; empty where there is no connection. */
  certificate(): Promise<string>;
  events(): { type: string; text?: string; message?: string }[];
}

export interface SecuredNetwork {
  coordinators: SecuredCoordinator[];
  workers: NetworkProcess[];
  /** Resets every connection between workers and coordinators. Answers how many there were. */
  cutLinks(): number;
  stop(): Promise<void>;
}

export interface SecuredOptions {
  under: string;
  job: string;
  secrets: Secrets;
  /** Without the password. */
  store: string;
  workers: number;
  command?: Program | undefined;
}

const listening = /^Listening on /m;

/** Two coordinators on one store, and workers that reach them through proxies which can cut their connections. */
export async function startSecuredNetwork(options: SecuredOptions): Promise<SecuredNetwork> {
  const ports = await freePorts('127.0.0.1', 2);
  const proxies = await Promise.all(
    ports.map((port) => startFaultProxy({ to: { host: '127.0.0.1', port } })),
  );
  const coordinators = ports.map((port, n) => coordinatorOf(options, n + 1, port, proxies[n] as FaultProxy));
  const urls = proxies.map(({ address }) => `https://${address}`);
  const workers = Array.from({ length: options.workers }, (_, n) => workerOf(options, n + 1, urls));
  const all = [...coordinators.map(({ process }) => process), ...workers];
  const stop = async (): Promise<void> => {
    await Promise.all(all.map((one) => one.kill()));
    await Promise.all(proxies.map((proxy) => proxy.stop()));
  };
  try {
    for (const { process } of coordinators) await process.start();
    await Promise.all(workers.map((worker) => worker.start()));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    coordinators,
    workers,
    cutLinks() {
      const links = proxies.reduce((sum, { connections }) => sum + connections, 0);
      for (const proxy of proxies) proxy.drop('reset');
      return links;
    },
    stop,
  };
}

function coordinatorOf(
  { under, job, secrets, store, command }: SecuredOptions,
  number: number,
  port: number,
  proxy: FaultProxy,
): SecuredCoordinator {
  const folder = join(under, `coordinator-${number}`);
  const process = networkProcess({
    name: `coordinator-${number}`,
    folder,
    command,
    words: () => [
      'coordinator',
      job,
      '--data',
      folder,
      '--until-done',
      '--listen',
      `127.0.0.1:${port}`,
      '--advertise',
      `https://${proxy.address}`,
      '--store',
      store,
      '--store-password-file',
      secrets.passwordFile,
      '--worker-token-file',
      secrets.tokenFile,
      '--tls-cert',
      secrets.certFile,
      '--tls-key',
      secrets.keyFile,
    ],
    atWork: (printed) => listening.test(printed),
  });
  const ca = readFileSync(secrets.caFile);
  return {
    process,
    ask: (path, token) => askAt({ port, ca }, path, token),
    operatorToken: () => readFileSync(join(folder, 'operator.token'), 'utf8').trim(),
    certificate: () =>
      new Promise((done) => {
        const socket = connect({ host: '127.0.0.1', port, ca }, () => {
          done(socket.getPeerX509Certificate()?.fingerprint256 ?? '');
          socket.destroy();
        });
        socket.once('error', () => done(''));
      }),
    events: () =>
      readFileSync(join(folder, 'events.jsonl'), 'utf8')
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as { type: string; text?: string }),
  };
}

function workerOf(
  { under, secrets, command }: SecuredOptions,
  number: number,
  urls: readonly string[],
): NetworkProcess {
  const folder = join(under, `worker-${number}`);
  const tokenFile = secrets.workerTokenFile(number);
  secrets.writeToken(tokenFile);
  return networkProcess({
    name: `worker-${number}`,
    folder,
    command,
    env: { NODE_EXTRA_CA_CERTS: secrets.caFile },
    words: () => [
      'worker',
      ...urls,
      '--token-file',
      tokenFile,
      '--out',
      folder,
      '--allow-private',
      '127.0.0.0/8',
      '--allow-modules',
      '--connections',
      '12',
    ],
    atWork: (printed) => printed.includes('connected to'),
  });
}

/** Longer than a coordinator lets a question wait for its store. */
const ANSWER_MS = 20_000;

function askAt({ port, ca }: { port: number; ca: Buffer }, path: string, token?: string): Promise<Answer> {
  const none: Answer = { status: 0, body: {} };
  return new Promise((done) => {
    const asked = request(
      {
        host: '127.0.0.1',
        port,
        path,
        ca,
        agent: false,
        timeout: ANSWER_MS,
        headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      },
      (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => {
          text += chunk.toString();
        });
        response.on('close', () =>
          done({ status: response.statusCode ?? 0, body: JSON.parse(text || '{}') as Answer['body'] }),
        );
      },
    );
    asked.on('timeout', () => asked.destroy());
    asked.on('error', () => done(none));
    asked.end();
  });
}
