import { join } from 'node:path';
import type { Coordinator, HostLedger } from '@webfarer/coordinator';
import { openServer } from '@webfarer/coordinator/server';
import { systemClock, type WorkerId } from '@webfarer/protocol';
import { openWorker } from '@webfarer/worker';
import { openWebhookPost } from '../../packages/cli/src/network/webhook-post.ts';
import { fastClock } from '../fast-clock.ts';
import type { Answer, Call, Setup } from './coordinator-part.ts';

/** A coordinator in a process of its own, which does what it is asked over the channel to its parent. */
const setup = JSON.parse(process.argv[2] ?? '{}') as Setup;

const clock = setup.times === 1 ? systemClock() : fastClock(setup.times, setup.sinceMs);
const server = await openServer({
  folder: setup.folder,
  version: '0.0.0',
  listen: { host: '127.0.0.1', port: setup.port },
  advertise: undefined,
  expectsWorker: false,
  clock,
  webhookPost: openWebhookPost(clock, setup.webhookPrivate),
});
/** Grants every host to everybody at once. */
const noLedger: HostLedger = {
  claim: () => ({ claimed: true, fresh: true }),
  extend: () => true,
  release: () => undefined,
  postpone: () => undefined,
  abandon: () => undefined,
  close: () => undefined,
};
const coordinator = await server.host({
  ...(setup.withoutLedger ? { ledger: noLedger } : {}),
  ...(setup.store === undefined
    ? {}
    : { store: { url: setup.store, durability: setup.durability, insecure: false } }),
});

process.on('disconnect', () => process.exit(1));
process.on('message', (call: Call) => {
  void carryOut(coordinator, call)
    .then((value): Answer => ({ number: call.number, value }))
    .catch((error: unknown): Answer => ({ number: call.number, error: String(error) }))
    .then((answer) => process.send?.(answer));
});
process.send?.({ number: 0, value: { url: server.url } } satisfies Answer);

async function carryOut(to: Coordinator, call: Call): Promise<unknown> {
  switch (call.do) {
    case 'create': {
      const { input, previous } = call;
      const than = previous === undefined ? {} : { previous };
      const { crawl } = await to.create({ input, baseFolder: setup.folder, ...than });
      // What ends it is judged by what it recorded.
      crawl.ended.catch((error: unknown) => console.error(`${crawl.name}: ${String(error)}`));
      return { id: crawl.id, folder: crawl.folder };
    }
    case 'ready':
      return await server.ready();
    case 'takeUp':
      return await to.start();
    case 'work':
      return await work(to);
    case 'delete':
      return await to.delete(call.name);
    case 'states':
      return to.crawls().map(({ name, state }) => ({ name, state }));
  }
}

async function work({ connect }: Coordinator): Promise<void> {
  const worker = openWorker({
    link: { kind: 'in-process', connect },
    id: 'w' as WorkerId,
    version: '0.0.0',
    folder: join(setup.folder, 'worker'),
    baseFolder: setup.folder,
    connections: 4,
    clock,
    random: Math.random,
  });
  await worker.start();
}
