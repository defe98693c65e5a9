// watches: packages/coordinator/src/stream, packages/coordinator/src/results, packages/coordinator/src/api
// watches: packages/coordinator/src/events
// misses: subscribers that miss or repeat outcomes when they are cut off
import { join } from 'node:path';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { followAndCut, type TrialVerdicts } from '../stream/trial.ts';
import type { TrialPlan } from '../stream/trial-plan.ts';
import { argument, workFolder } from './lab.ts';

const plans = {
  quick: {
    workers: 1,
    streams: 4,
    logs: 2,
    cuts: 20,
    killEvery: 12,
    failOverEvery: 12,
    everyMs: 80,
    gapMs: 20,
    hosts: /^((www\.)?hub|alpha|bravo)/,
    withinMs: 120_000,
  },
  full: {
    workers: 2,
    streams: 6,
    logs: 3,
    cuts: 500,
    killEvery: 25,
    failOverEvery: 40,
    everyMs: 250,
    gapMs: 60,
    hosts: /^((www\.)?hub|alpha|bravo|delta|gamma|kappa|atlas|forum)/,
    withinMs: 1_800_000,
  },
} as const;

/**
 * Clients of the stream and of the log follow a crawl on one coordinator with SQLite, and one on several with Redis: a
 * cluster with replicas, in the quick form a single server. They are cut off at random: the socket destroyed or paused, the
 * client moved to another coordinator or set back to what it had stored last, the coordinator killed, a primary of the
 * cluster killed so that its replica takes over. Each must have every outcome once, in the order of its group, by the fake web
 * and by the records of the finished crawl. Controls: a client that keeps a token without what came before it, and one
 * that keeps what came and forgets the token.
 * `--count N` cuts in all; `--store sqlite`, `redis` or `cluster` runs one half.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const usual = quick ? plans.quick : plans.full;
  const chosen = argument(args, '--store');
  const both = ['sqlite', quick ? 'redis' : 'cluster'] as const;
  const stores = chosen === undefined ? both : [chosen as TrialPlan['store']];
  const count = argument(args, '--count');
  const cuts = count === undefined ? usual.cuts : Math.ceil(Number(count) / stores.length);
  const work = workFolder('stream');
  const halves: ({ store: string } & TrialVerdicts)[] = [];
  try {
    for (const store of stores) {
      const plan: TrialPlan = { ...usual, cuts, store, coordinators: store === 'sqlite' ? 1 : quick ? 2 : 3 };
      const half = { store, ...(await followAndCut(plan, join(work.path, store))) };
      console.error(JSON.stringify(half));
      halves.push(half);
    }
  } finally {
    work.remove();
  }
  const sum = (field: 'expected' | 'received' | 'lost' | 'repeated' | 'disordered' | 'restarts' | 'laps') =>
    halves.reduce((all, half) => all + half[field], 0);
  const harm = {
    far: halves.reduce((all, { controls }) => all + controls.far.lost, 0),
    again: halves.reduce((all, { controls }) => all + controls.again.repeated, 0),
  };
  const made = halves.flatMap((half) => Object.values(half.cuts)).reduce((all, one) => all + one, 0);
  const zeros = ['lost', 'repeated', 'disordered', 'restarts'] as const;
  return {
    ok:
      zeros.every((field) => sum(field) === 0) && sum('expected') === sum('received') && sum('received') > 0,
    // In a cluster replicas took over while clients followed.
    tooEasy:
      halves.some(({ store, cuts: kinds }) => store === 'cluster' && (kinds['failedOver'] ?? 0) === 0) ||
      harm.far === 0 ||
      harm.again === 0,
    result: {
      expected: sum('expected'),
      received: sum('received'),
      lost: sum('lost'),
      repeated: sum('repeated'),
      disordered: sum('disordered'),
      restarts: sum('restarts'),
      cuts: made,
      kinds: Object.fromEntries(halves.map(({ store, cuts: kinds }) => [store, kinds])),
      laps: sum('laps'),
      harmInControls: harm,
    },
  };
}
