// watches: packages/coordinator/src/redis, packages/coordinator/src/frontier/redis, packages/coordinator/src/ledger
// watches: packages/protocol/src/base, packages/coordinator/src/schedule, packages/coordinator/src/registry
// ci: rated, because a schedule that is due each second misses one where its coordinators get no time for a second.
// misses: one process with a wrong clock that stalls the others, or loses runs of a schedule
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type * as Frontiers from '../../packages/coordinator/src/frontier/redis/redis-frontier.ts';
import {
  openRedisFrontier,
  type RedisFrontier,
} from '../../packages/coordinator/src/frontier/redis/redis-frontier.ts';
import { openStore } from '../../packages/coordinator/src/redis/store.ts';
import { systemClock } from '../../packages/protocol/src/index.ts';
import { type Change, copyWith } from '../faults/changed-source.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { fireSkewed } from '../schedules/skewed-firings.ts';
import { until } from '../redis/form-cluster.ts';
import { type RedisServers, startRedis } from '../redis/servers.ts';
import { type Judgement, simulateCrawl, type Simulation } from '../redis/simulated-crawl.ts';

/** A process with a wrong clock comes, takes part and goes; or one that takes part is suspended. */
type Case =
  | { name: string; skewMs: number }
  /** `stopsClock`: its monotonic clock stands still meanwhile, as on a machine that sleeps. */
  | { name: string; suspendedMs: number; stopsClock: boolean };

const skews = [2_000, -2_000, 3_600_000, -3_600_000, 700, -700, 60_000, -60_000, 600_000, -600_000];
const suspensions = [
  { suspendedMs: 2_500, stopsClock: true },
  { suspendedMs: 2_500, stopsClock: false },
  { suspendedMs: 10_000, stopsClock: true },
  { suspendedMs: 10_000, stopsClock: false },
];
/** The longest hold is 6 s: three times as long as anybody may stall. */
const times = { gapMs: 250, leaseTtlMs: 5_500, maxFetchMs: 250 };
const hosts = 120;
const groups = 64;
const rightOnes = 3;
/** Few enough that every process finds some, so that whoever settles nothing is kept from it. */
const hostsEach = 25;
const stallMs = 2_000;
const clock = systemClock();

/** The store holds a group for everybody as soon as anybody's clock disagrees with it. */
const holdForAll: Change = {
  file: 'packages/coordinator/src/redis/lua/base/time.lua',
  from: '    if apart or doubted > 0 then\n',
  to: `    if apart or doubted > 0 then
      call('SET', P .. 's', string.format('%d %d %d', off, last, here + 6000))
`,
};

/**
 * One process whose clock is wrong, or that was suspended, may cost itself a while and nobody else: all others go on
 * within 2 s, and no host is asked too soon. Fetches are judged by one clock that no process can change. In the
 * control the store holds groups for everybody: then others must stall. Schedules that are due every second have one crawl for
 * each second, whatever clocks say and whoever is suspended; where each coordinator goes by its own clock, seconds must be missing.
 */
export async function prove({ quick }: ProofOptions): Promise<ProofResult> {
  const all: Case[] = [
    ...skews.map((skewMs) => ({ name: `clock ${skewMs / 1_000} s off`, skewMs })),
    ...suspensions.map((each) => ({
      name: `suspended for ${each.suspendedMs / 1_000} s${each.stopsClock ? ', clock too' : ''}`,
      ...each,
    })),
  ];
  const chosen = quick ? [0, 3, 10, 11].map((n) => all[n] as Case) : all;
  const judged = await crawlThrough(chosen, {
    open: openRedisFrontier,
    watchMs: quick ? 2_200 : 8_000,
    toTheEnd: true,
  });
  const control = await inControl();
  const schedules = await fireSkewed();
  const ownClock = await fireSkewed('own-clock');
  const { stalls, finished, lost, duplicates, addsUp, gapViolations } = judged;
  const stalledOver2s = stalls.filter((ms) => ms > stallMs).length;
  const stalledInControl = control.stalls.filter((ms) => ms > stallMs).length;
  return {
    ok:
      finished &&
      addsUp &&
      lost + duplicates + gapViolations === 0 &&
      schedules.missing + schedules.early + schedules.twice === 0 &&
      schedules.differing === 2,
    tooSlow: stalledOver2s > 0,
    tooEasy: stalledInControl === 0 || judged.wrongOnesSettled === 0 || ownClock.missing === 0,
    result: {
      cases: chosen.length,
      stalledOver2s,
      longestStallMs: Math.max(...stalls),
      gapViolations,
      lost,
      duplicates,
      addsUp,
      finished,
      urls: judged.urls,
      wrongOnesSettled: judged.wrongOnesSettled,
      stalledInControl,
      schedules,
      missingByOwnClock: ownClock.missing,
      sizes: { processes: rightOnes, hosts, cases: chosen.length },
    },
  };
}

type Open = typeof openRedisFrontier;

