import { mkdirSync } from 'node:fs';
import { startFakeWeb } from '../fake-web/server.ts';
import { until } from '../prove/lab.ts';
import { type RedisServers, startRedis } from '../redis/servers.ts';
import { type Follower, logFollower, streamFollower } from './follower.ts';
import { judgeLaps, type LapVerdicts } from './judge-laps.ts';
import { openStage, type Stage } from './stage.ts';
import type { TrialPlan } from './trial-plan.ts';

export interface TrialVerdicts extends LapVerdicts {
  restarts: number;
  cuts: Record<string, number>;
  requests: number;
  controls: { far: LapVerdicts; again: LapVerdicts };
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Clients follow a crawl from its first page to its end while they and the coordinators are cut off at random. */
export async function followAndCut(plan: TrialPlan, under: string): Promise<TrialVerdicts> {
  mkdirSync(under, { recursive: true });
  const fake = await startFakeWeb({ size: 'S', seed: 7 });
  const redis = await startStore(plan);
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
        if (n <= plan.cuts && plan.store === 'cluster' && n % plan.failOverEvery === 0) {
          await stage.failOver();
          count('failedOver');
        } else if (n <= plan.cuts && n % plan.killEvery === 0) {
          await stage.strike();
          count('killed');
        } else count(await (followers[n % followers.length] as Follower).cut());
        if (n % 2 === 0) await Promise.all([far.cut(), again.cut()]);
      }
      await stage.isWhole();
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

async function startStore({ store }: TrialPlan): Promise<RedisServers | undefined> {
  if (store === 'sqlite') return undefined;
  if (store === 'redis') return await startRedis({ settings: { appendfsync: 'everysec' } });
  // Servers that a busy machine keeps waiting are not to be taken for dead all the time.
  return await startRedis({ primaries: 3, replicasEach: 1, nodeTimeoutMs: 3_000 });
}
