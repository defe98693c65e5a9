import { openWeb, type ProcessOptions, type WebProcess } from './site-process.ts';
import type { WebSize } from './hosts.ts';
import type { Command, Reply } from './control.ts';

/**
 * The fake web as a process of its own. Under a parent it takes commands over the IPC channel and ends
 * with it; by hand (`node test/fake-web/main.ts S`) it prints where it stands and runs until Ctrl-C.
 */
async function obey(web: WebProcess, command: Command): Promise<unknown> {
  switch (command.do) {
    case 'dumpLog':
      return web.dumpLog(command.file);
    case 'clearLog':
      return web.clearLog();
    case 'reset':
      return web.reset();
    case 'turn':
      return web.turn(command.epoch);
    case 'vanish':
      return web.vanish();
    case 'return':
      return web.return();
    case 'stats':
      return web.stats();
    case 'stop':
      return web.stop();
  }
}

async function underParent(send: (reply: Reply) => void, options: ProcessOptions): Promise<void> {
  const web = await openWeb(options);
  // Commands follow one another, however fast they come.
  let queue = Promise.resolve();
  process.on('message', (command: Command) => {
    queue = queue.then(async () => {
      try {
        send({ id: command.id, value: await obey(web, command) });
      } catch (error) {
        send({ id: command.id, error: String(error) });
      }
      if (command.do === 'stop') process.disconnect();
    });
  });
  process.on('disconnect', () => void web.stop().finally(() => process.exit(0)));
  send({ id: 0, value: web.started });
}

async function byHand(size: WebSize): Promise<void> {
  const { web, started } = await openWeb({ size, seed: 1 });
  console.log(`seed      ${web.seeds().join(' ')}`);
  console.log(`dns       127.0.0.1:${started.dnsPort}`);
  console.log(`authority ${started.caFile}`);
}

const send = process.send?.bind(process);
if (send) await underParent((reply) => send(reply), JSON.parse(process.argv[2] ?? '{}') as ProcessOptions);
else await byHand((process.argv[2] ?? 'S') as WebSize);
