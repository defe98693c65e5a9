import {
  openRedisFrontier,
  openStore,
  type RedisFrontier,
  type RedisStore,
} from '../../packages/coordinator/src/redis.ts';
import { type CrawlId, type HostKey, systemClock, type WorkerId } from '../../packages/protocol/src/index.ts';
import { type RedisServers, startRedis } from '../../test/redis/servers.ts';
import { doneWith } from './done-with.ts';
import type { Link } from './links.ts';
import { mainThreadCpuMs } from '../process-cpu.ts';

/** Takes links, and hands out as many URLs as were new. */
export interface Contender {
  offer(links: Link[]): Promise<number>;
  fetch(count: number): Promise<number>;
  /** CPU of its server, in ms. */
  cpu(): number;
  servers: RedisServers;
  store: RedisStore;
  close(): Promise<void>;
}

export interface ContenderOptions {
  connections: number;
  /** Log on disk with fsync always and one replica that is waited for; otherwise memory only. */
  strict: boolean;
}

const crawl = 'bench' as CrawlId;
const worker = 'w' as WorkerId;
const urlsPerHost = 10;
/**
 * Answers without a host before a caller gives up: others hold what is left, and let go of it. Counted, not timed, so that
 * a slow machine has the time it needs.
 */
const mostEmpty = 1_000;
/** Commands of the bare engine in one pipeline. */
const pipeline = 500;

async function open({ connections, strict }: ContenderOptions) {
  const servers = await startRedis({
    replicasEach: strict ? 1 : 0,
    settings: strict ? {} : { appendonly: 'no' },
  });
  const { url } = servers;
  const clock = systemClock();
  const store = await openStore({ url, replicas: strict ? 1 : 0, clock, connectionsPerNode: connections });
  const pid = servers.nodes[0]?.pid ?? 0;
  return {
    servers,
    store,
    clock,
    cpu: () => mainThreadCpuMs(pid),
    async close() {
      await store.close();
      await servers.stop();
    },
  };
}

/** Offer, lease and report: everything a crawl does with a URL, its record included. */
export async function openOurs(options: ContenderOptions): Promise<Contender & { frontier: RedisFrontier }> {
  const parts = await open(options);
  const frontier = await openRedisFrontier({ store: parts.store, clock: parts.clock });
  const pace = { gapMs: 0, leaseTtlMs: 600_000, maxFetchMs: 30_000, backoffMs: 10_000, deadAfter: 5 };
  await frontier.openCrawl({ id: crawl, ...pace, limits: {} });
  return {
    ...parts,
    frontier,
    async offer(links) {
      const verdicts = await frontier.offer(
        crawl,
        links.map(({ offer }) => offer),
      );
      return verdicts.filter((verdict) => verdict === 'accepted').length;
    },
    async fetch(count) {
      let fetched = 0;
      let empty = 0;
      while (fetched < count && empty < mostEmpty) {
        const hosts = Math.ceil((count - fetched) / urlsPerHost);
        const { leases } = await frontier.lease({ worker, hosts, urlsPerHost });
        if (leases.length === 0) {
          empty++;
          await pause(1);
          continue;
        }
        empty = 0;
        await frontier.report(leases.map((lease) => doneWith(lease)));
        for (const { entries } of leases) fetched += entries.length;
      }
      return fetched;
    },
  };
}

/**
 * The same URLs by SADD, RPUSH and LPOP: one set, a list per host, nothing else. No politeness, no leases, no
 * sums, no records: what the engine can do at most. As many callers at once as for ours, each with one pipeline on
 * its way.
 */
export async function openBare(options: ContenderOptions): Promise<Contender> {
  const parts = await open(options);
  const { store } = parts;
  const key = '{bare}';
  const queued = new Map<HostKey, number>();
  const run = async (commands: string[][]) => {
    const answers: unknown[] = [];
    for (let at = 0; at < commands.length; at += pipeline)
      answers.push(...(await store.run(commands.slice(at, at + pipeline).map((args) => ({ key, args })))));
    return answers;
  };
  return {
    ...parts,
    async offer(links) {
      const added = await run(links.map(({ url }) => ['SADD', '{bare}seen', url]));
      const fresh = links.filter((_, i) => added[i] === 1);
      await run(fresh.map(({ host, url }) => ['RPUSH', `{bare}q:${host}`, url]));
      for (const { host } of fresh) queued.set(host, (queued.get(host) ?? 0) + 1);
      return fresh.length;
    },
    async fetch(wanted) {
      const popped: HostKey[] = [];
      for (const [host, count] of queued) {
        const taken = Math.min(count, urlsPerHost, wanted - popped.length);
        for (let i = 0; i < taken; i++) popped.push(host);
        // To the end, so that hosts take turns.
        queued.delete(host);
        if (count > taken) queued.set(host, count - taken);
        if (popped.length >= wanted) break;
      }
      const urls = await run(popped.map((host) => ['LPOP', `{bare}q:${host}`]));
      return urls.filter((url) => typeof url === 'string').length;
    },
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
