import { archiveReader } from '../../packages/cli/src/network/archive-reader.ts';
import { tallies } from '../../packages/cli/src/network/tallies.ts';
import { openServer } from '../../packages/coordinator/src/server.ts';

/**
 * A coordinator as a process of its own: `node coordinator.ts FOLDER STORE`, without a worker and without a way to the
 * web, so that whatever a fuzzer makes it do stays on this machine. Prints where it listens.
 */
const [folder = '', url = ''] = process.argv.slice(2);
const server = await openServer({
  folder,
  version: '0.0.0',
  listen: { host: '127.0.0.1', port: 0 },
  advertise: undefined,
  expectsWorker: false,
  archiveReader,
  tallies,
});
const coordinator = await server.host({ store: { url, durability: 'available', insecure: true } });
await coordinator.start();
await server.ready();
process.stdout.write(`Listening on ${server.url}\n`);