async function inControl(): Promise<Judged> {
  const folder = mkdtempSync(join(tmpdir(), 'webfarer-skew-'));
  try {
    copyWith([holdForAll], folder);
    const path = join(folder, 'packages/coordinator/src/frontier/redis/redis-frontier.ts');
    const changed = (await import(path)) as typeof Frontiers;
    return await crawlThrough([{ name: 'control', skewMs: 2_000 }], {
      open: changed.openRedisFrontier,
      watchMs: 3_500,
      toTheEnd: false,
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Judged extends Judgement {
  /** How long each of those with a right clock settled nothing, at the longest, in each case. */
  stalls: number[];
  /** What those with a wrong clock settled, all together: they are let in after a while. */
  wrongOnesSettled: number;
}

interface Trial {
  open: Open;
  /** How long others are watched after each case. */
  watchMs: number;
  /** Whether the crawl is finished and judged, or only watched. */
  toTheEnd: boolean;
}

async function crawlThrough(cases: Case[], { open, watchMs, toTheEnd }: Trial): Promise<Judged> {
  const servers = await startRedis();
  const members: Member[] = [];
  const come = async (skewMs: number): Promise<Member> => {
    const member = await memberOf(servers, open, skewMs);
    members.push(member);
    return member;
  };
  try {
    const right = await Promise.all(Array.from({ length: rightOnes }, () => come(0)));
    const simulation = await simulateCrawl({
      frontiers: right.map(({ frontier }) => frontier),
      hosts,
      hostsEach,
      times,
    });
    await underWay(simulation);
    const wrong: number[] = [];
    const stalls: number[] = [];
    const lag = monitorEventLoopDelay({ resolution: 20 });
    lag.enable();
    for (const each of cases) {
      const startedAtMs = clock.now();
      lag.reset();
      let judgedOnes = right.map((_, n) => n);
      if ('skewMs' in each) {
        const member = await come(each.skewMs);
        wrong.push(simulation.join(member.frontier));
        await clock.sleep(watchMs);
        member.leave();
      } else {
        judgedOnes = judgedOnes.slice(1);
        await right[0]?.suspend(each.suspendedMs, each.stopsClock);
        await clock.sleep(watchMs);
      }
      const longest = judgedOnes.map((n) =>
        stallOf(simulation, n, { fromMs: startedAtMs, lagMs: lag.max / 1e6 }),
      );
      stalls.push(...longest);
      console.error(JSON.stringify({ case: each.name, longestStallMs: longest }));
      await underWay(simulation);
    }
    if (toTheEnd) wrong.push(await letIn(simulation, await come(2_000)));
    const judgement = await simulation.end(toTheEnd ? 30_000 : 0);
    return {
      ...judgement,
      stalls,
      wrongOnesSettled: simulation.settled.filter(({ by }) => wrong.includes(by)).length,
    };
  } finally {
    for (const member of members) await member.frontier.close().catch(() => undefined);
    await servers.stop();
  }
}

/** It has a wrong clock, and stays until its own wait is over. */
async function letIn(simulation: Simulation, { frontier }: Member): Promise<number> {
  const number = simulation.join(frontier);
  const has = () => simulation.settled.some(({ by }) => by === number);
  await until(() => Promise.resolve(has()), 'a process with a wrong clock gets work', 60_000);
  return number;
}

const pagesBetween = 100;
async function underWay({ settled }: Simulation): Promise<void> {
  const { length } = settled;
  await until(() => Promise.resolve(settled.length >= length + pagesBetween), 'the crawl runs', 60_000);
}

/** The longest time from then on until now in which it settled nothing, less what this process itself stood still. */
function stallOf(
  { settled }: Simulation,
  by: number,
  { fromMs, lagMs }: { fromMs: number; lagMs: number },
): number {
  const own = settled.filter((each) => each.by === by && each.atMs >= fromMs).map(({ atMs }) => atMs);
  const marks = [fromMs, ...own, clock.now()];
  const longest = Math.max(...marks.slice(1).map((atMs, n) => atMs - (marks[n] as number)));
  return Math.round(Math.max(0, longest - lagMs));
}

interface Member {
  frontier: RedisFrontier;
  suspend(ms: number, stopsClock: boolean): Promise<void>;
  /** It asks for nothing more. */
  leave(): void;
}

/** A process as far as the store can tell: with a clock of its own, and calls that stop while it is suspended. */
async function memberOf(servers: RedisServers, open: Open, skewMs: number): Promise<Member> {
  let lostMs = 0;
  let gate = Promise.resolve();
  let left = false;
  const own = {
    ...clock,
    now: () => clock.now() + skewMs - lostMs,
    wall: () => clock.wall() + skewMs,
  };
  const store = await openStore({ url: servers.url, replicas: 0, clock });
  const run: typeof store.run = async (calls, options) => {
    await gate;
    const replies = await store.run(calls, options);
    await gate;
    return replies;
  };
  const frontier = await open({ store: { ...store, run }, clock: own, groups });
  const nothing = { leases: [], nextDueMs: null, limited: [] };
  return {
    frontier: {
      ...frontier,
      lease: async (request) => (left ? nothing : await frontier.lease(request)),
    },
    async suspend(ms, stopsClock) {
      const end = Promise.withResolvers<void>();
      gate = end.promise;
      await clock.sleep(ms);
      if (stopsClock) lostMs += ms;
      end.resolve();
    },
    leave() {
      left = true;
    },
  };
}
