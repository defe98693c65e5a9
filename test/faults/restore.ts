import { cpSync, existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Random } from '../fuzz/random.ts';
import { until } from '../prove/lab.ts';
import type { RedisServers } from '../redis/servers.ts';
import { isWhole } from './store-part.ts';
import type { System } from './system.ts';

/** Where the state of a network's store is kept, and who has it open. */
interface Keeper {
  folders: string[];
  /** As a power cut would, all at once. */
  kill(): Promise<void>;
  start(): Promise<void>;
}

/** Requests before the copy is made, and between the copy and the moment it is put back. */
export interface Moments {
  least: number;
  most: number;
}
const progressMs = 120_000;
/** Servers that begin together elect primaries and follow them. */
const wholeMs = 60_000;

/**
 * Copies the store, lets the crawl continue, kills the store and puts the copy back: it has gone back in time while
 * every worker, and where it is a server of its own every coordinator, stayed up. False: the crawl ended before that.
 */
export async function restoreOnce(
  system: System,
  { under, random, moments }: { under: string; random: Random; moments: Moments },
): Promise<boolean> {
  const keeper = keeperOf(system, under);
  const later = () => progress(system, moments.least + random.below(moments.most - moments.least));
  if (!(await later())) return false;
  await keeper.kill();
  for (const folder of keeper.folders) copyOver(folder, `${folder}.copy`);
  await keeper.start();
  const continued = await later();
  if (continued) {
    await keeper.kill();
    for (const folder of keeper.folders) copyOver(`${folder}.copy`, folder);
    await keeper.start();
  }
  for (const folder of keeper.folders) rmSync(`${folder}.copy`, { recursive: true, force: true });
  return continued;
}

function keeperOf(system: System, under: string): Keeper {
  const { store } = system;
  if (store) return ofServers(store);
  const [coordinator] = system.parts('coordinator');
  if (!coordinator) throw new Error('no coordinator');
  return {
    folders: [join(under, coordinator.name)],
    kill: () => coordinator.kill(),
    start: () => coordinator.restart(),
  };
}

function ofServers(store: RedisServers): Keeper {
  const { nodes } = store;
  return {
    folders: nodes.map(({ folder }) => folder),
    kill: async () => void (await Promise.all(nodes.map((node) => node.kill('SIGKILL')))),
    async start() {
      await Promise.all(nodes.map((node) => node.restart()));
      if (nodes.length > 1) await until('a whole cluster', () => isWhole(store), wholeMs);
    },
  };
}

function copyOver(from: string, to: string): void {
  if (!existsSync(from)) throw new Error(`${from} is not there`);
  rmSync(to, { recursive: true, force: true });
  cpSync(from, to, { recursive: true });
}

/** Waits until the web has seen so many more requests; false when the crawl is over before. */
export async function progress(system: System, wanted: number): Promise<boolean> {
  const { requests } = await system.fake.stats();
  let isOver = false;
  await until(
    `${wanted} requests`,
    async () => {
      const problem = system.problem();
      if (problem !== undefined) throw new Error(problem);
      isOver = await system.isOver();
      return isOver || (await system.fake.stats()).requests >= requests + wanted;
    },
    progressMs,
  );
  return !isOver;
}
