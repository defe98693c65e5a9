import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '@webfarer/protocol/api';
import { treeCpuMs } from '../../bench/cost/tree-cpu.ts';
import { monotonicNs } from '../fake-web/request-log.ts';
import { randomFrom } from '../fuzz/random.ts';
import { isThere } from '../orders/history.ts';
import { type Absence, orderedNetwork } from '../orders/ordered-network.ts';
import { startNetwork } from '../network/launcher.ts';
import { startRedis } from '../redis/servers.ts';
import { measureStretch } from './stretch.ts';
import { jobOf, type PlannedCrawl } from './plan.ts';

export interface RunOptions {
  under: string;
  coordinators: number;
  workers: number;
  /** Hosts that each worker fetches from at once. */
  connections: number;
  primaries: number;
  gapMs: number;
  /** In which all crawls but the twins are created. */
  createWithinMs: number;
  /** Kills a coordinator, a worker and a primary of the store, and pauses crawls. */
  disturb: boolean;
  seed: number;
  withinMs: number;
  /** How many the sites have seen so far. */
  requests: () => number;
}

export interface Ran {
  /** When the call that created it was made. */
  posted: Map<PlannedCrawl, number>;
  twinsPostedNs: number;
  absences: readonly Absence[];
  killed: { coordinators: number; workers: number; primaries: number };
  pauses: number;
  /** What is wrong with crawls as the coordinators show them. */
  unfinished: string[];
  /** Pages that are counted too often or not at all. */
  miscounted: string[];
  /** Of coordinators, workers and servers, from the first call until the last crawl had ended. */
  cpuMs: number;
  tookMs: number;
  /** How many times longer everything took than its CPU time, because others had the processors. */
  stretch: number;
}

/** Calls under way at once that create crawls. */
const creators = 6;
const pollMs = 1_000;
/** A crawl is not paused sooner: its first request is measured. */
const settledMs = 5_000;

/** Creates all crawls on a network of real processes, disturbs it, and waits until they are over. */
export async function runCrawls(crawls: readonly PlannedCrawl[], options: RunOptions): Promise<Ran> {
  const { under, seed, gapMs } = options;
  const redis = await startRedis({ primaries: options.primaries, replicasEach: 1, parent: under });
  const network = await startNetwork({
    under,
    coordinators: options.coordinators,
    workers: options.workers,
    connections: options.connections,
    store: redis.url,
  });
  try {
    const random = randomFrom(seed);
    const ordersPerKill = Number.POSITIVE_INFINITY;
    const ordered = await orderedNetwork(network, { random, ordersPerKill });
    const posted = new Map<PlannedCrawl, number>();
    const absences: Absence[] = [];
    const killed = { coordinators: 0, workers: 0, primaries: 0 };
    let pauses = 0;
    let over = false;
    const startedMs = performance.now();
    const say = (what: string) => {
      console.error(`  ${Math.round((performance.now() - startedMs) / 1_000)} s: ${what}`);
    };
    const cpu = () =>
      [...network.coordinators, ...network.workers].reduce((sum, { pid }) => sum + treeCpuMs(pid ?? 0), 0) +
      redis.nodes.reduce((sum, { pid }) => sum + treeCpuMs(pid), 0);

    async function create(crawl: PlannedCrawl): Promise<void> {
      posted.set(crawl, monotonicNs());
      const job = jobOf(crawl, gapMs) as unknown as Record<string, unknown>;
      await ordered.order((client) => client.createCrawl({ body: { job } }).catch(isThere));
    }

    /** So many at a time; evenly over the time, if there is one. */
    async function createAll(list: readonly PlannedCrawl[], withinMs: number): Promise<void> {
      const fromMs = performance.now();
      const left = [...list.entries()];
      await Promise.all(
        Array.from({ length: creators }, async () => {
          for (let one = left.shift(); one; one = left.shift()) {
            const [n, crawl] = one;
            await sleep(Math.max(0, fromMs + (withinMs * n) / list.length - performance.now()));
            await create(crawl);
          }
        }),
      );
    }

    async function absent(work: () => Promise<void>): Promise<void> {
      const fromNs = monotonicNs();
      await work();
      absences.push({ fromNs, toNs: monotonicNs() });
    }

    async function disturb(): Promise<void> {
      const phaseMs = options.createWithinMs / 4;
      await sleep(phaseMs);
      const worker = random.pick(network.workers);
      await absent(async () => {
        await worker.kill();
        await worker.start();
      });
      killed.workers++;
      say(`${worker.name} killed and back`);
      await sleep(phaseMs);
      const coordinator = random.pick(network.coordinators);
      await absent(async () => {
        await coordinator.kill();
        await coordinator.start();
      });
      killed.coordinators++;
      say(`${coordinator.name} killed and back`);
      await sleep(phaseMs);
      const primary = redis.nodes[random.below(options.primaries)];
      await absent(async () => {
        await primary?.kill('SIGKILL');
        await sleep(5_000);
        await primary?.restart();
      });
      killed.primaries++;
      say('a primary killed, its replica at work, and back');
    }

    /** A crawl that has begun rests for a moment. */
    async function pauseSome(): Promise<void> {
      while (!over) {
        await sleep(2_000);
        const settledNs = monotonicNs() - settledMs * 1e6;
        const begun = [...posted].filter(([{ twin }, atNs]) => !twin && atNs < settledNs);
        if (begun.length === 0) continue;
        const [crawl] = random.pick(begun);
        const params = { crawl: crawl.name };
        const refusals = ['conflict', 'not-found'] as const;
        await ordered.order((client) => client.pauseCrawl({ params }), refusals);
        await sleep(500);
        await ordered.order((client) => client.resumeCrawl({ params }), refusals);
        pauses++;
      }
    }

    const stretch = measureStretch();
    const [cpuBefore, beganMs] = [cpu(), performance.now()];
    const twins = crawls.filter(({ twin }) => twin);
    const others = crawls.filter(({ twin }) => !twin);
    const disturbing = options.disturb ? Promise.all([disturb(), pauseSome()]) : undefined;
    disturbing?.catch(() => undefined);
    const creating = createAll(others, options.createWithinMs);
    await sleep(options.createWithinMs / 3);
    const twinsPostedNs = monotonicNs();
    await createAll(twins, 0);
    await creating;
    say(`${crawls.length} crawls created`);
    over = true;
    await disturbing;
    const unfinished = await untilOver(ordered.look, { ...options, say });
    const took = { cpuMs: cpu() - cpuBefore, tookMs: performance.now() - beganMs, stretch: stretch.stop() };
    const miscounted = await countsOf(ordered.look, crawls);
    await ordered.settle();
    return { posted, twinsPostedNs, absences, killed, pauses, unfinished, miscounted, ...took };
  } finally {
    await network.end();
    await redis.stop();
  }
}

