import { type Clock, WebfarerError } from '@webfarer/protocol';
import { refuseOpenStore } from '../look-around.ts';
import { openTopology } from '../topology/open-topology.ts';
import { type Connection, openConnection } from '../wire/connection.ts';
import { type Command, type Reply, ReplyError } from '../wire/resp.ts';

export interface SnapshotOptions {
  url: string;
  /** A store on another machine need not ask for a password. */
  insecure: boolean;
  clock: Clock;
  /** Shards whose file is complete. */
  onSaved: (address: string) => void;
}

export interface ShardSnapshot {
  address: string;
  /** On that server; undefined where it does not tell its settings. */
  file: string | undefined;
}

export interface StoreSnapshot {
  shards: ShardSnapshot[];
  /** Time for which no shard accepted writes. */
  pausedMs: number;
}

/** Should this process die in between, the servers accept writes again after this. */
const pauseMs = 10_000;
const times = { connectMs: 2_000, answerMs: pauseMs };
const lookEveryMs = 250;
/** For what the servers write to disk already. */
const idleMs = 600_000;
const savedMs = 3_600_000;

interface Shard {
  address: string;
  connection: Connection;
}

/**
 * Has every primary write its file as of one moment. A page that is recorded in one shard has its links in others, so
 * copies of different moments lack some of them. All primaries stop accepting writes first, then all of them fork, then
 * all accept writes again: no write falls between two copies.
 */
export async function snapshotStore(options: SnapshotOptions): Promise<StoreSnapshot> {
  const { url, insecure, clock, onSaved } = options;
  refuseOpenStore({ url, insecure });
  const topology = await openTopology(url, clock);
  const shards: Shard[] = [];
  try {
    for (const address of topology.primaries())
      shards.push({ address, connection: await openConnection(topology.endpoint(address), times) });
    await Promise.all(shards.map((shard) => idle(shard, clock)));
    const pausedMs = await forkAll(shards, clock);
    await Promise.all(
      shards.map(async (shard) => {
        await saved(shard, clock);
        onSaved(shard.address);
      }),
    );
    const files = await Promise.all(
      shards.map(async (shard) => ({ address: shard.address, file: await fileOf(shard) })),
    );
    return { shards: files, pausedMs };
  } finally {
    for (const { connection } of shards) connection.end('done');
  }
}

async function forkAll(shards: readonly Shard[], clock: Clock): Promise<number> {
  const from = clock.now();
  try {
    await Promise.all(shards.map((shard) => ask(shard, ['CLIENT', 'PAUSE', String(pauseMs), 'WRITE'])));
    await Promise.all(shards.map((shard) => ask(shard, ['BGSAVE'])));
    const took = clock.now() - from;
    if (took < pauseMs) return took;
    throw new WebfarerError(
      'store-silent',
      `the shards took ${Math.round(took)} ms to begin, longer than they wait`,
      {
        next: 'The copies are of different moments: do not use them. Run it again when the store is less busy.',
      },
    );
  } finally {
    await Promise.allSettled(shards.map((shard) => ask(shard, ['CLIENT', 'UNPAUSE'])));
  }
}

/** Only one copy is written at a time. */
async function idle(shard: Shard, clock: Clock): Promise<void> {
  const isIdle = (info: string) => !/(rdb_bgsave|aof_rewrite)_in_progress:1/.test(info);
  await wait(shard, clock, { isOver: isIdle, withinMs: idleMs, what: 'still writes another copy' });
}

async function saved(shard: Shard, clock: Clock): Promise<void> {
  const isOver = (info: string) => info.includes('rdb_bgsave_in_progress:0');
  const info = await wait(shard, clock, { isOver, withinMs: savedMs, what: 'has not finished its copy' });
  if (info.includes('rdb_last_bgsave_status:ok')) return;
  throw new WebfarerError('storage', `${shard.address} could not write its copy`, {
    next: 'Look at the log of that server: its disk may be full. Then run it again.',
  });
}

interface Wait {
  isOver: (info: string) => boolean;
  withinMs: number;
  what: string;
}

async function wait(shard: Shard, clock: Clock, { isOver, withinMs, what }: Wait): Promise<string> {
  const from = clock.now();
  for (;;) {
    const reply = await ask(shard, ['INFO', 'persistence']);
    const info = typeof reply === 'string' ? reply : '';
    if (isOver(info)) return info;
    if (clock.now() - from > withinMs)
      throw new WebfarerError('store-silent', `${shard.address} ${what} after ${withinMs / 60_000} minutes`, {
        next: 'Look at the log of that server.',
      });
    await clock.sleep(lookEveryMs);
  }
}

async function fileOf(shard: Shard): Promise<string | undefined> {
  const setting = async (name: string) => {
    const pair = await ask(shard, ['CONFIG', 'GET', name]).catch(() => undefined);
    return Array.isArray(pair) && typeof pair[1] === 'string' ? pair[1] : undefined;
  };
  const [folder, name] = [await setting('dir'), await setting('dbfilename')];
  return folder === undefined || name === undefined ? undefined : `${folder}/${name}`;
}

async function ask({ address, connection }: Shard, command: Command): Promise<Reply> {
  const [reply] = await connection.pipeline([command]);
  if (!(reply instanceof ReplyError)) return reply as Reply;
  throw new WebfarerError(
    'store-denied',
    `${address} refuses ${command.slice(0, 2).join(' ')}: ${reply.text}`,
    {
      next: 'The user of the store needs the rights +client|pause +client|unpause +bgsave +info +config|get. A managed store takes snapshots by its own means: pause the crawls before.',
    },
  );
}
