import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readFolder } from '@webfarer/coordinator';
import type { CrawlId, JobInput } from '@webfarer/protocol';
import { type FakeWeb, startFakeWeb } from '../fake-web/server.ts';
import type { ExpectOptions } from '../fake-web/universe.ts';
import { type CoordinatorPart, coordinatorPart } from '../many/coordinator-part.ts';
import { type NetworkProcess, networkProcess } from '../network/process.ts';
import { openReader } from '../prove/cursor-reader.ts';
import { briskJob, until } from '../prove/lab.ts';
import { type RedisServers, startRedis } from '../redis/servers.ts';
import { type Follower, logFollower, streamFollower } from './follower.ts';
import { judgeLaps, type LapTruth, type LapVerdicts, truthOf } from './judge-laps.ts';

export interface TrialPlan {
  store: 'sqlite' | 'redis';
  coordinators: number;
  workers: number;
  streams: number;
  logs: number;
  cuts: number;
  /** At every so many cuts a coordinator is killed. */
  killEvery: number;
  /** Between two cuts, at most. */
  everyMs: number;
  gapMs: number;
  hosts: RegExp;
  withinMs: number;
}

export interface TrialVerdicts extends LapVerdicts {
  restarts: number;
  cuts: Record<string, number>;
  requests: number;
  controls: { far: LapVerdicts; again: LapVerdicts };
}

const crawl = 'followed';
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Clients follow a crawl from its first page to its end while they and the coordinators are cut off at random. */
export async function followAndCut(plan: TrialPlan, under: string): Promise<TrialVerdicts> {
  mkdirSync(under, { recursive: true });
  const fake = await startFakeWeb({ size: 'S', seed: 7 });
  const redis =
    plan.store === 'redis' ? await startRedis({ settings: { appendfsync: 'everysec' } }) : undefined;
  const stage = await openStage(plan, { fake, redis, under });
  try {
    await stage.start();
    const followers = makeFollowers(plan, stage);
    const [far, again] = ['far' as const, 'again' as const].map((fault) =>
      streamFollower({ ...stage.client(fault), fault }),
    ) as [Follower, Follower];
    const all = [...followers, far, again];
    const cuts: Record<string, number> = {};
    const count = (kind: string) => void (cuts[kind] = (cuts[kind] ?? 0) + 1);
    try {
      for (let n = 1; n <= plan.cuts || !(await stage.isOver()); n++) {
        await pause(Math.random() * plan.everyMs);
        if (n <= plan.cuts && n % plan.killEvery === 0) {
          await stage.strike();
          count('killed');
        } else count(await (followers[n % followers.length] as Follower).cut());
        if (n % 2 === 0) await Promise.all([far.cut(), again.cut()]);
      }
      const needed = new Map(all.map((one) => [one, one.laps.length + 1]));
      const isDone = () => all.every((one) => one.laps.length >= (needed.get(one) ?? 0));
      await until('every client to have read to the end', isDone, plan.withinMs).catch((error: unknown) => {
        for (const one of all) console.error(`${one.name}: ${one.laps.length} laps, ${one.where()}`);
        throw error;
      });
    } finally {
      for (const one of all) one.stop();
    }
    const truth = await stage.truth();
    const laps = followers.flatMap((one) => one.laps);
    return {
      ...judgeLaps(laps, truth),
      restarts: followers.reduce((sum, one) => sum + one.restarts, 0),
      cuts,
      requests: (await fake.log()).length,
      controls: { far: judgeLaps(far.laps, truth), again: judgeLaps(again.laps, truth) },
    };
  } catch (error) {
    for (const one of stage.parts()) console.error(`${one.name}: ${one.output().slice(-2_000)}`);
    throw error;
  } finally {
    await stage.end();
    await redis?.stop();
    await fake.stop();
  }
}

