import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { sendOrders } from '@webfarer/protocol/link';
import { systemClock, type WorkerId } from '@webfarer/protocol';
import { createLinkClient, dialWebSocket, type LinkClient, noPeers } from '@webfarer/worker';

/** A worker that is linked and does nothing: what it takes to look at who goes where. */
export interface LightWorker {
  readonly id: string;
  /** Id of the coordinator it is linked to. */
  coordinator(): string | undefined;
  /** When each of its links was made, by `performance.now()`, and to whom. */
  readonly links: { atMs: number; coordinator: string }[];
  stop(): Promise<void>;
}

export interface LightWorkerOptions {
  count: number;
  /** Where the n-th one connects at first; others it learns. */
  urlOf: (n: number) => string;
  token: string;
  folder: string;
}

/** Many of them in one process, with real links. */
export async function startLightWorkers(options: LightWorkerOptions): Promise<LightWorker[]> {
  mkdirSync(options.folder, { recursive: true });
  return await Promise.all(Array.from({ length: options.count }, (_, n) => startOne(options, n)));
}

async function startOne({ urlOf, token, folder }: LightWorkerOptions, n: number): Promise<LightWorker> {
  const id = `light-${n}`;
  const links: LightWorker['links'] = [];
  const client: LinkClient = createLinkClient({
    urls: [urlOf(n)],
    dial: dialWebSocket(token),
    worker: id as WorkerId,
    version: 'light',
    connections: 1,
    keeps: () => [],
    fresh: false,
    clock: systemClock(),
    random: Math.random,
    peers: noPeers,
    outboxFile: join(folder, `${id}.jsonl`),
    orders: sendOrders(() => undefined),
    changed({ coordinator }) {
      if (coordinator !== undefined) links.push({ atMs: performance.now(), coordinator });
    },
    refused(error) {
      throw error;
    },
  });
  await client.start();
  return { id, links, coordinator: () => client.state().coordinator, stop: () => client.stop() };
}
