import { resolve } from 'node:path';
import { WebfarerError } from '@webfarer/protocol';
import type { CliContext } from '../context.ts';
import { wholeNumber } from '../crawl-options.ts';
import { shownPath } from '../folders.ts';
import { devLine, devLines } from '../dev/dev-lines.ts';
import type { DevMember, DevNetwork } from '../dev/dev-network.ts';
import { createCanvas } from '../view/canvas.ts';
import { usableColumns } from '../view/terminal.ts';
import type { CommandHome } from './home.ts';

interface DevOptions {
  data: string;
  store?: string;
  coordinators?: string;
  workers: string;
  connections: string;
}

export function addDevCommand({ program, context, exit }: CommandHome): void {
  program
    .command('dev')
    .summary('a whole small network in one terminal, to kill things in')
    .description(
      'Starts coordinators and workers as processes of this machine, shows them, and starts again whatever dies.',
    )
    .argument('<job.yml|url...>', 'what to crawl')
    .option('--data <folder>', 'where the folders of all processes go', './webfarer-dev')
    .option('--store <url>', 'keep the crawl in redis://host:port; then there can be several coordinators')
    .option('--coordinators <n>', 'how many (with a store 2, else 1)')
    .option('--workers <n>', 'how many', '4')
    .option('--connections <n>', 'hosts each worker fetches from at the same time', '20')
    .action(async (words: string[], options: DevOptions) => {
      exit(await dev(context, words, options));
    });
}

async function dev(context: CliContext, words: string[], options: DevOptions): Promise<number> {
  const { terminal, clock } = context;
  const folder = resolve(context.cwd, options.data);
  const notes: string[] = [];
  const { createDevNetwork } = await import('../dev/dev-network.ts');
  const network = createDevNetwork({
    words,
    store: options.store,
    folder,
    coordinators: coordinatorCount(options),
    workers: wholeNumber(options.workers, '--workers', 4),
    connections: wholeNumber(options.connections, '--connections', 20),
    clock,
    tell: (text) => notes.push(`  ${text}`),
  });
  const asked = Promise.withResolvers<'asked'>();
  let times = 0;
  const interrupt = () => {
    if (++times > 1) context.exitNow(130);
    notes.push('  stopping; once more leaves at once');
    asked.resolve('asked');
  };
  const ends = [context.onInterrupt(interrupt), context.onKey?.(keyHandler(network, notes, interrupt))];
  const drawn = new AbortController();
  const drawing = draw(context, { network, notes, signal: drawn.signal });
  try {
    const started = network.start();
    const why = await Promise.race([asked.promise, network.over.then(() => 'over' as const)]);
    await network.stop();
    await started;
    drawn.abort();
    await drawing;
    if (why === 'over') terminal.out(network.members[0]?.process.output() ?? '');
    terminal.out(`  everything is in ${shownPath(folder, context.cwd)}; the same command goes on\n`);
    return why === 'over' ? 0 : 130;
  } finally {
    drawn.abort();
    for (const end of ends) end?.();
  }
}

function coordinatorCount({ coordinators, store }: DevOptions): number {
  const wanted = coordinators === undefined ? undefined : wholeNumber(coordinators, '--coordinators', 2);
  if (wanted !== undefined && wanted > 1 && store === undefined)
    throw new WebfarerError('usage', 'Several coordinators need a store that they share.', {
      next: 'For example --store redis://127.0.0.1:6379; or --coordinators 1.',
    });
  return wanted ?? (store === undefined ? 1 : 2);
}

function keyHandler({ members }: DevNetwork, notes: string[], interrupt: () => void) {
  const any = () => members[Math.floor(Math.random() * members.length)];
  const kill = (member: DevMember | undefined) => {
    if (member?.process.pid === undefined) return;
    notes.push(`  killed ${member.process.name}`);
    member.process.kill();
  };
  return (key: string) => {
    if (key === 'q') interrupt();
    if (key === 'k') kill(any());
    if (/^[1-9]$/.test(key)) kill(members[Number(key) - 1]);
    if (key !== 'f') return;
    const member = members.find(({ process }) => process.state === 'frozen') ?? any();
    member?.process.freeze();
    if (member)
      notes.push(`  ${member.process.state === 'frozen' ? 'froze' : 'thawed'} ${member.process.name}`);
  };
}

interface Drawing {
  network: DevNetwork;
  notes: string[];
  signal: AbortSignal;
}

async function draw(context: CliContext, { network, notes, signal }: Drawing): Promise<void> {
  const { terminal, clock } = context;
  const canvas = terminal.live ? createCanvas(terminal) : undefined;
  while (!signal.aborted) {
    const look = await network.look();
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
