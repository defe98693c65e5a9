// watches: packages/coordinator/src/redis, packages/coordinator/src/frontier/redis, packages/coordinator/src/stores
// misses: one lost replica that stalls other shards
import { join } from 'node:path';
import { groupTag, storeTag } from '../../packages/coordinator/src/redis/keys.ts';
import { slotOf } from '../../packages/coordinator/src/redis/topology/slots.ts';
import type { HostKey } from '../../packages/protocol/src/index.ts';
import { groupOf, siteOf } from '../../packages/protocol/src/url/index.ts';
import { type Change, copyWith } from '../faults/changed-source.ts';
import { type CoordinatorProcess, type Network, startNetwork } from '../network/launcher.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { type EndlessSites, startEndlessSites } from '../redis/endless-site.ts';
import { type RedisNode, type RedisServers, startRedis } from '../redis/servers.ts';
import { until, workFolder, writeJob } from './lab.ts';

// ci: rated, because it compares rates.

const hosts = 60;
/** Of the rate before, while one shard acknowledges nothing. */
const leastRate = 0.6;
const calmMs = 3_000;

const ledger = 'packages/coordinator/src/frontier/redis/context/ledger.ts';
/** Everything goes the way that a WAIT may block, and permits wait for replicas: as it was. */
const oneWay: Change[] = [
  {
    file: 'packages/coordinator/src/redis/store.ts',
    from: '`${address} ${durable || !waits}`',
    to: 'address',
  },
  { file: ledger, from: 'durable: false,', to: 'durable: true,' },
  { file: ledger, from: 'answerMs: 1_000', to: 'answerMs: 30_000' },
];

/**
 * A coordinator and two workers crawl on a cluster of three primaries with a replica each. The replica of the shard
 * that also has what belongs to the whole store is killed for two minutes. The web that they crawl counts: hosts of
 * the other shards must be asked nearly as often as before, `status` must name the shard, and nothing may be lost. In
 * the control everything shares one way to a server: then the other shards must stall, too.
 */
export async function prove({ quick }: ProofOptions): Promise<ProofResult> {
  const lostMs = quick ? 10_000 : 120_000;
  const judged = await lose({ lostMs, toTheEnd: true });
  const folder = workFolder('one-replica-lost-control');
  let otherShardsRateInControl = 1;
  try {
    const command = copyWith(oneWay, folder.path);
    ({ otherShardsRate: otherShardsRateInControl } = await lose({ lostMs: 6_000, toTheEnd: false, command }));
  } finally {
    folder.remove();
  }
  const { otherShardsRate, lost, addsUp, named, shardRate } = judged;
  return {
    tooSlow: otherShardsRate < leastRate,
    ok: lost === 0 && addsUp && named !== undefined,
    tooEasy: otherShardsRateInControl >= leastRate || shardRate >= 0.2,
    result: { ...judged, otherShardsRateInControl, sizes: { hosts, lostMs, servers: 6, workers: 2 } },
  };
}

interface Trial {
  lostMs: number;
  toTheEnd: boolean;
  command?: string;
}

interface Judged {
  otherShardsRate: number;
  /** Of the hosts of the shard itself, once those in flight have ended. */
  shardRate: number;
  /** What `status` said of it. */
  named: string | undefined;
  pages: number;
  lost: number;
  addsUp: boolean;
}

async function lose(trial: Trial): Promise<Judged> {
  const sites = await startEndlessSites(hosts);
  const servers = await startRedis({ primaries: 3, replicasEach: 1 });
  const folder = workFolder('one-replica-lost');
  let network: Network | undefined;
  try {
    const job = join(folder.path, 'job.json');
    await writeJob(job, jobOf(sites));
    const { command } = trial;
    network = await startNetwork({
      job,
      under: folder.path,
      workers: 2,
      store: servers.url,
      untilDone: true,
      ...(command === undefined ? {} : { command }),
    });
    return await loseReplica(trial, { sites, servers, network });
  } finally {
    await network?.end();
    await servers.stop();
    sites.close();
    folder.remove();
  }
}

