import { resolve } from 'node:path';
import { WebfarerError } from '@webfarer/protocol';
import { Option } from 'commander';
import type { CliContext } from '../context/context.ts';
import { wholeNumber } from '../job/crawl-options.ts';
import { shownPath } from '../folder/folders.ts';
import { devLine, devLines } from '../dev/dev-lines.ts';
import { createDevKeys } from '../dev/dev-keys.ts';
import type { DevLook, DevNetwork } from '../dev/dev-network.ts';
import { devRows } from '../dev/dev-rows.ts';
import { canFreeze } from '../dev/kept-process.ts';
import { createRecoveries } from '../dev/recoveries.ts';
import { addStoreUrlOptions } from '../secrets/store-options.ts';
import { createCanvas } from '../terminal/canvas.ts';
import { usableColumns } from '../terminal/terminal.ts';
import { painter } from '../terminal/text.ts';
import type { CommandHome } from './home.ts';

interface DevOptions {
  data: string;
  store?: string;
  storeServers?: string;
  coordinators?: string;
  workers: string;
  connections: string;
}

export function addDevCommand({ program, context, exit }: CommandHome): void {
  const command = program
    .command('dev')
    .description(
      'Starts coordinators and workers as local processes, shows them, and restarts those that die.',
    )
    .argument('<job.yml|url...>', 'what to crawl')
    .option('--data <folder>', 'parent folder of all processes', './webfarer-dev')
    .option('--store <url>', 'keep the crawl in redis://host:port; then there can be several coordinators');
  addStoreUrlOptions(command)
    .addOption(
      new Option(
        '--store-servers <file>',
        'file that lists the processes of the store, to kill them too',
      ).hideHelp(),
    )
    .option('--coordinators <n>', 'number of coordinators (2 with a store, otherwise 1)')
    .option('--workers <n>', 'how many', '4')
    .option('--connections <n>', 'hosts that each worker fetches from in parallel', '20')
    .action(async (words: string[], options: DevOptions) => {
      exit(await dev(context, words, options));
    });
}

async function dev(context: CliContext, words: string[], options: DevOptions): Promise<number> {
  const { terminal, clock } = context;
  const folder = resolve(context.cwd, options.data);
  const notes: string[] = [];
  const tell = (text: string) => void notes.push(`  ${text}`);
  const { createDevNetwork } = await import('../dev/dev-network.ts');
  const network = createDevNetwork({
    words,
    store: options.store,
    storeServers: options.storeServers && resolve(context.cwd, options.storeServers),
    folder,
    coordinators: coordinatorCount(options),
    workers: wholeNumber(options.workers, '--workers', 4),
    connections: wholeNumber(options.connections, '--connections', 20),
    clock,
    tell,
  });
  const asked = Promise.withResolvers<'asked'>();
  let times = 0;
  const interrupt = () => {
    if (++times > 1) context.exitNow(130);
    tell('Stopping gracefully. Press Ctrl-C again to stop now.');
    asked.resolve('asked');
  };
  const { keys, see } = hands(context, { network, tell, quit: interrupt });
  const ends = [context.onInterrupt(interrupt), context.onKey?.(keys)];
  const drawn = new AbortController();
  const drawing = draw(context, { network, notes, see, signal: drawn.signal });
  try {
    const started = network.start();
    const why = await Promise.race([asked.promise, network.over.then(() => 'over' as const)]);
    await network.stop();
    await started;
    drawn.abort();
    await drawing;
    if (why === 'over') terminal.out(endOf(network.members[0]?.process.output() ?? ''));
    const goOn = why === 'over' ? '' : '; run the same command to resume';
    terminal.out(`  everything is in ${shownPath(folder, context.cwd)}${goOn}\n`);
    return why === 'over' ? 0 : 130;
  } finally {
    drawn.abort();
    for (const end of ends) end?.();
  }
}

/** What the keys do, and how the network recovers, as seen at each refresh. */
function hands(
  { terminal, clock }: CliContext,
  { network, tell, quit }: { network: DevNetwork; tell: (text: string) => void; quit: () => void },
) {
  const paint = painter(terminal.colour);
  const recoveries = createRecoveries(clock, (text) => tell(paint('good', `✓ ${text}`)));
  let looked: DevLook = { coordinators: new Map(), workers: new Map(), store: [] };
  const rows = () => devRows(network.members, looked);
  return {
    keys: createDevKeys({
      rows,
      paint,
      tell,
      killed: recoveries.failed,
      quit,
      random: Math.random,
      freezable: canFreeze(),
    }),
    see(look: DevLook) {
      looked = look;
      recoveries.look(rows());
    },
  };
}

/** Only what the crawl came to, of the summary that a coordinator ends with. */
function endOf(output: string): string {
  const lines = output.split('\n');
  const from = lines.findLastIndex((line) => /^ {2}(finished in|\w+ limit reached) /.test(line));
  const upTo = lines.findIndex((line, i) => i > from && /^ {2}(look at|saved)/.test(line));
  return from < 0 || upTo < 0 ? output : `\n${lines.slice(from, upTo).join('\n')}\n`;
}

function coordinatorCount({ coordinators, store }: DevOptions): number {
  const wanted = coordinators === undefined ? undefined : wholeNumber(coordinators, '--coordinators', 2);
  if (wanted !== undefined && wanted > 1 && store === undefined)
    throw new WebfarerError('usage', 'Several coordinators need a shared store.', {
      next: 'For example --store redis://127.0.0.1:6379; or --coordinators 1.',
    });
  return wanted ?? (store === undefined ? 1 : 2);
}

interface Drawing {
  network: DevNetwork;
  notes: string[];
  see: (look: DevLook) => void;
  signal: AbortSignal;
}

async function draw(context: CliContext, { network, notes, see, signal }: Drawing): Promise<void> {
  const { terminal, clock } = context;
  const canvas = terminal.live ? createCanvas(terminal) : undefined;
  while (!signal.aborted) {
    const look = await network.look();
    see(look);
    const above = notes.splice(0);
    const size = {
      columns: usableColumns(terminal),
      colour: terminal.colour,
      keys: context.onKey !== undefined,
    };
    if (canvas) canvas.draw(devLines(network.members, look, size), above);
    else for (const line of [...above, devLine(network.members, look)]) terminal.out(`${line}\n`);
    await clock.sleep(canvas ? 300 : 5_000, signal).catch(() => undefined);
  }
  canvas?.end();
  for (const line of notes.splice(0)) terminal.out(`${line}\n`);
}