type Look = <T>(call: (client: ApiClient) => Promise<T>) => Promise<T | undefined>;

/** Which of them are open when nothing was asked for, and none has ended, for so long. */
async function untilOver(
  look: Look,
  { withinMs, requests, say }: Pick<RunOptions, 'withinMs' | 'requests'> & { say: (what: string) => void },
): Promise<string[]> {
  let newsAtMs = performance.now();
  let last = '';
  for (;;) {
    const open = await openCrawls(look);
    const now = `${open.length} open, ${requests()} requests`;
    if (now !== last) newsAtMs = performance.now();
    last = now;
    if (open.length === 0) break;
    if (performance.now() - newsAtMs > withinMs) return open.map(({ name, state }) => `${name} is ${state}`);
    await sleep(pollMs);
  }
  say('all crawls are over');
  return [];
}

interface Shown {
  name: string;
  state: string;
}

async function openCrawls(look: Look): Promise<Shown[]> {
  const found: Shown[] = [];
  const state = ['running' as const, 'paused' as const, 'limited' as const, 'stopped' as const];
  for (let after: string | undefined; ; ) {
    const query = { state, limit: 200, ...(after === undefined ? {} : { after }) };
    const page = await look((client) => client.listCrawls({ query }));
    found.push(...(page?.items ?? []));
    after = page?.next;
    if (after === undefined) return found;
  }
}

async function countsOf(look: Look, crawls: readonly PlannedCrawl[]): Promise<string[]> {
  const wrong: string[] = [];
  const left = [...crawls];
  await Promise.all(
    Array.from({ length: creators }, async () => {
      for (let crawl = left.pop(); crawl; crawl = left.pop()) {
        const { name, urls } = crawl;
        const shown = await look((client) => client.getCrawl({ params: { crawl: name } }));
        const { known, done } = shown?.progress?.balance ?? { known: 0, done: 0 };
        if (known !== urls.length || done !== urls.length)
          wrong.push(`${name}: ${done} done and ${known} known of ${urls.length}`);
      }
    }),
  );
  return wrong;
}
