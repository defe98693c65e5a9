import type { DatedClock, HostKey } from '@webfarer/protocol';
import type { Buckets } from './buckets.ts';
import type { CrawlRegistry } from './crawl-registry.ts';
import type { GroupRunner } from '../../../redis/group-runner.ts';
import type { GroupReader } from './group-reader.ts';
import type { Hints } from '../../../redis/hints.ts';
import type { HostPlace } from '../../../redis/keys.ts';
import type { Ledger } from './ledger.ts';
import type { Shards } from '../../../redis/shards.ts';
import type { DeliveryRounds, OfferRound } from './rounds.ts';
import type { RedisStore } from '../../../redis/store.ts';

/** What the parts of the frontier on Redis share. */
export interface Context {
  /** Names this process in operations that must not happen twice. */
  member: string;
  store: RedisStore;
  clock: DatedClock;
  crawls: CrawlRegistry;
  groups: GroupRunner;
  shards: Shards;
  hints: Hints;
  ledger: Ledger;
  buckets: Buckets;
  /** What is recorded, group by group. */
  records: GroupReader;
  /** Results that wait to be drained; undefined where this process does not look after that: draining/backlog.ts. */
  backlog:
    | {
        /** Nothing of a crawl is leased from a group. */
        isFull(c: string, group: number): boolean;
        anyFull(): boolean;
        /** Whether much of a crawl that this process has opened waits, or nobody has looked since that time. */
        mayBeLong(c: string, sinceMs: number): boolean;
        kick(): void;
      }
    | undefined;
  placeOf(host: HostKey): HostPlace;
  /** Numbers of the crawls whose URLs were asked for since the last sweep. */
  served: Set<string>;
  /** When it was last said which these are. */
  saidAliveAtMs: number;
  /** Numbers of the crawls that this process has opened, and keeps. */
  opened: Set<string>;
  /** Folders in which drained results are looked for. */
  folders: readonly string[];
  /** Somebody asked for more than was due since the last look. */
  hungry: boolean;
  /** Until then news from other processes are expected: every look counts. */
  newsUntilMs: number;
  /** When this process last gave work out, took some in, or was told to look after other groups. */
  stirredAtMs: number;
  /** Groups that this process looks after before others do; undefined: all. Only haste depends on it. */
  mine: ReadonlySet<number> | undefined;
  /** How often it was told which these are. */
  minded: number;
  /** Groups that a lease call of this process asks now. */
  asking: Set<number>;
  /** Offers of each crawl that are being gathered. */
  offerRounds: Map<string, OfferRound>;
  deliveryRounds: DeliveryRounds;
  /** When this process last looked for slots that some other tool moves. */
  movesSoughtAtMs: number;
  /** Crawls that were finished in a group and were given work: to be run again everywhere. */
  reopened: Set<string>;
  /** In which epoch of the store all groups were last asked what was opened in them: entering.ts. */
  enteredIn: string | undefined;
}

/** The numbers of all groups. */
export function allGroups({ crawls }: Context): number[] {
  return Array.from({ length: crawls.groups }, (_, group) => group);
}

/** Those that something of the crawls that are known here has come into, in their order. */
export function enteredGroups({ crawls }: Context): number[] {
  const found = new Set<number>();
  for (const { groups } of crawls.all()) for (const group of groups.list) found.add(group);
  return [...found].sort((a, b) => a - b);
}

/** The groups of each primary, of all or of these. */
export function groupsByShard(context: Context, groups: readonly number[] = allGroups(context)): number[][] {
  const parts = new Map<number, number[]>();
  for (const group of groups) {
    const shard = context.shards.numberOf(group);
    const part = parts.get(shard);
    if (part) part.push(group);
    else parts.set(shard, [group]);
  }
  return [...parts.values()];
}
