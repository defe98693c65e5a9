// watches: packages/coordinator/src/frontier, packages/coordinator/src/redis, packages/coordinator/src/crawl
// watches: packages/coordinator/src/own-crawls, packages/coordinator/src/catalog, packages/coordinator/src/maintenance
// watches: packages/coordinator/src/registry, packages/coordinator/src/folder
// misses: hosts that are never leased again, and pages lost or asked for too often, when changes of a crawl overlap
import { join } from 'node:path';
import { startFakeWeb } from '../fake-web/server.ts';
import { type Change, copyWith } from '../faults/changed-source.ts';
import { allKinds } from '../orders/history.ts';
import { type Play, type Played, playHistories, wrongs } from '../orders/play-histories.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { argument, workFolder } from './lab.ts';

// ci: rated, because a crawl that does not change for a while counts as stuck.

const sizes = {
  quick: { cluster: 3, sqlite: 2, orders: 5, workers: 1, hosts: 12 },
  full: { cluster: 200, sqlite: 100, orders: 10, workers: 2, hosts: 24 },
};
const shape = { connections: 32, pagesEach: 5, amongHosts: 48, atOnce: 4, ordersPerKill: 8 };
/** Nothing is killed, so that nothing is waited for. Few connections, so that most hosts are still to come when a late pause does. */
const control = {
  coordinators: 2,
  workers: 1,
  connections: 2,
  atOnce: 2,
  orders: 0,
  histories: 20,
  hosts: 24,
  pagesEach: 3,
  amongHosts: 96,
};

/** An hour is the least for which a finished crawl is kept, and how often such crawls are looked for. Here it is a second. */
const soonRetired: readonly Change[] = [
  {
    file: 'packages/protocol/src/job/choices.ts',
    from: 'const shortestKeep = 3_600_000;',
    to: 'const shortestKeep = 1_000;',
  },
  {
    file: 'packages/coordinator/src/maintenance/retirer.ts',
    from: 'const LOOK_MS = 3_600_000;',
    to: 'const LOOK_MS = 500;',
  },
];

const lua = 'packages/coordinator/src/redis/lua';
/** A change of a crawl is told to its groups a moment later, and most pauses after whoever gave the next order has told of that. */
const slowlyTold: Change = {
  file: 'packages/coordinator/src/frontier/redis/entering.ts',
  from: '  const answers = await context.groups.run(\n    groups.map((group) => ({ group, script: scripts.open',
  to: `  const lateMs = state === 'paused' && Math.random() < 0.7 ? 1_200 : Math.random() * 100;
  await new Promise((resolve) => setTimeout(resolve, lateMs));
  const answers = await context.groups.run(\n    groups.map((group) => ({ group, script: scripts.open`,
};

/** A group does as it was told last, and of two wishes the one that arrives last is in force. */
const withoutOrder: readonly Change[] = [
  {
    file: `${lua}/open.lua`,
    from: 'if before and order < before.order then',
    to: 'if before and order < 0 then',
  },
  { file: `${lua}/crawl/state.lua`, from: 'if not wish or wish >= last then', to: 'if last then' },
];

/** The product as it is, made to meet in seconds what it meets in years. */
const hurried: readonly Change[] = [...soonRetired, slowlyTold];

/**
 * Crawls are paused, resumed, stopped, limited, edited, retried, retired, deleted, and hosts of them forgotten, in random order: several
 * orders a few milliseconds apart, each at another coordinator, while coordinators are killed with orders on their way. In
 * the end each crawl is resumed without a limit. Then it must be in one state at all coordinators, and end, and every page must
 * have been asked for, by the web's own log: none lost, none of a host after it was forgotten, and no more or
 * fewer than a limit allows. Three coordinators share a cluster; one keeps its crawls in SQLite. In the control no change of a
 * crawl has an order: within 20 histories, one does not end or is not as it was ordered. `--count N` histories of the cluster,
 * and half of that on SQLite; `--seed N`; `--store cluster|sqlite|control`.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const usual = quick ? sizes.quick : sizes.full;
  const wanted = argument(args, '--count');
  const counts = {
    cluster: Number(wanted ?? usual.cluster),
    sqlite: wanted === undefined ? usual.sqlite : Math.ceil(Number(wanted) / 2),
  };
  // The quick form has a retirement, a forgotten host and each kind of edit in it.
  const seed = Number(argument(args, '--seed') ?? (quick ? 7 : Math.floor(Math.random() * 1e6)));
  const only = argument(args, '--store');
  const isWanted = (store: string) => only === undefined || only === store;
  const work = workFolder('orders');
  const fake = await startFakeWeb({ size: 'M', seed: 8 });
  try {
    const command = copyWith(hurried, join(work.path, 'source'));
    const { orders, workers, hosts } = usual;
    const play = (store: 'cluster' | 'sqlite'): Play => ({
      ...shape,
      fake,
      store,
      command,
      seed,
      orders,
      workers,
      hosts,
      kinds: allKinds,
      coordinators: store === 'cluster' ? 3 : 1,
      under: join(work.path, store),
      label: store,
      histories: counts[store],
    });
    const stores = (['cluster', 'sqlite'] as const).filter(isWanted);
    const trials: (() => Promise<Played>)[] = stores.map((store) => () => playHistories(play(store)));
    if (isWanted('control')) trials.push(() => playControl(play('cluster'), work.path));
    // The quick form waits most of the time, for leases of coordinators that were killed.
    const played = await (quick ? allAtOnce(trials) : inTurn(trials));
    const found = Object.fromEntries(stores.map((store, n) => [store, played[n] as Played]));
    const unordered = isWanted('control') ? played.at(-1) : undefined;
    const all = Object.values(found);
    return {
      ok: all.every((one) => wrongs.every((name) => one[name] === 0)),
      tooEasy:
        all.some(({ kills, cutOff }) => kills === 0 || cutOff === 0) ||
        (unordered !== undefined && unordered.stuck + unordered.differing === 0),
      result: { ...found, control: unordered, seed, sizes: { ...counts, orders, hosts, ...shape } },
    };
  } finally {
    await fake.stop();
    work.remove();
  }
}

async function playControl(play: Play, under: string): Promise<Played> {
  return await playHistories({
    ...play,
    ...control,
    under: join(under, 'control'),
    label: 'control',
    command: copyWith([...hurried, ...withoutOrder], join(under, 'unordered')),
    kinds: ['flip'],
    ordersPerKill: Number.POSITIVE_INFINITY,
    untilWrong: true,
  });
}

async function inTurn<T>(trials: readonly (() => Promise<T>)[]): Promise<T[]> {
  const done: T[] = [];
  for (const trial of trials) done.push(await trial());
  return done;
}

/** Until none of them uses the fake web any more, also where one fails. */
async function allAtOnce<T>(trials: readonly (() => Promise<T>)[]): Promise<T[]> {
  const settled = await Promise.allSettled(trials.map((trial) => trial()));
  return settled.map((one) => {
    if (one.status === 'rejected') throw one.reason;
    return one.value;
  });
}
