import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type NetworkProcess, networkProcess } from '../network/process.ts';
import { until } from '../prove/lab.ts';

const listening = /^Listening on (http:\/\/(\S+))$/m;
const metricsAt = /metrics: {2}http:\/\/(\S+)\/metrics/;

/** A coordinator that Prometheus watches. */
export interface WatchedCoordinator {
  process: NetworkProcess;
  /** `127.0.0.1:7311` */
  target(): string;
  /** Of the scope `metrics`. */
  tokenFile: string;
  ask(method: string, path: string, body?: unknown): Promise<unknown>;
  metrics(): Promise<string>;
}

export async function startCoordinator(
  under: string,
  name: string,
  more: readonly string[] = [],
): Promise<WatchedCoordinator> {
  const folder = join(under, name);
  const process = networkProcess({
    name,
    folder,
    words: () => ['coordinator', '--data', folder, '--listen', '127.0.0.1:0', ...more],
    atWork: (printed) => listening.test(printed),
  });
  await process.start();
  const [, url = '', target = ''] = listening.exec(process.output()) ?? [];
  const admin = readFileSync(join(folder, 'operator.token'), 'utf8').trim();
  async function ask(method: string, path: string, body?: unknown): Promise<unknown> {
    const answer = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${admin}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
    return answer.status === 204 ? undefined : await answer.json();
  }
  const { token } = (await ask('POST', '/v1/tokens', { scope: 'metrics' })) as { token: string };
  const tokenFile = join(under, `${name}.metrics.token`);
  await writeFile(tokenFile, token);
  return {
    process,
    tokenFile,
    target: () => target,
    ask,
    metrics: async () =>
      await (await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } })).text(),
  };
}

export interface WatchedWorker {
  process: NetworkProcess;
  target(): string;
  metrics(): Promise<string>;
  /** Ends it and starts it again at the same address, with these options as well. */
  restartWith(more: readonly string[]): Promise<void>;
}

export async function startWorker(
  under: string,
  name: string,
  coordinator: WatchedCoordinator,
): Promise<WatchedWorker> {
  const folder = join(under, name);
  const tokenFile = join(coordinator.process.folder, 'worker.token');
  const url = `http://${coordinator.target()}`;
  let options = ['--metrics', '127.0.0.1:0'];
  const process = networkProcess({
    name,
    folder,
    words: () => ['worker', url, '--token-file', tokenFile, '--out', folder, ...options],
    atWork: (printed) => metricsAt.test(printed) && printed.includes('connected to'),
  });
  await process.start();
  const target = () => metricsAt.exec(process.output())?.[1] ?? '';
  return {
    process,
    target,
    metrics: async () => await (await fetch(`http://${target()}/metrics`)).text(),
    async restartWith(more) {
      options = ['--metrics', target(), ...more];
      await process.stop();
      await process.start();
    },
  };
}

/** A crawl without a network, whose work is done by several processes: it reports what each of them uses. */
export async function startLocalCrawl(
  under: string,
  name: string,
  site: string,
): Promise<Omit<WatchedWorker, 'restartWith'>> {
  const folder = join(under, name);
  const process = networkProcess({
    name,
    folder,
    words: () => [
      'crawl',
      site,
      '--out',
      folder,
      '--contact',
      'https://lab.test/crawler',
      '--allow-private',
      '127.0.0.0/8',
      '--processes',
      '2',
      '--metrics',
      '127.0.0.1:0',
    ],
    atWork: (printed) => metricsAt.test(printed),
  });
  await process.start();
  const target = () => metricsAt.exec(process.output())?.[1] ?? '';
  const metrics = async () => await (await fetch(`http://${target()}/metrics`)).text();
  const isHeard = async () => (await metrics()).includes('webfarer_worker_process_memory_bytes{');
  await until('worker processes to report', isHeard, 120_000);
  return { process, target, metrics };
}