function makeFollowers(plan: TrialPlan, stage: Stage): Follower[] {
  const streams = Array.from({ length: plan.streams }, (_, n) => streamFollower(stage.client(`stream-${n}`)));
  return [...streams, ...Array.from({ length: plan.logs }, (_, n) => logFollower(stage.client(`log-${n}`)))];
}

type Stage = Awaited<ReturnType<typeof openStage>>;

async function openStage(
  plan: TrialPlan,
  { fake, redis, under }: { fake: FakeWeb; redis: RedisServers | undefined; under: string },
) {
  const coordinators = Array.from({ length: plan.coordinators }, (_, n) => {
    const folder = join(under, `coordinator-${n}`);
    mkdirSync(folder, { recursive: true });
    return coordinatorPart({ name: `coordinator-${n}`, folder, store: redis?.url, withoutLedger: false });
  });
  const workers = Array.from({ length: plan.workers }, (_, n) => workerOf(n, coordinators, under));
  const { job, expect } = someHosts(fake, plan);
  let folder = '';
  let id = '';
  let struck = 0;
  let untilMs = Number.POSITIVE_INFINITY;

  async function bringUp(one: CoordinatorPart): Promise<void> {
    await one.start();
    const created = await one.create(job);
    if (one === coordinators[0]) ({ folder, id } = created);
    await one.ready();
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
      await bringUp(one);
    },
    async isOver() {
      if (performance.now() > untilMs) throw new Error(`the crawl did not end within ${plan.withinMs} ms`);
      const states = await Promise.all(coordinators.map((one) => one.states().catch(() => [])));
      return states.flat().some(({ name, state }) => name === crawl && state === 'finished');
    },
    async truth(): Promise<LapTruth> {
      const asked = new Set(
        (await fake.log()).filter(isPage).map(({ scheme, host, path }) => `${scheme}://${host}${path}`),
      );
      const from = { web: fake.web, expect, asked };
      if (redis) {
        const reader = await openReader({ redis: redis.url, replicas: 0 });
        const truth = await truthOf(from, reader.results, crawl as CrawlId);
        await reader.close();
        return truth;
      }
      const reader = await readFolder(folder);
      const truth = await truthOf(from, reader.results, id as CrawlId);
      await reader.close();
      return truth;
    },
    async end() {
      await Promise.all([...workers, ...coordinators].map((one) => one.kill()));
    },
  };
}

/** What the web answered whole; robots.txt is no page. */
function isPage({ path, status, cut }: { path: string; status: number; cut?: string }): boolean {
  return status === 200 && cut === undefined && path !== '/robots.txt';
}

function someHosts(fake: FakeWeb, plan: TrialPlan): { job: JobInput; expect: ExpectOptions } {
  const { job, expect } = briskJob(fake);
  const exclude = [...(job.scope?.exclude ?? []), { regex: `^https?://(?!${plan.hosts.source.slice(1)})` }];
  return {
    job: {
      ...job,
      name: crawl,
      scope: { ...job.scope, exclude },
      politeness: { ...job.politeness, gap: `${plan.gapMs}ms` },
      save: ['none'],
      // No page is to blame for the deaths of this proof.
      fetch: { ...job.fetch, retries: { ...job.fetch?.retries, poisonAfter: 35 } },
    },
    expect: { ...expect, hosts: (host) => (expect.hosts?.(host) ?? true) && plan.hosts.test(host.name) },
  };
}

function workerOf(n: number, coordinators: readonly CoordinatorPart[], under: string): NetworkProcess {
  const folder = join(under, `worker-${n}`);
  return networkProcess({
    name: `worker-${n}`,
    folder,
    words: () => [
      'worker',
      ...coordinators.map((one) => one.url()),
      '--token-file',
      join(coordinators[0]?.folder ?? '', 'worker.token'),
      '--out',
      folder,
      '--allow-private',
      '127.0.0.0/8',
      '--connections',
      '8',
    ],
    atWork: (printed) => /^ {2}worker \S+/m.test(printed),
  });
}
