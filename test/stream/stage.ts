import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFolder } from '@webfarer/coordinator';
import type { CrawlId } from '@webfarer/protocol';
import type { FakeWeb } from '../fake-web/server.ts';
import { type CoordinatorPart, coordinatorPart } from '../many/coordinator-part.ts';
import { someHosts } from '../many/some-hosts.ts';
import { workerPart } from '../many/worker-part.ts';
import { openReader } from '../prove/cursor-reader.ts';
import type { RedisServers } from '../redis/servers.ts';
import { failOver } from '../redis/strike.ts';
import { type LapTruth, truthOf } from './judge-laps.ts';
import type { TrialPlan } from './trial-plan.ts';

export type Stage = Awaited<ReturnType<typeof openStage>>;

const crawl = 'followed';
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Coordinators and workers that crawl, and what strikes them and their store. */
export async function openStage(
  plan: TrialPlan,
  { fake, redis, under }: { fake: FakeWeb; redis: RedisServers | undefined; under: string },
) {
  const replicas = plan.store === 'cluster' ? 1 : 0;
  const durability = replicas > 0 ? ('strict' as const) : ('available' as const);
  const coordinators = Array.from({ length: plan.coordinators }, (_, n) => {
    const name = `coordinator-${n}`;
    const folder = join(under, name);
    mkdirSync(folder, { recursive: true });
    return coordinatorPart({ name, folder, store: redis?.url, durability, withoutLedger: false });
  });
  const workers = Array.from({ length: plan.workers }, (_, n) => workerPart(n, coordinators, under));
  const { job, expect } = someHosts(fake, plan);
  let folder = '';
  let id = '';
  let struck = 0;
  let untilMs = Number.POSITIVE_INFINITY;
  let failingOver: Promise<void> = Promise.resolve();

  function checkTime(): void {
    if (performance.now() > untilMs) throw new Error(`the crawl did not end within ${plan.withinMs} ms`);
  }

  async function bringUp(one: CoordinatorPart): Promise<void> {
    await one.start();
    const created = await one.create({ ...job, name: crawl });
    if (one === coordinators[0]) ({ folder, id } = created);
    await one.ready();
  }

  /** A coordinator that finds its store in the middle of a failover gives up, and is started again. */
  async function bringBack(one: CoordinatorPart): Promise<void> {
    for (;;) {
      try {
        return await bringUp(one);
      } catch (error) {
        if (replicas === 0) throw error;
        checkTime();
        await one.kill();
        await pause(200);
      }
    }
  }

  return {
    parts: () => [...coordinators, ...workers],
    client: (name: string) => ({
      name,
      crawl,
      urls: () => coordinators.map((one) => one.url()),
      // In a store every coordinator accepts the tokens of all.
      token: readFileSync(join(coordinators[0]?.folder ?? '', 'operator.token'), 'utf8').trim(),
      random: Math.random,
    }),
    async start() {
      for (const one of coordinators) await bringUp(one);
      await Promise.all(workers.map((worker) => worker.start()));
      untilMs = performance.now() + plan.withinMs;
    },
    /** The process dies at once, and comes back. */
    async strike() {
      const one = coordinators[struck++ % coordinators.length] as CoordinatorPart;
      await one.kill();
      await pause(Math.random() * 200);
      await bringBack(one);
    },
    /** A primary of the store dies; meanwhile everything else goes on. One at a time. */
    async failOver() {
      if (!redis) throw new Error('there is no store');
      await failingOver;
      failingOver = failOver(redis, plan.withinMs);
      failingOver.catch(() => undefined);
    },
    /** Resolves when every server that was killed is back. */
    async isWhole() {
      await failingOver;
    },
    async isOver() {
      checkTime();
      const states = await Promise.all(coordinators.map((one) => one.states().catch(() => [])));
      return states.flat().some(({ name, state }) => name === crawl && state === 'finished');
    },
    async truth(): Promise<LapTruth> {
      const asked = new Set(
        (await fake.log()).filter(isPage).map(({ scheme, host, path }) => `${scheme}://${host}${path}`),
      );
      const reader = redis ? await openReader({ redis: redis.url, replicas }) : await readFolder(folder);
      const from = { web: fake.web, expect, asked };
      const truth = await truthOf(from, reader.results, (redis ? crawl : id) as CrawlId);
      await reader.close();
      return truth;
    },
    async end() {
      await Promise.all([...workers, ...coordinators].map((one) => one.kill()));
      await failingOver.catch(() => undefined);
    },
  };
}

/** What the web answered whole; robots.txt is no page. */
function isPage({ path, status, cut }: { path: string; status: number; cut?: string }): boolean {
  return status === 200 && cut === undefined && path !== '/robots.txt';
}
