import type { Coordinator, HostLedger } from '@webfarer/coordinator';
import { openServer } from '@webfarer/coordinator/server';
import type { Answer, Call, Setup } from './coordinator-part.ts';

/** A coordinator in a process of its own, which does what it is asked over the channel to its parent. */
const setup = JSON.parse(process.argv[2] ?? '{}') as Setup;

const server = await openServer({
  folder: setup.folder,
  version: '0.0.0',
  listen: { host: '127.0.0.1', port: setup.port },
  advertise: undefined,
  expectsWorker: false,
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
      const { crawl } = await to.create({ input: call.input, baseFolder: setup.folder });
      // What ends it is judged by what it recorded.
      crawl.ended.catch((error: unknown) => console.error(`${crawl.name}: ${String(error)}`));
      return { id: crawl.id, folder: crawl.folder };
    }
    case 'ready':
      return await server.ready();
    case 'delete':
      return await to.delete(call.name);
    case 'states':
      return to.crawls().map(({ name, state }) => ({ name, state }));
  }
}
