import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { sendOrders } from '@webfarer/protocol/link';
import { systemClock, type WorkerId } from '@webfarer/protocol';
import type { ResourceFrame } from '@webfarer/protocol/resources';
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
  /** The number of the first one, where there are others already. */
  first?: number;
  /** How the n-th one calls itself; absent: `light-N`. */
  idOf?: (n: number) => string;
  /** What the machine of the n-th one uses, told as often as the coordinator asks for; absent: nothing is told. */
  frameOf?: (n: number, second: number) => ResourceFrame;
  /** Where the n-th one connects at first; others it learns. */
  urlOf: (n: number) => string;
  token: string;
  folder: string;
}

/** Many of them in one process, with real links. */
export async function startLightWorkers(options: LightWorkerOptions): Promise<LightWorker[]> {
  mkdirSync(options.folder, { recursive: true });
  const { count, first = 0 } = options;
  return await Promise.all(Array.from({ length: count }, (_, n) => startOne(options, first + n)));
}

async function startOne(options: LightWorkerOptions, n: number): Promise<LightWorker> {
  const { urlOf, token, folder, idOf, frameOf } = options;
  const id = idOf?.(n) ?? `light-${n}`;
  const links: LightWorker['links'] = [];
  const client: LinkClient = createLinkClient({
    urls: [urlOf(n)],
    dial: dialWebSocket(() => token),
    worker: id as WorkerId,
    key: undefined,
    version: 'light',
    connections: 1,
    keeps: () => [],
    asLeased: undefined,
    fresh: false,
    clock: systemClock(),
    random: Math.random,
    peers: noPeers,
    outboxFile: join(folder, `light-${n}.jsonl`),
    orders: sendOrders(() => undefined),
    changed({ coordinator }) {
      if (coordinator !== undefined) links.push({ atMs: performance.now(), coordinator });
    },
    refused(error) {
      throw error;
    },
  });
  await client.start();
  let second = 0;
  const everyMs = frameOf && client.resourcesEveryMs();
  const telling =
    everyMs === undefined || !frameOf
      ? undefined
      : setInterval(() => client.tellResources(frameOf(n, second++)), everyMs);
  return {
    id,
    links,
    coordinator: () => client.state().coordinator,
    async stop() {
      clearInterval(telling);
      await client.stop();
    },
  };
}
