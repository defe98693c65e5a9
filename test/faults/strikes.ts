import type { Random } from '../fuzz/random.ts';
import { until } from '../prove/lab.ts';
import type { RedisNode, RedisServers } from '../redis/servers.ts';
import { partition } from './partition.ts';
import type { FaultProxy } from './proxy.ts';
import { fillDisk, fillStore } from './room.ts';
import type { RowName } from './rows.ts';
import { isPrimary, isWhole, storePart } from './store-part.ts';
import type { Part, Role, Strike, System } from './system.ts';

const wholeMs = 60_000;
/** A killed process is typed again after so long at most. */
const awayMs = 1_500;
/** Every so often it is killed once more within this time, while it is about to open its crawl. */
const falters = { chance: 1 / 4, withinMs: 1_500 };
const frozenMs = { least: 100, most: 60_000 };
const weatherMs = { least: 200, most: 6_000 };

export const strikes: Record<RowName, Strike> = {
  'worker-kill': (system, random) => killOne(system.parts('worker'), random),
  'coordinator-kill': async (system, random, turn) => {
    if (turn % 20 !== 19) return await killOne(system.parts('coordinator'), random);
    return await killAll(system.parts('coordinator'), random);
  },
  'coordinator-kill-sqlite': (system, random) => killOne(system.parts('coordinator'), random),
  'primary-kill': killPrimary,
  'store-kill': (system, random, turn) => (turn % 2 === 0 ? killShard : killReplica)(system, random),
  partition,
  freeze: (system, random) => freeze(system, random, frozenMs.most),
  network: spoilNetwork,
  churn,
  'store-memory': fillStore,
  'disk-full': fillDisk,
  // Strikes the object storage, which is no part of the network: `objects-row.ts`.
  s3: (system, random) => killOne(system.parts('worker'), random),
  everything,
};

/** Freezes that end about when the lease of a frozen worker does, or before. */
const briefFreeze: Strike = (system, random) => freeze(system, random, 9_000);

/** One after the other, for the quick form: a network without coordinators or proxies leaves those out. */
const inTurn: Strike[] = [
  strikes['worker-kill'],
  strikes.network,
  strikes['coordinator-kill'],
  (system, random) => freeze(system, random, 2_000),
  strikes['primary-kill'],
  killShard,
  killReplica,
];

export const kinds = inTurn.length;

export const someOfEach: Strike = (system, random, turn) =>
  (inTurn[turn % inTurn.length] as Strike)(system, random, turn);

async function killOne(parts: Part[], random: Random): Promise<string | undefined> {
  const living = parts.filter(({ alive }) => alive);
  if (living.length === 0) return undefined;
  const victim = random.pick(living);
  await victim.kill();
  await pause(random.below(awayMs));
  const falter = random.chance(falters.chance);
  if (falter) await victim.falter?.(random.below(falters.withinMs));
  await victim.restart();
  return `killed ${victim.name}${falter ? ', and again while it started' : ''}`;
}

async function killAll(parts: Part[], random: Random): Promise<string> {
  await Promise.all(parts.filter(({ alive }) => alive).map((part) => part.kill()));
  await pause(random.below(awayMs));
  await Promise.all(parts.map((part) => part.restart()));
  return 'killed all coordinators';
}

async function killPrimary({ store }: System, random: Random): Promise<string | undefined> {
  return await killServers(store, random, async (nodes) => ['primary', await some(nodes, isPrimary)]);
}

/** Nobody is left to be elected: what was acknowledged has to be on the disks. */
async function killShard({ store }: System, random: Random): Promise<string | undefined> {
  return await killServers(store, random, (nodes) => Promise.resolve(['shard', nodes]));
}

/** Nothing can be acknowledged until it is back. */
async function killReplica({ store }: System, random: Random): Promise<string | undefined> {
  const isReplica = async (node: RedisNode) => !(await isPrimary(node));
  return await killServers(store, random, async (nodes) => ['replica', await some(nodes, isReplica)]);
}

