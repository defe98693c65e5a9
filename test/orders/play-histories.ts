import { mkdirSync } from 'node:fs';
import type { Host } from '../fake-web/hosts.ts';
import type { FakeWeb } from '../fake-web/server.ts';
import { randomFrom } from '../fuzz/random.ts';
import { startNetwork } from '../network/launcher.ts';
import { plainHosts } from '../prove/dry-and-water.ts';
import { startRedis } from '../redis/servers.ts';
import { type History, newHistory, type OrderKind, storyOf } from './history.ts';
import { judgeHistories } from './judge-histories.ts';
import { orderedNetwork } from './ordered-network.ts';
import { playHistory } from './play-history.ts';

export interface Play {
  fake: FakeWeb;
  store: 'cluster' | 'sqlite';
  under: string;
  /** Part of the names of its crawls. */
  label: string;
  /** The program of all coordinators and workers. */
  command: string;
  coordinators: number;
  workers: number;
  /** Of each worker. */
  connections: number;
  seed: number;
  histories: number;
  /** Hosts of each crawl, and of all crawls together, so that they meet on some. */
  hosts: number;
  pagesEach: number;
  amongHosts: number;
  orders: number;
  kinds: readonly OrderKind[];
  atOnce: number;
  /** Infinite: nothing is killed. */
  ordersPerKill: number;
  /** Ends with the first history that is not as it should be. */
  untilWrong?: boolean;
}

/** What is counted of histories; all but the first ones must be 0. */
export type Played = Awaited<ReturnType<typeof playHistories>>;

/**
 * What must not be, by the names under which it is counted. Pages that are repeated are counted beside it: leases of 9 s run out by
 * themselves where a machine stands still for so long.
 */
export const wrongs = [
  'stuck',
  'lost',
  'neverLeased',
  'extra',
  'late',
  'over',
  'under',
  'differing',
  'miscounted',
  'unbarred',
] as const;

/** Histories on a network of real processes: coordinators that share a cluster, or one with SQLite. */
export async function playHistories(play: Play) {
  const { fake, store, under, seed, command } = play;
  mkdirSync(under, { recursive: true });
  const startedMs = performance.now();
  const redis = store === 'cluster' ? await startRedis({ primaries: 3, parent: under }) : undefined;
  const network = await startNetwork({
    under,
    coordinators: play.coordinators,
    workers: play.workers,
    connections: play.connections,
    command,
    ...(redis ? { store: redis.url } : {}),
  });
  const say = (what: string) => {
    const seconds = Math.round((performance.now() - startedMs) / 1_000);
    console.error(`  ${play.label}: ${what} after ${seconds} s`);
  };
  try {
    const { ordersPerKill } = play;
    const ordered = await orderedNetwork(network, { random: randomFrom(seed + 1), ordersPerKill });
    say('the network is at work');
    const histories = await playAll(play, ordered);
    await ordered.settle();
    const { absences, cutOff } = ordered;
    say(`${histories.length} histories played`);
    const { examples, ...judged } = judgeHistories(fake, histories, { log: await fake.log(), absences });
    for (const example of examples) console.error(`  ${example}`);
    return { ...sumsOf(histories), kills: absences.length, cutOff, ...judged };
  } finally {
    await network.end();
    await redis?.stop();
  }
}

async function playAll(
  { fake, label, seed, ...play }: Play,
  network: Awaited<ReturnType<typeof orderedNetwork>>,
): Promise<History[]> {
  const random = randomFrom(seed);
  const pool = plainHosts(fake.web).slice(0, play.amongHosts);
  const histories: History[] = [];
  const startedMs = performance.now();
  let [begun, isWrong] = [0, false];
  async function playOneByOne(): Promise<void> {
    while (begun < play.histories && !(play.untilWrong && isWrong)) {
      const name = `h-${label}-${seed}-${begun++}`;
      const from = random.below(pool.length);
      const hosts = Array.from({ length: play.hosts }, (_, n) => pool[(from + n) % pool.length] as Host);
      const history = newHistory(name, hosts, play.pagesEach);
      const { orders, kinds } = play;
      await playHistory(
        { fake, network, random: randomFrom(seed + 2 + begun), orders, kinds },
        history,
      ).catch((error: unknown) => {
        if ((error as { code?: string }).code !== 'not-found') throw error;
        history.stuck = 'it is gone, and nobody deleted it';
      });
      histories.push(history);
      isWrong ||= history.stuck !== undefined || history.differing > 0;
      const seconds = Math.round((performance.now() - startedMs) / 1_000);
      if (history.stuck !== undefined || history.differing > 0)
        console.error(`  ${name} ${history.stuck ?? ''} after ${storyOf(history)}`);
      if (histories.length % 10 === 0) console.error(`  ${seconds} s: ${histories.length} histories`);
    }
  }
  await Promise.all(Array.from({ length: play.atOnce }, playOneByOne));
  return histories;
}

function sumsOf(histories: readonly History[]) {
  const sum = (of: (history: History) => number) => histories.reduce((total, one) => total + of(one), 0);
  const given = (start: string) =>
    sum(({ orders }) => orders.filter(({ what }) => what.startsWith(start)).length);
  return {
    histories: histories.length,
    orders: sum(({ orders }) => orders.length),
    forgotten: sum(({ forgotten }) => forgotten.size),
    deleted: given('delete'),
    retired: given('retire') - given('resumed'),
    resumedInTime: given('resumed'),
    stuck: sum(({ stuck }) => (stuck === undefined ? 0 : 1)),
    over: sum(({ over }) => over),
    under: sum(({ under: missing }) => missing),
    differing: sum(({ differing }) => differing),
    miscounted: sum(({ miscounted }) => miscounted),
    unbarred: sum(({ unbarred }) => unbarred),
  };
}
