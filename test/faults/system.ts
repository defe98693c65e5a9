import type { FakeWeb } from '../fake-web/server.ts';
import type { Judgement } from '../judge/judge.ts';
import type { Random } from '../fuzz/random.ts';
import type { RedisServers } from '../redis/servers.ts';
import type { FaultProxy } from './proxy.ts';

export type Role = 'worker' | 'coordinator' | 'store';

/** One process of a network, by the handle through which it is struck. */
export interface Part {
  readonly name: string;
  readonly role: Role;
  readonly alive: boolean;
  /** `kill -9`; resolves when it is gone. */
  kill(): Promise<void>;
  /** Starts it again over its folder. */
  restart(): Promise<void>;
  /** Starts it and kills it again after so long, wherever it is by then. Absent where that cannot be done. */
  falter?(afterMs: number): Promise<void>;
  /** Ends it in an orderly way: it gives back what it holds and says goodbye. */
  leave(): Promise<void>;
  /** `SIGSTOP`; resolves when it stands still. */
  freeze(): Promise<void>;
  thaw(): void;
  /** What it printed in all its lives; empty for servers of the store. */
  output(): string;
}

/** The disk on which a part has its folder, small enough to be filled. */
export interface PartDisk {
  /** Of the part. */
  name: string;
  path: string;
}

export interface CrawlJudgement extends Judgement {
  /** Results that had left the store for files when the crawl was over. */
  drained: number;
}

/** A network at work on one crawl of the fake web. */
export interface System {
  readonly fake: FakeWeb;
  readonly store: RedisServers | undefined;
  parts(role: Role): Part[];
  /** One more worker or coordinator. */
  join(role: 'worker' | 'coordinator'): Promise<void>;
  /** Where the coordinators listen. */
  coordinatorPorts(): number[];
  /** Between workers and coordinators, where the row asked for them. */
  readonly proxies: FaultProxy[];
  /** Of some parts, where the row asked for them. */
  readonly disks: readonly PartDisk[];
  /** The crawl has come to its end, as the network itself says. */
  isOver(): Promise<boolean>;
  /** What went wrong with a process that nobody struck; undefined while all is well. */
  problem(): string | undefined;
  /** What every process said last, for somebody who wants to know why nothing happens. */
  said(): string;
  judge(): Promise<CrawlJudgement>;
  stop(): Promise<void>;
}

/** One fault: begins, lasts and is healed. Answers a word about it, or undefined when nothing could be struck. */
export type Strike = (system: System, random: Random, turn: number) => Promise<string | undefined>;