/** Of a shard of a whole store, some servers at once, for a time in which an election may end or not. */
async function killServers(
  store: RedisServers | undefined,
  random: Random,
  choose: (shard: RedisNode[]) => Promise<[kind: string, victims: RedisNode[]]>,
): Promise<string | undefined> {
  if (!store) return undefined;
  await until('a whole store', () => isWhole(store), wholeMs);
  const { shard } = random.pick(store.nodes);
  const [kind, victims] = await choose(store.nodes.filter((node) => node.shard === shard));
  const parts = victims.map(storePart);
  await Promise.all(parts.map((part) => part.kill()));
  await pause(100 + random.below(2_400));
  await Promise.all(parts.map((part) => part.restart()));
  return `killed ${kind} ${victims.map(({ port }) => port).join(' and ')}`;
}

async function some(nodes: RedisNode[], isOne: (node: RedisNode) => Promise<boolean>): Promise<RedisNode[]> {
  const are = await Promise.all(nodes.map(isOne));
  return nodes.filter((_, n) => are[n]);
}

/** Short and long ones are equally likely, by their order of magnitude. */
async function freeze(system: System, random: Random, mostMs: number): Promise<string | undefined> {
  const roles: Role[] = ['worker', 'worker', 'coordinator', 'store'];
  const living = system.parts(random.pick(roles)).filter(({ alive }) => alive);
  if (living.length === 0) return undefined;
  const victim = random.pick(living);
  const ms = frozenMs.least * (mostMs / frozenMs.least) ** (random.below(1_000) / 1_000);
  await victim.freeze();
  try {
    await pause(ms);
  } finally {
    victim.thaw();
  }
  return `froze ${victim.name} for ${Math.round(ms)} ms`;
}

const spoilers: ((proxy: FaultProxy, random: Random) => string)[] = [
  (proxy) => (proxy.drop('reset'), 'reset'),
  (proxy) => (proxy.drop('end'), 'closed'),
  (proxy, random) => {
    proxy.drop('reset');
    proxy.set({ kind: 'refuse' });
    return `refused ${random.below(10)}`;
  },
  (proxy, random) => (proxy.cutAfter(1 + random.size(20_000)), 'cut in a frame'),
  (proxy) => (proxy.set({ kind: 'black-hole' }), 'black hole'),
  (proxy) => (proxy.set({ kind: 'half-open', silent: 'to-client' }), 'silent to the worker'),
  (proxy) => (proxy.set({ kind: 'half-open', silent: 'to-server' }), 'silent to the coordinator'),
  (proxy, random) => (proxy.set({ kind: 'delay', ms: 1 + random.size(500), jitterMs: 200 }), 'delay'),
  (proxy, random) => (proxy.set({ kind: 'slow', bytesPerSecond: 500 + random.size(50_000) }), 'slow'),
];

async function spoilNetwork({ proxies }: System, random: Random): Promise<string | undefined> {
  if (proxies.length === 0) return undefined;
  // One link, or all that lead to one coordinator's side at once every third time.
  const struck = random.chance(1 / 3) ? proxies : [random.pick(proxies)];
  const spoil = random.pick(spoilers);
  const words = struck.map((proxy) => spoil(proxy, random));
  await pause(weatherMs.least + random.size(weatherMs.most - weatherMs.least));
  for (const proxy of struck) proxy.heal();
  return `${words[0]} on ${struck.length} of ${proxies.length} links`;
}

/** One joins or leaves; at least one of each stays. */
async function churn(system: System, random: Random): Promise<string | undefined> {
  const role = random.chance(0.3) ? 'coordinator' : 'worker';
  const living = system.parts(role).filter(({ alive }) => alive);
  const most = role === 'worker' ? 6 : 4;
  if (living.length >= most || (living.length > 2 && random.chance(0.5))) {
    const victim = random.pick(living);
    await victim.leave();
    return `${victim.name} left`;
  }
  await system.join(role);
  return `a ${role} joined`;
}

const mixed: RowName[] = ['worker-kill', 'coordinator-kill', 'primary-kill', 'freeze', 'network'];

/** Two at a time, so that one meets what another left behind. */
async function everything(system: System, random: Random, turn: number): Promise<string | undefined> {
  const [first, second] = [random.pick(mixed), random.pick(mixed)];
  const strikeOf = (name: RowName): Strike => (name === 'freeze' ? briefFreeze : strikes[name]);
  const chosen = first === second ? [first] : [first, second];
  const words = await Promise.all(chosen.map((name) => strikeOf(name)(system, random, turn)));
  return words.filter(Boolean).join(' and ') || undefined;
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
