import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readCoordinatorCard } from '@webfarer/coordinator';
import { linkVersion } from '@webfarer/protocol/link';
import { WebSocket } from 'ws';
import { commandPath, until } from '../prove/lab.ts';
import { type Canary, canariesIn } from './canaries.ts';

export interface StolenTokenOptions {
  /** The job of the crawl whose secrets are in danger. */
  job: string;
  data: string;
  env: Record<string, string>;
  canaries: readonly Canary[];
}

export interface StolenToken {
  /** Secrets that the thief was told before it was granted anything. */
  toldBefore: string[];
  /** Connections of another worker that it closed. */
  displaced: number;
  /** Secrets that a worker with a lease was told: without any, nothing was in danger. */
  toldWithLease: string[];
}

interface Frame {
  type: string;
  id?: number;
  crawls?: { id: string }[];
  value?: { leases?: unknown[] };
}

/** Starts a coordinator and does to it what someone with its worker token, and nothing else, can do. */
export async function useStolenToken({ job, data, env, canaries }: StolenTokenOptions): Promise<StolenToken> {
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
    const link = `${((await url()) as string).replace('http', 'ws')}/link`;
    const headers = { authorization: `Bearer ${readFileSync(tokenFile, 'utf8').trim()}` };

    const connect = async (hello: Record<string, unknown>) => {
      const ws = new WebSocket(link, { headers });
      sockets.push(ws);
      const frames: Frame[] = [];
      const one = { ws, frames, isClosed: false };
      ws.on('error', () => undefined);
      ws.on('close', () => (one.isClosed = true));
      ws.on('message', (text: Buffer) => frames.push(JSON.parse(text.toString()) as Frame));
      const rest = { version: '0', connections: 8, holds: [], holdsAll: true, asksSecrets: true };
      ws.on('open', () => ws.send(JSON.stringify({ type: 'hello', v: linkVersion, ...rest, ...hello })));
      await until('a welcome', () => frames.some(({ type }) => type === 'welcome') || one.isClosed, 60_000);
      const told = () => frames.find(({ crawls }) => (crawls?.length ?? 0) > 0)?.crawls?.[0]?.id;
      return Object.assign(one, {
        crawl: async () => {
          await until('a crawl', () => told() !== undefined, 60_000);
          return told() as string;
        },
        async ask(id: number, frame: object): Promise<Frame> {
          ws.send(JSON.stringify({ ...frame, id }));
          await until('an answer', () => frames.some((each) => each.id === id), 60_000);
          return frames.find((each) => each.id === id) as Frame;
        },
      });
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
    return { toldBefore, displaced, toldWithLease: canariesIn(JSON.stringify(answer), canaries) };
  } finally {
    for (const ws of sockets) ws.terminate();
    const gone = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGKILL');
    await gone;
  }
}
