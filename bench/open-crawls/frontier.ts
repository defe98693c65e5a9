import { setTimeout as sleep } from 'node:timers/promises';
import { openRedisFrontier, openStore, type RedisFrontier } from '../../packages/coordinator/src/redis.ts';
import {
  type CrawlId,
  type LeaseReport,
  type Offer,
  systemClock,
  type Url,
  type WorkerId,
} from '../../packages/protocol/src/index.ts';
import { startRedis } from '../../test/redis/servers.ts';
import { commandsOf } from '../cost/redis-commands.ts';
import { mainThreadCpuMs } from '../process-cpu.ts';
import { doneWith } from '../redis/done-with.ts';

/** What one step costs the store and its only client. */
export interface StepCost {
  commands: number;
  clientMs: number;
  storeMs: number;
}

/** Steps of a frontier beside so many crawls, each with one host that is due in an hour. */
export interface FrontierRow {
  crawls: number;
  create: StepCost;
  /** Somebody asks each crawl for URLs: after one was created, once more, and after one was paused and resumed. */
  asked: StepCost;
  askedAgain: StepCost;
  askedAfterResume: StepCost;
  sweep: StepCost;
  pause: StepCost;
  resume: StepCost;
  counts: StepCost;
  storeBytes: number;
}

const hour = 3_600_000;
const settings = { gapMs: hour, leaseTtlMs: 600_000, maxFetchMs: 30_000, backoffMs: 10_000, deadAfter: 5 };
const news = { endedAgoMs: 0, gapMs: hour, why: 'gap', health: 'ok' } as const;
const worker = 'bench' as WorkerId;
const idOf = (n: number) => `crawl-${n}` as CrawlId;

/** By counts alone, in one process: what the coordinators of a network add is measured with the network. */
export async function measureFrontier(sizes: readonly number[]): Promise<FrontierRow[]> {
  const servers = await startRedis({ settings: { appendonly: 'no' } });
  const [server] = servers.nodes;
  if (!server) throw new Error('the store has no server');
  const clock = systemClock();
  const store = await openStore({ url: servers.url, replicas: 0, clock });
  const frontier = await openRedisFrontier({ store, clock });

  async function costOf(work: () => Promise<unknown>): Promise<StepCost> {
    const [commands, storeMs, client] = [
      await commandsOf(server as NonNullable<typeof server>),
      mainThreadCpuMs(server?.pid ?? 0),
      process.cpuUsage(),
    ];
    await work();
    const { user, system } = process.cpuUsage(client);
    return {
      commands: (await commandsOf(server as NonNullable<typeof server>)) - commands,
      clientMs: (user + system) / 1_000,
      storeMs: mainThreadCpuMs(server?.pid ?? 0) - storeMs,
    };
  }

  const rows: FrontierRow[] = [];
  try {
    let open = 0;
    for (const crawls of sizes) {
      while (open < crawls) await create(frontier, open++);
      // What is due is leased, and what others may have done is looked for.
      for (let round = 0; round < 2; round++) {
        await askAll(frontier, open);
        await frontier.sweep();
      }
      await rest(frontier);
      const made = await costOf(() => create(frontier, open++));
      const asked = await costOf(() => askAll(frontier, open));
      const askedAgain = await costOf(() => askAll(frontier, open));
      await rest(frontier);
      const sweep = await costOf(() => frontier.sweep());
      const pause = await costOf(() => frontier.setState(idOf(0), 'paused'));
      const resume = await costOf(() => frontier.setState(idOf(0), 'running'));
      const askedAfterResume = await costOf(() => askAll(frontier, open));
      const counts = await costOf(() => frontier.overview(idOf(0)));
      const memory = await server.askText('INFO', 'memory');
      const storeBytes = Number(/^used_memory:(\d+)/m.exec(memory)?.[1] ?? 0);
      const steps = { create: made, asked, askedAgain, askedAfterResume, sweep, pause, resume, counts };
      rows.push({ crawls, ...steps, storeBytes });
    }
    return rows;
  } finally {
    await frontier.close();
    await servers.stop();
  }
}

/** What the store keeps of each crawl that has ended, of three URLs on one host. */
export interface EndedCost {
  bytes: number;
  keys: number;
}

export async function measureEnded(count: number): Promise<EndedCost> {
  const servers = await startRedis({ settings: { appendonly: 'no' } });
  const [server] = servers.nodes;
  if (!server) throw new Error('the store has no server');
  const clock = systemClock();
  const store = await openStore({ url: servers.url, replicas: 0, clock });
  const frontier = await openRedisFrontier({ store, clock });
  const held = async () => ({
    bytes: Number(/^used_memory:(\d+)/m.exec(await server.askText('INFO', 'memory'))?.[1]),
    keys: Number(await server.ask('DBSIZE')),
  });
  async function playOne(n: number): Promise<void> {
    await create(frontier, n, 0);
    for (let tries = 0; !(await frontier.finish(idOf(n))); tries++) {
      if (tries > 1_000) throw new Error(`crawl ${n} does not end`);
      const { leases } = await frontier.lease({ worker, hosts: 1, urlsPerHost: 4, crawls: [idOf(n)] });
      await frontier.report(leases.map((lease) => doneWith(lease)));
    }
  }
  try {
    // The first ones make what all share.
    for (let n = 0; n < count; n++) await playOne(n);
    const before = await held();
    for (let n = count; n < 2 * count; n++) await playOne(n);
    const after = await held();
    return { bytes: (after.bytes - before.bytes) / count, keys: (after.keys - before.keys) / count };
  } finally {
    await frontier.close();
    await servers.stop();
  }
}

async function create(frontier: RedisFrontier, n: number, gapMs = hour): Promise<void> {
  const id = idOf(n);
  await frontier.openCrawl({ id, ...settings, gapMs, limits: {} });
  const offers = [0, 1, 2].map(
    (page): Offer => ({
      url: `https://site-${n}.example/page-${page}` as Url,
      kind: 'page',
      depth: 0,
      cost: 0,
      hops: 0,
    }),
  );
  await frontier.seed(id, offers, { last: true });
}

/** Groups that have not changed for a second are passed over by sweeps: what is measured is a crawl that waits. */
async function rest(frontier: RedisFrontier): Promise<void> {
  await sleep(1_100);
  await frontier.sweep();
}

/** As a coordinator asks them for a worker; what is granted goes back, and its host waits. */
async function askAll(frontier: RedisFrontier, open: number): Promise<void> {
  for (let n = 0; n < open; n++) {
    if (frontier.dueInMs(idOf(n)) > 0) continue;
    const { leases } = await frontier.lease({ worker, hosts: 4, urlsPerHost: 1, crawls: [idOf(n)] });
    const reports = leases.map((lease): LeaseReport => ({ ...lease, settled: [], news, close: true }));
    if (reports.length > 0) await frontier.report(reports);
  }
}
