import { WebfarerError } from '@webfarer/protocol';
import type { Mover, MoveStep, StoreStatus } from '@webfarer/coordinator/redis';
import { jsonLine } from '@webfarer/protocol/crawl';
import type { CliContext } from '../../context/context.ts';
import { bytes, count, plural } from '../../terminal/format.ts';
import { tableLines } from '../../terminal/table.ts';
import { usableColumns } from '../../terminal/terminal.ts';
import { painter } from '../../terminal/text.ts';
import type { CommandHome } from '../home.ts';
import { addStoreAddress, requireStore, type StoreAddress } from './store-address.ts';
import { addCrawlsCommands } from './store-crawls.ts';
import { addSnapshotCommand } from './store-snapshot.ts';

interface MoveOptions extends StoreAddress {
  group?: string;
  slots?: string;
  to?: string;
  resume?: boolean;
}

export function addStoreCommand({ program, context, exit }: CommandHome): void {
  const store = program
    .command('store')
    .description(
      'Looks at a store that crawls are kept in, erases crawls, and moves groups of hosts between its shards.',
    )
    .helpCommand(false);
  addStoreAddress(store.command('status'))
    .description(
      'lists shards with their groups, keys and memory, and groups that are closed or partly moved',
    )
    .action((options: StoreAddress) =>
      withMover(context, options, (mover) => status(context, mover, options)),
    );
  addStoreAddress(store.command('move'))
    .description('moves groups to another shard while crawls run; the hosts of a moving group wait')
    .option('--group <numbers>', 'groups to move: 3 or 3,17,200')
    .option('--slots <range>', 'or all groups in these slots: 0-5460')
    .option('--to <host:port>', 'primary to move them to')
    .option('--resume', 'finish interrupted moves and reopen their groups')
    .action((options: MoveOptions) =>
      withMover(context, options, async (mover) => {
        const ok = options.resume
          ? await resume(context, mover, options)
          : await move(context, mover, options);
        if (!ok) exit(6);
      }),
    );
  store
    .command('acl')
    .description('prints the command that gives a user of the store the rights that crawls need, and no more')
    .option('--user <name>', 'its name', 'webfarer')
    .action(async ({ user }: { user: string }) => {
      const { aclLine } = await import('@webfarer/coordinator/redis');
      context.terminal.out(`${aclLine(user)}\n`);
    });
  addSnapshotCommand(store, context);
  addCrawlsCommands(store, context);
}

async function withMover(
  context: CliContext,
  options: StoreAddress,
  work: (mover: Mover) => Promise<void>,
): Promise<void> {
  const { openMover } = await import('@webfarer/coordinator/redis');
  const onStep = options.json ? () => {} : progress(context);
  const url = requireStore(options);
  const insecure = options.insecureStore ?? false;
  const mover = await openMover({ url, insecure, clock: context.clock, onStep });
  try {
    await work(mover);
  } finally {
    await mover.close();
  }
}

/** A line when a group has arrived, and one a second while a large one is copied. */
function progress({ terminal, clock }: CliContext) {
  let last = clock.now();
  return (group: number, step: MoveStep, { done, all }: { done: number; all: number }): void => {
    if (step === 'opened') terminal.out(`  group ${group} moved, ${plural(done, 'key')}\n`);
    else if (step === 'copying' && clock.now() - last < 1_000) return;
    else if (step === 'copying')
      terminal.out(`  group ${group}: ${count(done)} of ${plural(all, 'key')} copied\n`);
    else return;
    last = clock.now();
  };
}

async function move({ terminal }: CliContext, mover: Mover, options: MoveOptions): Promise<boolean> {
  if (options.to === undefined) throw usage('--to is missing.');
  const groups = wantedGroups(mover, options);
  const moved = await mover.move(groups, options.to);
  if (options.json) terminal.out(jsonLine({ moved, to: options.to }));
  else
    terminal.out(
      `  ${plural(moved.length, 'group')} moved to ${options.to}, ${groups.length - moved.length} were there already\n`,
    );
  return true;
}