function jobOf({ seeds }: EndlessSites) {
  return {
    name: 'lost',
    contact: 'https://lab.test/crawler',
    seeds,
    scope: { stay: 'web' as const },
    // Ceilings that are not reached: they are counted in the shard that loses its replica.
    limits: { pages: 1_000_000, depth: 'none' as const, perHost: { pages: 'none' as const } },
    politeness: { gap: '200ms' },
    fetch: { timeout: '10s', allowPrivate: ['127.0.0.0/8'] },
    save: ['none' as const],
  };
}

async function loseReplica(
  { lostMs, toTheEnd }: Trial,
  { sites, servers, network }: { sites: EndlessSites; servers: RedisServers; network: Network },
): Promise<Judged> {
  const coordinator = network.coordinators[0] as CoordinatorProcess;
  const primary = await holderOf(servers, slotOf(storeTag));
  const isConcerned = await hostsOf(primary);
  const ratesIn = async (ms: number) => {
    const from = sites.requests.length;
    await new Promise((done) => setTimeout(done, ms));
    const seen = sites.requests.slice(from).map(({ host }) => isConcerned(host));
    const own = seen.filter(Boolean).length;
    return { own: own / ms, others: (seen.length - own) / ms };
  };
  await until('the crawl is under way', () => sites.requests.length > 10 * hosts, 60_000);
  const before = await ratesIn(calmMs);
  const replica = servers.nodes.find(({ role, shard }) => role === 'replica' && shard === primary.shard);
  await replica?.kill('SIGKILL');
  // What is in flight ends, and whoever waits notices.
  await ratesIn(2_000);
  const during = await ratesIn(lostMs - 2_000);
  const named = await saidBy(coordinator, `127.0.0.1:${primary.port}`);
  console.error(JSON.stringify({ before, during, named }));
  await replica?.restart();
  sites.end();
  const pages = sites.requests.length;
  const rates = {
    otherShardsRate: Math.round((during.others / before.others) * 1000) / 1000,
    shardRate: Math.round((during.own / before.own) * 1000) / 1000,
    named,
    pages,
  };
  if (!toTheEnd) return { ...rates, lost: 0, addsUp: true };
  await coordinator.ended();
  return { ...rates, lost: sites.missing().length, addsUp: coordinator.output().includes('adds up') };
}

/** The sentence of `status` that names the shard and its replicas, if there is one. */
async function saidBy(coordinator: CoordinatorProcess, shard: string): Promise<string | undefined> {
  const status = JSON.stringify(await coordinator.status());
  return new RegExp(`shard ${shard} has 0 of 1 replicas`).exec(status)?.[0].replace(shard, 'ADDRESS');
}

async function holderOf({ nodes }: RedisServers, slot: number): Promise<RedisNode> {
  for (const node of nodes.filter(({ role }) => role === 'primary'))
    if ((await slotsOf(node)).some(([first, last]) => slot >= first && slot <= last)) return node;
  throw new Error(`nobody holds slot ${slot}`);
}

async function hostsOf(primary: RedisNode): Promise<(host: string) => boolean> {
  const ranges = await slotsOf(primary);
  return (host) => {
    const slot = slotOf(groupTag(groupOf(siteOf(host as HostKey))));
    return ranges.some(([first, last]) => slot >= first && slot <= last);
  };
}

async function slotsOf(node: RedisNode): Promise<[number, number][]> {
  const view = await node.askText('CLUSTER', 'NODES');
  const own = view.split('\n').find((line) => line.includes('myself')) ?? '';
  return own
    .trim()
    .split(' ')
    .slice(8)
    .map((range) => {
      const [first = 0, last = first] = range.split('-').map(Number);
      return [first, last];
    });
}
