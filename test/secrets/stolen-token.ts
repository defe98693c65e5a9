import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCoordinatorCard } from '@webfarer/coordinator';
import type { WebSocket } from 'ws';
import { connectBareWorker } from '../link/bare-worker.ts';
import { commandPath, until } from '../prove/lab.ts';
import { type Canary, canariesIn } from './canaries.ts';
import { askAsOperators, type Shown } from './operators.ts';

export interface StolenTokenOptions {
  /** The job of the crawl whose secrets are in danger. */
  job: string;
  data: string;
  env: Record<string, string>;
  canaries: readonly Canary[];
  /** What an admin gives to crawls and policies of teams at the same coordinator. */
  ofTeams: { canaries: readonly Canary[]; values: Record<'header' | 'password' | 'proxy', string> };
}

export interface StolenToken {
  /** Secrets that the thief was told before it was granted anything. */
  toldBefore: string[];
  /** Connections of another worker that it closed. */
  displaced: number;
  /** Secrets that a worker with a lease was told: without any, nothing was in danger. */
  toldWithLease: string[];
  /** What operators were shown by the API. */
  shown: Shown;
}

/** Starts a coordinator and does to it what someone with its worker token, and nothing else, can do. */
export async function useStolenToken(options: StolenTokenOptions): Promise<StolenToken> {
  const { job, data, env, canaries } = options;
  const words = ['coordinator', job, '--data', data, '--listen', '127.0.0.1:0'];
  const child = spawn(process.execPath, [commandPath, ...words], {
    stdio: 'ignore',
    env: { ...process.env, ...env },
  });
  const sockets: WebSocket[] = [];
  try {
    const url = async () => (await readCoordinatorCard(data).catch(() => undefined))?.url;
    const tokenFile = join(data, 'worker.token');
    await until(
      'the coordinator listens',
      async () => existsSync(tokenFile) && (await url()) !== undefined,
      120_000,
    );
    const link = {
      url: (await url()) as string,
      token: readFileSync(tokenFile, 'utf8').trim(),
    };
    const connect = async (hello: Record<string, unknown>) => {
      const one = await connectBareWorker(link, hello);
      sockets.push(one.ws);
      return one;
    };

    const worker = await connect({ worker: 'victim', session: 'its-process', key: 'known-to-it-alone' });
    const thief = await connect({ worker: 'thief', session: 'a', key: 'any' });
    const crawl = await thief.crawl();
    await thief.ask(1, { type: 'secrets', crawl });
    const toldBefore = canariesIn(JSON.stringify(thief.frames), canaries);
    for (const proof of [{}, { key: 'guessed' }])
      await connect({ worker: 'victim', session: 'another', ...proof });
    const displaced = worker.isClosed ? 1 : 0;
    let n = 1;
    await until(
      'a lease',
      async () => {
        const { value } = await worker.ask(n++, { type: 'lease', hosts: 1, urlsPerHost: 1 });
        return (value?.leases?.length ?? 0) > 0;
      },
      60_000,
    );
    const answer = await worker.ask(n, { type: 'secrets', crawl });
    const shown = await askAsOperators({ url: link.url, data }, options.ofTeams);
    return { shown, toldBefore, displaced, toldWithLease: canariesIn(JSON.stringify(answer), canaries) };
  } finally {
    for (const ws of sockets) ws.terminate();
    const gone = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGKILL');
    await gone;
  }
}