function wantedGroups(mover: Mover, { group, slots }: MoveOptions): number[] {
  if ((group === undefined) === (slots === undefined))
    throw usage('Choose what to move: --group or --slots.');
  if (group !== undefined) {
    if (!/^\d+(,\d+)*$/.test(group)) throw usage(`--group needs numbers such as 3,17, not "${group}".`);
    return [...new Set(group.split(',').map(Number))];
  }
  const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(slots ?? '') ?? [];
  if (first === undefined) throw usage(`--slots needs a range such as 0-5460, not "${slots ?? ''}".`);
  const found = mover.groupsIn(Number(first), Number(last));
  if (found.length === 0)
    throw usage(`No group is in the slots ${slots ?? ''}, so there is nothing to move.`);
  return found;
}

function usage(message: string): WebfarerError {
  return new WebfarerError('usage', message, {
    next: 'webfarer store move --store redis://host:6379 --group 3,17 --to host:6380; see what is where: webfarer store status --store redis://host:6379',
  });
}

/** False where something is still closed. */
async function resume({ terminal }: CliContext, mover: Mover, { json }: MoveOptions): Promise<boolean> {
  const { moved, opened, stuck } = await mover.resume();
  if (json) terminal.out(jsonLine({ moved, opened, stuck }));
  else {
    terminal.out(
      `  ${plural(moved.length, 'move')} finished, ${plural(opened.length, 'other closed group')} reopened\n`,
    );
    for (const { group, slot } of stuck)
      terminal.out(
        `  group ${group} stays closed: another tool is moving its slot ${slot}. Finish that with redis-cli --cluster fix HOST:PORT, then run this again.\n`,
      );
  }
  return stuck.length === 0;
}

async function status(context: CliContext, mover: Mover, { json }: StoreAddress): Promise<void> {
  const { terminal } = context;
  const found = await mover.status();
  if (json) return terminal.out(jsonLine({ ...found }));
  const size = { columns: usableColumns(terminal), colour: terminal.colour };
  for (const line of storeLines(found, size)) terminal.out(`${line}\n`);
}

function replicasOf({ replicas, listedReplicas }: StoreStatus['shards'][0]): string {
  return replicas < listedReplicas ? `${count(replicas)} of ${count(listedReplicas)}` : count(replicas);
}

export function storeLines(
  { shards, moves, closed, halfMoved, setAside }: StoreStatus,
  size: { columns: number; colour: boolean },
): string[] {
  const paint = painter(size.colour);
  const noted = new Set(moves.map(({ group }) => group));
  const halted = closed.filter(({ group }) => !noted.has(group));
  const lines = tableLines(
    shards,
    [
      { title: 'shard', value: ({ address }) => address, wide: true },
      { title: 'replicas', value: replicasOf, right: true },
      { title: 'groups', value: ({ groups }) => count(groups.length), right: true },
      { title: 'keys', value: ({ keys }) => count(keys), right: true },
      { title: 'memory', value: ({ memoryBytes }) => bytes(memoryBytes), right: true },
    ],
    { columns: size.columns, paint },
  );
  for (const { group, to, step } of moves) lines.push(`  group ${group} is moving to ${to} (${step})`);
  for (const { group } of halted) lines.push(`  group ${group} is closed, but no move is recorded`);
  for (const group of halfMoved) lines.push(`  group ${group}: another tool is moving its slot`);
  if (lines.length > shards.length + 1)
    lines.push('  If no move is running:  webfarer store move --resume --store URL');
  for (const { group, texts } of setAside)
    lines.push(
      `  group ${group}: ${plural(texts, 'value')} could not be read and ${texts === 1 ? 'was' : 'were'} set aside in the hash {g${group}}n`,
    );
  return lines;
}
