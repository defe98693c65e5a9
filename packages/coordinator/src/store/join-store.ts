import { type DatedClock, WebfarerError } from '@webfarer/protocol';
import type { StoreChoice } from '@webfarer/protocol/job';
import { memberTtlMs } from '../members/members.ts';
import type { Membership } from '../members/membership.ts';
import { redisMembership } from '../members/redis-membership.ts';
import { parseStoreUrl } from '../redis/address/address.ts';
import type { DrainOptions } from '../frontier/redis/draining/drainer.ts';
import { storeTag } from '../redis/keys.ts';
import { isLoopback, lookAround, openSeed, refuseOpenStore } from '../redis/look-around.ts';
import type { NodeInfo } from '../redis/client/node-info.ts';
import { openRedisFrontier, type RedisFrontier } from '../frontier/redis/redis-frontier.ts';
import { explainHealth } from '../redis/health.ts';
import { explainSettings, type SettingFinding } from '../redis/settings.ts';
import { openStore, type RedisStore } from '../redis/store.ts';
import { type StoreWatch, watchStore } from '../redis/store-watch.ts';

export interface JoinedStore {
  frontier: RedisFrontier;
  /** What it is and what it promises, in one sentence. */
  promise: string;
  /** What a person should know beside it. */
  warnings: string[];
  /** Whether it answers. */
  watch: StoreWatch;
  /** Asks it now, on a new connection; rejects with the reason where it does not answer in time. */
  askAfresh(): Promise<void>;
  /** The coordinators that work with it. */
  membership: Membership;
  /** The same on connections of their own: a coordinator stays a member when its crawl, and so the frontier, is over. */
  openMembership(): Promise<{ membership: Membership; close(): Promise<void> }>;
}

/**
 * Opens a store to work with it: looks who is there and what the settings promise, and refuses what cannot keep the
 * promise. Every replica that could be elected is waited for, and never fewer than any shard had when the store was
 * first used (F6): one that is unreachable for a moment must not lower it.
 */
export async function joinStore(
  choice: StoreChoice,
  clock: DatedClock,
  { drain, segments = [] }: ResultFolders = {},
): Promise<JoinedStore> {
  const { url, durability } = choice;
  refuseOpenStore(choice);
  const { nodes, replicas, findings } = await lookForStrict(choice, clock);
  const isStrict = durability === 'strict';
  const open = () => openStore({ url, replicas: isStrict ? replicas : 0, everyReplica: isStrict, clock });
  const store = await open();
  const watch = watchStore(store, clock);
  try {
    await pin(store, replicas);
    return {
      frontier: await openRedisFrontier({
        store: watch.store,
        clock,
        sweepEveryMs,
        backlog: { results: choice.backlog ?? usualBacklog, drain },
        segments,
      }),
      promise: `${kindOf(nodes)}; ${promiseOf(durability, replicas)}`,
      warnings: warningsOf(choice, findings),
      watch,
      askAfresh: () => store.askAfresh(storeTag, askMs),
      membership: redisMembership(store, { ttlMs: memberTtlMs }),
      async openMembership() {
        const own = await open();
        return { membership: redisMembership(own, { ttlMs: memberTtlMs }), close: () => own.close() };
      },
    };
  } catch (error) {
    await watch.store.close();
    throw error;
  }
}

/** Two tries to connect and to ask, where the first one meets a primary that has been replaced. */
const askMs = 2_500;

/** Somebody who starts again while a server of the store does so too should not have to type twice. */
const passingMs = 5_000;
const lookAgainMs = 250;

/** What there is, once it can keep the promise. */
async function lookForStrict(
  { url, durability }: StoreChoice,
  clock: DatedClock,
): Promise<{ nodes: NodeInfo[]; replicas: number; findings: SettingFinding[] }> {
  for (const until = clock.now() + passingMs; ; await clock.sleep(lookAgainMs)) {
    const { nodes, replicas } = await lookAround(url, clock);
    const findings = explainSettings(nodes, replicas);
    const broken = findings.filter(({ level }) => level === 'broken');
    if (durability !== 'strict' || broken.length === 0) return { nodes, replicas, findings };
    if (clock.now() >= until || !broken.every(({ passing }) => passing)) throw cannotPromise(broken);
  }
}

/** What a store is and what its settings promise, for somebody who only wants to know. */
export async function inspectStore(url: string, clock: DatedClock): Promise<StoreInspection> {
  const { nodes, replicas } = await lookAround(url, clock);
  const versions = [...new Set(nodes.map(({ version }) => version).filter((version) => version !== ''))];
  const findings = [
    ...explainHealth(nodes.filter(({ reachable }) => reachable)),
    ...explainSettings(nodes, replicas),
  ];
  return { kind: kindOf(nodes), versions, findings };
}

export interface StoreInspection {
  kind: string;
  versions: string[];
  findings: SettingFinding[];
}

/** Where results are that left the store, or will. */
export interface ResultFolders {
  /** Who writes them to files, and where; absent: this process writes none. */
  drain?: DrainOptions;
  /** Folders in which they are looked for. */
  segments?: readonly string[];
}

/** With 1,024 groups and 2 KB for a page with its links, a store holds about 1 GB of results at most. */
const usualBacklog = 500;

/** Opens a store only to look into it. */
export async function readStore(
  url: string,
  clock: DatedClock,
  segments: readonly string[] = [],
): Promise<RedisFrontier> {
  return await openRedisFrontier({ store: await openStore({ url, replicas: 0, clock }), clock, segments });
}

/** A lease or hold that ran out is noticed by whoever asks for work; this is for the rest, and others sweep too. */
const sweepEveryMs = 3_000;

async function pin(store: RedisStore, replicas: number): Promise<void> {
  const key = `${storeTag}v`;
  const [, kept] = await store.run([
    { key: storeTag, args: ['HSETNX', key, 'replicas', replicas] },
    { key: storeTag, args: ['HGET', key, 'replicas'] },
  ]);
  if (kept === String(replicas)) return;
  throw new WebfarerError(
    'storage',
    'another process has just started to use the store and found a different number of replicas',
    {
      next: 'Run the same command again.',
    },
  );
}

function cannotPromise(broken: SettingFinding[]): WebfarerError {
  const lines = broken.map(
    ({ sentence, nodes, mend }) =>
      `${sentence} (${nodes.join(', ')})${mend === undefined ? '' : `\n  fix: ${mend}`}`,
  );
  return new WebfarerError(
    'storage',
    'with its current settings the store could lose or delay what it has acknowledged',
    {
      next: [...lines, 'Or accept the risk with --durability available'].join('\n'),
    },
  );
}

function kindOf(nodes: NodeInfo[]): string {
  const primaries = nodes.filter(({ role }) => role === 'primary').length;
  const replicas = nodes.filter(({ role }) => role === 'replica').length;
  const following = replicas === 0 ? '' : ` and ${replicas} replica${replicas === 1 ? '' : 's'}`;
  if (!nodes.some(({ slots }) => slots > 0)) return `one server${following}`;
  return `cluster of ${primaries} primar${primaries === 1 ? 'y' : 'ies'}${following}`;
}

function promiseOf(durability: StoreChoice['durability'], replicas: number): string {
  if (durability === 'available') return 'durability: available, a crash or failover may lose the latest';
  return replicas === 0
    ? 'results are acknowledged once they are on its disk'
    : `results are acknowledged once they are on ${replicas + 1} disks`;
}

function warningsOf({ url, durability, insecure }: StoreChoice, findings: SettingFinding[]): string[] {
  const warnings = findings
    .filter(({ level }) => level !== 'good')
    .map(({ sentence, nodes, mend }) => `${sentence} (${nodes.join(', ')})${mend ? ` Fix: ${mend}` : ''}`);
  if (durability === 'available')
    warnings.unshift(
      'durability: available. A failover may lose acknowledged URLs, and a host may then be contacted too soon.',
    );
  const apart = parseStoreUrl(url).filter(({ host }) => !isLoopback(host));
  if (insecure && openSeed(url) !== undefined)
    warnings.push('The store requires no password: anyone who can reach it can change this crawl.');
  else if (apart.some(({ tls }) => !tls))
    warnings.push(
      'The connection to the store is not encrypted, so its password can be read on the way. Use rediss://.',
    );
  return warnings;
}
